# SPDX-License-Identifier: Apache-2.0
"""Handwritten digits: two convolutions with pools, dropout and a softmax, trained by Adam at a rate that falls to 0,
with checkpoints, early stopping and TensorBoard.

    python mnist_cnn.py --data FOLDER            # MNIST's four files; without --data Keras downloads them
    python mnist_cnn.py --data FOLDER --epochs 2
    SYSTOLE_JAX_DEVICE=rtl python mnist_cnn.py --random 64 --steps 2"""
import running

given = running.options(__doc__, data=None, random=0, epochs=12, batch=128, out="out")

import math
import pathlib

import keras
import numpy as np
from keras import layers

import pictures

keras.utils.set_random_seed(given.seed)
(x_train, y_train), (x_test, y_test) = pictures.random(given.random) if given.random else pictures.load(given.data)
x_train, x_test = (np.expand_dims(x.astype("float32") / 255, -1) for x in (x_train, x_test))
y_train, y_test = (keras.utils.to_categorical(y, 10) for y in (y_train, y_test))

model = keras.Sequential(
    [
        keras.Input(shape=(28, 28, 1)),
        layers.Conv2D(32, kernel_size=(3, 3), activation="relu"),
        layers.MaxPooling2D(pool_size=(2, 2)),
        layers.Conv2D(64, kernel_size=(3, 3), activation="relu"),
        layers.MaxPooling2D(pool_size=(2, 2)),
        layers.Flatten(),
        layers.Dropout(0.5),
        layers.Dense(10, activation="softmax"),
    ]
)
held_out = max(1, len(x_train) // 10)
batch = min(given.batch, len(x_train) - held_out)
steps = given.epochs * math.ceil((len(x_train) - held_out) / batch)
optimizer = keras.optimizers.Adam(keras.optimizers.schedules.PolynomialDecay(0.004, steps, 0))
model.compile(loss="categorical_crossentropy", optimizer=optimizer, metrics=["accuracy"])

folder = pathlib.Path(given.out)
callbacks = running.stop_after(given.steps) + [
    keras.callbacks.ModelCheckpoint(folder / "best.keras", monitor="val_loss", save_best_only=True),
    keras.callbacks.EarlyStopping(monitor="val_loss", patience=2, restore_best_weights=True),
    keras.callbacks.TensorBoard(log_dir=folder / "logs"),
]
model.fit(
    x_train[:-held_out],
    y_train[:-held_out],
    batch_size=batch,
    epochs=given.epochs,
    validation_data=(x_train[-held_out:], y_train[-held_out:]),
    callbacks=callbacks,
    verbose=2,
)
if not given.steps:
    loss, accuracy = model.evaluate(x_test, y_test, batch_size=given.batch, verbose=0)
    print("test: loss %.4f, accuracy %.2f %%" % (loss, 100 * accuracy))
running.digest(model.get_weights())
