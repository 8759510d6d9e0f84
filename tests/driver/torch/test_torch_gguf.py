# SPDX-License-Identifier: Apache-2.0
"""Language models of transformers in GGUF files, written by the package gguf: the same tokens. Texts become the tokens
that SentencePiece and tokenizers say."""

import functools
import io
import json
import pathlib
import tempfile
import unittest

import gguf
import numpy as np
import sentencepiece
import tokenizers
import torch
import transformers

from sentencepiece import sentencepiece_model_pb2
from tokenizers import decoders, models, pre_tokenizers, trainers

import systole

torch.set_num_threads(1)  # products are small

SIZES = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}
VOCABULARY, BEGIN, END = 400, 1, 2
TYPES = {
    "float32": gguf.GGMLQuantizationType.F32,
    "float16": gguf.GGMLQuantizationType.F16,
    "bfloat16": gguf.GGMLQuantizationType.BF16,
    "groups of 8 bits": gguf.GGMLQuantizationType.Q8_0,
}
TOKENS = 24

WORDS = [
    "once",
    "upon",
    "a",
    "time",
    "there",
    "was",
    "little",
    "systole",
    "árbol",
    "größe",
    "naïve",
    "東京",
    "10",
    "3.5",
    "don't",
    "x=y",
    "<tag>",
    "end.",
]


def words(random, count):
    return " ".join(random.choice(WORDS) for _ in range(count))


def random_text(random):
    """Words, spaces in a row, single characters of many kinds, and texts that look like tokens."""
    parts = [
        *WORDS,
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\u00A0",
        "\u2003",
        "\u3000",
        "\u0085",
        "\x1C",
        "é",
        "Ω",
        "한",
        "ß",
        "🙂",
        "\u2581",
        "<s>",
        "</s>",
        "<unk>",
        "<0x41>",
        "<user>",
        "<us",
        "<|end|>",
        "!",
        "?!",
        "0",
        "1234567",
        "½",
        "²",
        "Ⅷ",
        "٣",
        "\x00",
        "e\u0301",
        "\u200D",
        "zzzz",
        "'s",
        "'S",
        "'re",
        "'VE",
        "'\u017F",
        "'l",
        "'ll",
        "''d",
        "I'm",
        "_a",
    ]
    return "".join(random.choice(parts) + random.choice(["", "", " "]) for _ in range(random.integers(1, 24)))


def trained_pieces():
    """A SentencePiece model of byte pairs, with bytes for characters that it does not know, as Llama 2 has."""
    random = np.random.default_rng(1)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([words(random, 12) for _ in range(500)]),
        model_writer=model,
        model_type="bpe",
        vocab_size=VOCABULARY,
        byte_fallback=True,
        character_coverage=0.99,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        user_defined_symbols=["<user>"],
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def made_model(tied, vocabulary=VOCABULARY):
    torch.manual_seed(5)
    config = transformers.LlamaConfig(
        **SIZES,
        vocab_size=vocabulary,
        rms_norm_eps=1e-6,
        tie_word_embeddings=tied,
        initializer_range=0.15,
        rope_parameters={"rope_type": "default", "rope_theta": 700.0},
        bos_token_id=BEGIN,
        eos_token_id=END,
        pad_token_id=0,
    )
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "norm" in name:  # which are all 1 at first
                weights.uniform_(0.5, 1.5)
    return model


def neighbours(weights, heads):
    """Rows of queries or keys in the order of GGUF. transformers rotates row i of a head with row i + half; these two
    become neighbours: row 2 i + part of a head is its row i + part * half."""
    rows = len(weights)
    head = rows // heads
    order = [
        first + pair + part * (head // 2)
        for first in range(0, rows, head)
        for pair in range(head // 2)
        for part in (0, 1)
    ]
    return weights[order]


def tensors_of(model, permute=True):
    """By their names in GGUF: the weights, and in whose place of the model's they are."""
    names = {
        "input_layernorm": "attn_norm",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "post_attention_layernorm": "ffn_norm",
        "mlp.gate_proj": "ffn_gate",
        "mlp.down_proj": "ffn_down",
        "mlp.up_proj": "ffn_up",
    }
    heads = {"attn_q": SIZES["num_attention_heads"], "attn_k": SIZES["num_key_value_heads"]}
    tensors = {"token_embd.weight": model.model.embed_tokens.weight, "output_norm.weight": model.model.norm.weight}
    if not model.config.tie_word_embeddings:
        tensors["output.weight"] = model.lm_head.weight
    for i, layer in enumerate(model.model.layers):
        for theirs, ours in names.items():
            tensors[f"blk.{i}.{ours}.weight"] = layer.get_submodule(theirs).weight
    arrays = {name: weights.detach().numpy() for name, weights in tensors.items()}
    for name in arrays if permute else ():
        kind = name.split(".")[-2]
        if kind in heads:
            arrays[name] = neighbours(arrays[name], heads[kind])
    return arrays


def write_model(path, model, kind, add_tokens, permute=True):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(SIZES["num_hidden_layers"])
    writer.add_context_length(SIZES["max_position_embeddings"])
    writer.add_embedding_length(SIZES["hidden_size"])
    writer.add_feed_forward_length(SIZES["intermediate_size"])
    writer.add_head_count(SIZES["num_attention_heads"])
    writer.add_head_count_kv(SIZES["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(700.0)
    writer.add_rope_dimension_count(SIZES["hidden_size"] // SIZES["num_attention_heads"])
    writer.add_vocab_size(model.config.vocab_size)
    add_tokens(writer)
    for name, weights in tensors_of(model, permute).items():
        # Vectors stay float32, as llama.cpp's converter leaves them.
        of_tensor = TYPES["float32"] if weights.ndim == 1 else kind
        writer.add_tensor(name, gguf.quants.quantize(weights, of_tensor), raw_dtype=of_tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def rounded(model, kind):
    """The model with the numbers that the file holds, as the package gguf reads them."""
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim > 1:
                stored = gguf.quants.quantize(weights.numpy(), kind)
                weights.copy_(torch.from_numpy(gguf.quants.dequantize(stored, kind).reshape(weights.shape)))
    return model


def add_pieces(writer, pieces):
    kinds = [
        (pieces.is_unknown, gguf.TokenType.UNKNOWN),
        (pieces.is_control, gguf.TokenType.CONTROL),
        (pieces.is_byte, gguf.TokenType.BYTE),
        (pieces.is_unused, gguf.TokenType.UNUSED),
    ]
    tokens = range(pieces.get_piece_size())
    types = [next((kind for check, kind in kinds if check(token)), gguf.TokenType.NORMAL) for token in tokens]
    types[pieces.piece_to_id("<user>")] = gguf.TokenType.USER_DEFINED
    writer.add_tokenizer_model("llama")
    writer.add_token_list([pieces.id_to_piece(token) for token in tokens])
    writer.add_token_scores([pieces.get_score(token) for token in tokens])
    writer.add_token_types(types)
    writer.add_bos_token_id(BEGIN)
    writer.add_eos_token_id(END)
    writer.add_add_bos_token(True)


LLAMA3_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def word_rules(name):
    """How tokenizers cuts texts into words, and whether a word that is a token is taken as it is."""
    bytes_of = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=name != "llama-bpe")
    if name == "smollm":
        return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), bytes_of]), False
    if name == "llama-bpe":
        words = pre_tokenizers.Split(tokenizers.Regex(LLAMA3_WORDS), behavior="isolated")
        return pre_tokenizers.Sequence([words, bytes_of]), True
    return bytes_of, False


def trained_byte_pairs(name):
    random = np.random.default_rng(6)
    words, whole = word_rules(name)
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = words
    trainer = trainers.BpeTrainer(
        vocab_size=500, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([random_text(random) for _ in range(2000)], trainer)
    # A long token that no pairs give.
    vocabulary = tokenizer.get_vocab()
    vocabulary["qwqw"] = len(vocabulary)
    model = json.loads(tokenizer.to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    made = tokenizers.Tokenizer(models.BPE(vocabulary, merges, ignore_merges=whole))
    made.pre_tokenizer, made.decoder = words, decoders.ByteLevel()
    made.add_tokens([tokenizers.AddedToken("<user>", normalized=False)])
    return made, merges


def add_byte_pairs(writer, name, tokenizer, merges):
    """With two tokens more, which stand for no text."""
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    texts = [text for text, _ in vocabulary] + ["<|begin|>", "<|end|>"]
    types = [gguf.TokenType.USER_DEFINED if text == "<user>" else gguf.TokenType.NORMAL for text, _ in vocabulary]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(name)
    writer.add_token_list(texts)
    writer.add_token_types(types + [gguf.TokenType.CONTROL] * 2)
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_bos_token_id(len(texts) - 2)
    writer.add_eos_token_id(len(texts) - 1)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.pieces = trained_pieces()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def file(self, model, kind, permute=True):
        path = pathlib.Path(self.folder.name) / "model.gguf"
        write_model(path, model, kind, lambda writer: add_pieces(writer, self.pieces), permute)
        return path

    def prompts(self):
        random = np.random.default_rng(2)
        return ["", "a", *(words(random, count) for count in (2, 7, 16))]

    def expected(self, model, prompt, count=TOKENS):
        """The tokens of transformers, without the one that ends a text."""
        given = torch.tensor([[BEGIN, *self.pieces.encode(prompt)]])
        with torch.no_grad():
            tokens = model.generate(given, attention_mask=torch.ones_like(given), max_new_tokens=count, do_sample=False)
        return [token for token in tokens[0, given.shape[1] :].tolist() if token != END]


class TokensOfTransformers(Case):
    def test_greedy(self):
        for tied in (True, False):
            for name, kind in TYPES.items():
                model = made_model(tied)
                ours = systole.LanguageModel(self.file(model, kind))
                rounded(model, kind)
                for prompt in self.prompts():
                    with self.subTest(tied=tied, type=name, prompt=prompt):
                        text = ours.generate(prompt, TOKENS)
                        self.assertEqual(text.prompt_tokens, [BEGIN, *self.pieces.encode(prompt)])
                        self.assertEqual(text.tokens, self.expected(model, prompt))
                        self.assertGreater(len(set(text.tokens)), 3)

    def test_other_row_order_is_seen(self):
        """A file whose queries and keys have the order of transformers gives another text."""
        model = made_model(tied=True)
        ours = systole.LanguageModel(self.file(model, TYPES["float32"], permute=False))
        wanted = [self.expected(model, prompt) for prompt in self.prompts()]
        self.assertNotEqual([ours.generate(prompt, TOKENS).tokens for prompt in self.prompts()], wanted)

    def test_on_the_functional_model(self):
        model = made_model(tied=False)
        path = self.file(model, TYPES["groups of 8 bits"])
        rounded(model, TYPES["groups of 8 bits"])
        device = systole.Device("tiny", "model")
        ours = systole.LanguageModel(path, device=device, context=64)
        for prompt in self.prompts()[1:3]:
            self.assertEqual(ours.generate(prompt, 8).tokens, self.expected(model, prompt, 8))
        blocks = systole.LanguageModel(path, device=device, context=64, precision="mx")
        random = np.random.default_rng(3)
        prompts = [words(random, count % 12 + 1) for count in range(40)]
        same = sum(blocks.generate(prompt, 1).tokens == self.expected(model, prompt, 1) for prompt in prompts)
        print(f"products in blocks: {same} of {len(prompts)} most probable tokens are those of transformers")
        self.assertGreaterEqual(same, 0.8 * len(prompts))

    def test_other_types_are_named(self):
        path = self.file(made_model(tied=True), gguf.GGMLQuantizationType.Q4_0)
        with self.assertRaisesRegex(systole.Error, r"is of type 2, Q4_0; legal are F32, F16, BF16 and Q8_0: convert"):
            systole.LanguageModel(path)


class TokensOfSentencePiece(Case):
    def compare(self):
        ours = systole.LanguageModel(self.file(made_model(tied=True), TYPES["float32"]))
        random = np.random.default_rng(4)
        for text in ["<user>a", "a <user><user> b", *(random_text(random) for _ in range(3000))]:
            self.assertEqual(ours.generate(text, 0).prompt_tokens, [BEGIN, *self.pieces.encode(text)], repr(text))

    def test_texts(self):
        self.compare()

    def test_unused_pieces(self):
        """Of every fifth piece, larger ones are made, but it is in no text."""
        model = sentencepiece_model_pb2.ModelProto.FromString(self.pieces.serialized_model_proto())
        some = [piece for piece in model.pieces if piece.type == piece.NORMAL and len(piece.piece) > 1][::5]
        for piece in some:
            piece.type = piece.UNUSED
        whole = self.pieces
        type(self).pieces = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
        self.addCleanup(setattr, type(self), "pieces", whole)
        self.assertNotEqual(self.pieces.encode(WORDS), whole.encode(WORDS))
        self.compare()


class TokensOfBytePairs(unittest.TestCase):
    def test_texts(self):
        for name in ("gpt-2", "smollm", "llama-bpe"):
            tokenizer, merges = trained_byte_pairs(name)
            size = tokenizer.get_vocab_size() + 2
            begin = [size - 2] if name == "llama-bpe" else []
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "model.gguf"
                write_model(
                    path,
                    made_model(tied=True, vocabulary=size),
                    TYPES["float32"],
                    functools.partial(add_byte_pairs, name=name, tokenizer=tokenizer, merges=merges),
                )
                ours = systole.LanguageModel(path)
                random = np.random.default_rng(7)
                for text in ["qwqw qwqwq", *(random_text(random) for _ in range(3000))]:
                    expected = begin + tokenizer.encode(text).ids
                    self.assertEqual(ours.generate(text, 0).prompt_tokens, expected, repr(text))
                self.assertEqual(ours.generate("", 0).prompt_tokens, [size - 2])
                # What it writes is what these tokens are.
                text = ours.generate("once", 12)
                self.assertEqual(text.text, tokenizer.decode(text.tokens))


if __name__ == "__main__":
    unittest.main()
