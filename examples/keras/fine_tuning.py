# SPDX-License-Identifier: Apache-2.0
"""A trained network learns another task: it has learned the digits 0 to 4, its convolutions are frozen, and a new head
learns the digits 5 to 9 with them.

    python fine_tuning.py --data FOLDER          # MNIST's four files; without --data Keras downloads them
    SYSTOLE_JAX_DEVICE=rtl python fine_tuning.py --random 16 --batch 4 --filters 4 --steps 2"""
import running

given = running.options(__doc__, data=None, random=0, samples=6400, epochs=1, batch=64, filters=16)

import keras
import numpy as np
from keras import layers

import pictures

keras.utils.set_random_seed(given.seed)
(x_train, y_train), (x_test, y_test) = pictures.random(given.random) if given.random else pictures.load(given.data)
x_train, x_test = (np.expand_dims(x.astype("float32") / 255, -1) for x in (x_train, x_test))


def digits(x, y, first, number):
    """Pictures of five digits, which are counted from 0."""
    chosen = (y >= first) & (y < first + 5)
    return x[chosen][:number], y[chosen][:number].astype("int32") - first


features = keras.Sequential(
    [
        keras.Input(shape=(28, 28, 1)),
        layers.Conv2D(given.filters, 3, activation="relu"),
        layers.Conv2D(given.filters, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Flatten(),
    ],
    name="features",
)


def train(first):
    """A new head behind the features, trained to tell five digits."""
    model = keras.Sequential([features, layers.Dense(32, activation="relu"), layers.Dense(5, activation="softmax")])
    model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    x, y = digits(x_train, y_train, first, given.samples)
    model.fit(
        x,
        y,
        batch_size=min(given.batch, len(x)),
        epochs=given.epochs,
        callbacks=running.stop_after(given.steps),
        verbose=0 if given.steps else 2,
    )
    if not given.steps:
        x, y = digits(x_test, y_test, first, 2048)
        loss, accuracy = model.evaluate(x, y, batch_size=256, verbose=0)
        print("digits %d to %d: test loss %.4f, accuracy %.2f %%" % (first, first + 4, loss, 100 * accuracy))
    return model


train(0)
features.trainable = False
before = [np.array(weights) for weights in features.get_weights()]
model = train(5)
same = all((a == b).all() for a, b in zip(before, features.get_weights()))
print(
    "the frozen weights are %s: %s numbers of %s"
    % (
        "the same" if same else "OTHERS",
        format(sum(weights.size for weights in before), ","),
        format(model.count_params(), ","),
    )
)
running.digest(model.get_weights())
raise SystemExit(0 if same else 1)
