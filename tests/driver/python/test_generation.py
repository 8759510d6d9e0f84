# SPDX-License-Identifier: Apache-2.0
"""systole.LanguageModel gives the texts of `systole generate`.

  test_generation.py PROGRAM"""

import json
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import systole

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
from page_code import code_of

PROGRAM = sys.argv.pop(1)
TEXT = "One hen, two ducks, three geese. A hen is no duck, and a duck is no goose.\n"


def text_of(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value_of(value):
    """With its type, as GGUF has it: texts, sizes, float32 and arrays of texts, int32 and float32."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + text_of(value)
    if isinstance(value, (int, float)):
        return struct.pack("<II", 4, value) if isinstance(value, int) else struct.pack("<If", 6, value)
    kind, write = {
        str: (8, text_of),
        int: (5, lambda x: struct.pack("<i", x)),
        float: (6, lambda x: struct.pack("<f", x)),
    }[type(value[0])]
    return struct.pack("<IIQ", 9, kind, len(value)) + b"".join(map(write, value))


def as_gguf(checkpoint, tokenizer):
    """A checkpoint of llama2.c, version 0, with one matrix for embedding and logits, and its tokenizer, in one file."""
    width, hidden, layers, heads, key_heads, vocabulary, context = struct.unpack_from("<7i", checkpoint)
    pieces, at = [], 4
    while at < len(tokenizer):
        score, length = struct.unpack_from("<fi", tokenizer, at)
        pieces.append((tokenizer[at + 8 : at + 8 + length].decode(), score))
        at += 8 + length
    texts = [text.replace(" ", "\u2581") for text, _ in pieces]
    types = [2, 3, 3] + [6 if text.startswith("<0x") else 1 for text in texts[3:]]
    keys = {
        "general.architecture": "llama",
        "llama.embedding_length": width,
        "llama.feed_forward_length": hidden,
        "llama.block_count": layers,
        "llama.attention.head_count": heads,
        "llama.context_length": context,
        "llama.attention.head_count_kv": key_heads,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": texts,
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.scores": [score for _, score in pieces],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    }
    key_width = width // heads * key_heads
    parts = [
        ("attn_norm", width, 1),
        ("attn_q", width, width),
        ("attn_k", width, key_width),
        ("attn_v", width, key_width),
        ("attn_output", width, width),
        ("ffn_norm", width, 1),
        ("ffn_gate", width, hidden),
        ("ffn_down", hidden, width),
        ("ffn_up", width, hidden),
    ]
    tensors = [("token_embd", width, vocabulary)]
    tensors += [(f"blk.{layer}.{name}", columns, rows) for name, columns, rows in parts for layer in range(layers)]
    tensors.append(("output_norm", width, 1))
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    header += b"".join(text_of(key) + value_of(value) for key, value in keys.items())
    data, at = b"", 28
    for name, columns, rows in tensors:
        dimensions = [columns] if "norm" in name else [columns, rows]
        header += text_of(name + ".weight") + struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions)
        header += struct.pack("<IQ", 0, len(data))
        data += checkpoint[at : at + 4 * columns * rows]
        data += bytes(-len(data) % 32)
        at += 4 * columns * rows
    return header + bytes(-len(header) % 32) + data


class Generation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        folder = Path(cls.room.name)
        (folder / "text").write_text(TEXT * 4)
        cls.files = folder / "model.bin", folder / "model.bin.tokenizer"
        train = ["train", "--network", "llama:16-1-2-24", "--text", folder / "text", "--batch", 4, "--epochs", 3]
        subprocess.run([PROGRAM, *map(str, train), "-o", cls.files[0]], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.room.cleanup()

    def command(self, *options):
        call = [PROGRAM, "generate", "--model", self.files[0], "--tokenizer", self.files[1], "--json", "-", *options]
        return json.loads(subprocess.run(list(map(str, call)), check=True, capture_output=True, text=True).stdout)

    def test_texts_are_those_of_the_command(self):
        model = systole.LanguageModel(*self.files)
        self.assertEqual(model.context, 24)
        for prompt, sampling in (("One", {}), ("", {"temperature": 0.9, "top_p": 0.8, "seed": 7}), ("a" * 20, {})):
            words = [word for name, value in sampling.items() for word in (f"--{name.replace('_', '-')}", value)]
            wanted, seen = self.command("--prompt", prompt, "--tokens", 10, *words), []
            for _ in range(2):  # a model forgets what it has read
                found = model.generate(prompt, 10, progress=seen.append, **sampling)
                self.assertEqual((found.text, found.tokens), (wanted["text"], wanted["tokens"]))
                self.assertEqual((found.ending, found.prompt_tokens), (wanted["ending"], wanted["prompt_tokens"]))
            self.assertEqual("".join(seen), 2 * (prompt + found.text))

    def test_one_file(self):
        checkpoint, tokenizer = (Path(file).read_bytes() for file in self.files)
        path = Path(self.room.name) / "model.gguf"
        path.write_bytes(as_gguf(checkpoint, tokenizer))
        wanted = systole.LanguageModel(*self.files).generate("One hen", 12)
        found = systole.LanguageModel(path).generate("One hen", 12)
        self.assertEqual(
            (found.prompt_tokens, found.tokens, found.text), (wanted.prompt_tokens, wanted.tokens, wanted.text)
        )
        found = systole.LanguageModel(path, self.files[1]).generate("One hen", 12)
        self.assertEqual((found.prompt_tokens, found.tokens), (wanted.prompt_tokens, wanted.tokens))
        with self.assertRaisesRegex(systole.Error, "a checkpoint of llama2.c has no tokens in it: give its tokenizer"):
            systole.LanguageModel(self.files[0])

    def test_several_texts_at_once(self):
        model, seen = systole.LanguageModel(*self.files), ["", ""]

        def tell(text, piece):
            seen[text] += piece

        texts = model.generate(["One", "a" * 20], 10, progress=tell)
        self.assertEqual([text.ending for text in texts], ["tokens", "context"])
        for prompt, text, told in zip(("One", "a" * 20), texts, seen):
            self.assertEqual(model.generate(prompt, 10).tokens, text.tokens)
            self.assertEqual(told, prompt + text.text)

    def test_the_page(self):
        (block,) = code_of(ROOT / "driver/python/README.md", only="Language models")
        block = block.replace("stories.bin", str(self.files[0])).replace('"default", "rtl"', '"tiny", "model"')
        scope = {"systole": systole}
        exec(compile(block, "README.md", "exec"), scope)
        self.assertIn(scope["answer"].ending, ("text", "context"))

    def test_devices(self):
        device = systole.Device("tiny", "model")
        for precision in (None, "mx"):
            wanted = systole.LanguageModel(*self.files, precision=precision).generate("One", 4)
            model = systole.LanguageModel(*self.files, device=device, precision=precision)
            self.assertEqual(model.generate("One", 4).tokens, wanted.tokens)
        texts = []
        threads = [threading.Thread(target=lambda: texts.append(model.generate("One", 4).tokens)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(texts, [wanted.tokens] * 2)

    def test_errors(self):
        model = systole.LanguageModel(*self.files)
        for kind, message, call in (
            (systole.ModelNotFound, "none.bin", lambda: systole.LanguageModel("none.bin", self.files[1])),
            (
                systole.ModelError,
                "the length of token 1 of 259",
                lambda: systole.LanguageModel(self.files[0], self.files[0]),
            ),
            (systole.InvalidType, "give a systole.Device", lambda: systole.LanguageModel(*self.files, device="rtl")),
            (systole.InvalidArgument, "expected 'mx'", lambda: systole.LanguageModel(*self.files, precision="x")),
            (systole.InvalidArgument, "legal are 1 to 24", lambda: systole.LanguageModel(*self.files, context=25)),
            (systole.InvalidArgument, "shorten it", lambda: model.generate("a" * 30)),
            (systole.InvalidArgument, "0 sequences; legal are 1 to 256", lambda: model.generate([])),
            (systole.InvalidArgument, "temperature", lambda: model.generate("a", temperature=-1)),
            (ZeroDivisionError, "", lambda: model.generate("a", 3, progress=lambda piece: 1 / 0)),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(kind, message):
                call()


if __name__ == "__main__":
    unittest.main()
