# SPDX-License-Identifier: Apache-2.0
"""Sequences: an LSTM reads a picture of a digit row by row, from the top, and says at the end which digit it was.

    python lstm_sequences.py --data FOLDER       # MNIST's four files; without --data Keras downloads them
    python lstm_sequences.py --data FOLDER --samples 60000
    SYSTOLE_JAX_DEVICE=rtl python lstm_sequences.py --random 16 --batch 8 --units 16 --steps 2"""
import running

given = running.options(__doc__, data=None, random=0, samples=6400, epochs=1, batch=32, units=32)

import keras
from keras import layers

import pictures

keras.utils.set_random_seed(given.seed)
(x_train, y_train), (x_test, y_test) = pictures.random(given.random) if given.random else pictures.load(given.data)
x_train, y_train = x_train[: given.samples], y_train[: given.samples]
x_train, x_test = (x.astype("float32") / 255 for x in (x_train, x_test))  # 28 steps of 28 numbers

model = keras.Sequential(
    [
        keras.Input(shape=(28, 28)),
        layers.LSTM(given.units),
        layers.Dense(10),
    ]
)
model.compile(
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    optimizer=keras.optimizers.Adam(0.01),
    metrics=["accuracy"],
)
model.fit(
    x_train,
    y_train,
    batch_size=given.batch,
    epochs=given.epochs,
    callbacks=running.stop_after(given.steps),
    verbose=0 if given.steps else 2,
)
if not given.steps:
    loss, accuracy = model.evaluate(x_test[:2048], y_test[:2048], batch_size=256, verbose=0)
    print("test: loss %.4f, accuracy %.2f %%" % (loss, 100 * accuracy))
running.digest(model.get_weights())
