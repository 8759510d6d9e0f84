# SPDX-License-Identifier: Apache-2.0
"""Texts that a language model continues."""
import os

from systole import _systole
from systole.device import Device
from systole.errors import InvalidArgument, InvalidType
from systole.recorded_array import existing


class GeneratedText:
    """What LanguageModel.generate() returns.

    text           what the model added to the prompt
    tokens         its tokens, prompt_tokens those of the prompt
    ending         why it ends: "tokens", as many as asked for; "text", the model ended it; "context", there is no room
    cycles         of the device for all texts of the call, 0 where it does not count them
    """

    def __init__(self, text, tokens, prompt_tokens, ending, cycles):
        self.text, self.tokens, self.prompt_tokens = text, tokens, prompt_tokens
        self.ending, self.cycles = ending, cycles

    def __repr__(self):
        return f"GeneratedText({self.text!r}, ending={self.ending!r})"


class LanguageModel:
    """A language model in a GGUF file, or in files of llama2.c, such as `systole train --network llama:...` writes.

    model = systole.LanguageModel("model.gguf")
    model = systole.LanguageModel("stories.bin", "stories.bin.tokenizer")
    print(model.generate("Once upon a time", 100).text)
    """

    def __init__(self, model, tokenizer=None, *, device="host", precision=None, context=0):
        """`tokenizer`, if given, takes the place of the one in a GGUF file; files of llama2.c need it. `device` is
        "host" or a Device; the tokens are the same. precision="mx": products in block floating point, "int8": weights
        of int8 with a scale for each row. `context`: room for so many tokens, prompt included; 0: as many as the model
        has."""
        if device != "host" and not isinstance(device, Device):
            raise InvalidType(f"device: {device!r}; give a systole.Device or 'host'")
        if precision not in (None, "mx", "int8"):
            raise InvalidArgument(f"precision: {precision!r}; expected 'mx' or 'int8', or None for float32")
        session = None if device == "host" else device._session
        paths = existing(model), "" if tokenizer is None else existing(tokenizer)
        self._generator = _systole.Generator(*map(os.fspath, paths), context, precision or "", session)

    @property
    def context(self):
        """How many tokens there is room for, prompt included."""
        return self._generator.context()

    def generate(self, prompt="", tokens=256, *, temperature=0.0, top_p=1.0, seed=1, progress=None):
        """Continues the prompt by at most so many tokens. At temperature 0 the most probable one comes always, above it
        another `seed` gives another text, of the most probable tokens that together have the probability `top_p`.
        `progress` is called with what each token adds, of the prompt, too.

        A list of 1 to 256 prompts is continued at once, and a list of texts returned: each step reads the weights once
        for all of them. `progress` is called with the number of the text, then.

        Raises InvalidArgument for a prompt without room or with a character without a token, and the errors of the
        device."""
        if not isinstance(prompt, str):
            texts = self._generator.generate(list(prompt), tokens, temperature, top_p, seed, progress)
            return [GeneratedText(**text) for text in texts]
        tell = None if progress is None else lambda _, piece: progress(piece)
        return GeneratedText(**self._generator.generate([prompt], tokens, temperature, top_p, seed, tell)[0])
