# SPDX-License-Identifier: Apache-2.0
"""Sentences: a small BERT, an encoder of attention and layer normalization, with a softmax over two classes.

    python bert_classifier.py
    JAX_PLATFORMS=cpu python bert_classifier.py
    SYSTOLE_JAX_DEVICE=rtl python bert_classifier.py --sentences 16 --batch 4 --length 8 --width 16 --steps 2

A sentence is a list of numbers of words. Each has one word 1 and one word 2 among others that mean nothing, and the
question is whether word 1 comes first: the encoder has to find both and to compare where they are."""
import running

given = running.options(
    __doc__, sentences=2500, epochs=1, batch=20, length=12, words=32, width=32, heads=4, blocks=2, dropout=0.1
)

import keras
import numpy as np
from keras import layers, ops

keras.utils.set_random_seed(given.seed)


def sentences(number, seed):
    r = np.random.default_rng(seed)
    x = r.integers(3, given.words, (number, given.length), np.int32)
    places = np.argsort(r.random((number, given.length)), axis=1)[:, :2]
    rows = np.arange(number)
    x[rows, places[:, 0]], x[rows, places[:, 1]] = 1, 2
    return x, (places[:, 0] < places[:, 1]).astype("int32")


class Embedding(layers.Layer):
    """What a word is and where it stands, as one vector."""

    def __init__(self, words, length, width):
        super().__init__()
        self.word = layers.Embedding(words, width)
        self.place = layers.Embedding(length, width)
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, x):
        return self.norm(self.word(x) + self.place(ops.arange(x.shape[1])))


def encoder(x):
    """One block: attention, then a network for each place, both added to what they are given."""
    attention = layers.MultiHeadAttention(given.heads, given.width // given.heads, dropout=given.dropout)
    x = layers.LayerNormalization(epsilon=1e-6)(x + layers.Dropout(given.dropout)(attention(x, x)))
    hidden = layers.Dense(4 * given.width, activation="gelu")(x)
    hidden = layers.Dropout(given.dropout)(layers.Dense(given.width)(hidden))
    return layers.LayerNormalization(epsilon=1e-6)(x + hidden)


inputs = keras.Input(shape=(given.length,), dtype="int32")
x = Embedding(given.words, given.length, given.width)(inputs)
for _ in range(given.blocks):
    x = encoder(x)
x = layers.GlobalAveragePooling1D()(x)
outputs = layers.Dense(2, activation="softmax")(x)
model = keras.Model(inputs, outputs)
model.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.AdamW(0.002), metrics=["accuracy"])

x_train, y_train = sentences(given.sentences, given.seed)
x_test, y_test = sentences(512, given.seed + 1)
model.fit(
    x_train,
    y_train,
    batch_size=given.batch,
    epochs=given.epochs,
    callbacks=running.stop_after(given.steps),
    verbose=0 if given.steps else 2,
)
if not given.steps:
    loss, accuracy = model.evaluate(x_test, y_test, batch_size=given.batch, verbose=0)
    print("test: loss %.4f, accuracy %.2f %%" % (loss, 100 * accuracy))
running.digest(model.get_weights())
