# SPDX-License-Identifier: Apache-2.0
"""systole.LanguageModel gives the texts of `systole generate`.

  test_generation.py PROGRAM"""

import json
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
            (systole.InvalidArgument, "temperature", lambda: model.generate("a", temperature=-1)),
            (ZeroDivisionError, "", lambda: model.generate("a", 3, progress=lambda piece: 1 / 0)),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(kind, message):
                call()


if __name__ == "__main__":
    unittest.main()
