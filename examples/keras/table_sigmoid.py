# SPDX-License-Identifier: Apache-2.0
"""Yes or no from a table of 8 numbers: a network 8-10-1 of sigmoids, trained by Adam on binary cross entropy.

    python table_sigmoid.py
    JAX_PLATFORMS=cpu python table_sigmoid.py
    SYSTOLE_JAX_DEVICE=rtl python table_sigmoid.py --steps 2

The table is made by the program: 768 rows like those of patients, with a label that depends on all columns and on
chance, so that no network is right about more than some 80 % of the rows."""
import running

given = running.options(__doc__, rows=768, epochs=60, batch=16)

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(given.seed)


def table(rows, seed=0):
    """Columns of different means and spreads, and labels of 0 and 1 by a noisy logistic rule."""
    r = np.random.default_rng(seed)
    means = np.array([4, 120, 69, 21, 80, 32, 0.5, 33])
    spreads = np.array([3, 30, 12, 10, 60, 7, 0.3, 11])
    normal = r.normal(size=(rows, 8))
    score = normal @ [0.4, 1.1, -0.2, 0.1, -0.1, 0.7, 0.3, 0.2] - 0.6 + 0.8 * normal[:, 1] * normal[:, 5]
    labels = r.random(rows) < 1 / (1 + np.exp(-2 * score))
    return (means + spreads * normal).astype("float32"), labels.astype("float32")


x, y = table(given.rows)
x = (x - x.mean(axis=0)) / x.std(axis=0)
held_out = max(1, given.rows // 6)
x_train, y_train, x_test, y_test = x[:-held_out], y[:-held_out], x[-held_out:], y[-held_out:]

model = keras.Sequential(
    [
        keras.Input(shape=(8,)),
        layers.Dense(10, activation="sigmoid"),
        layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(0.01), metrics=["accuracy"])
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
    print("rows 0 to 4: %s, labels %s" % (model.predict(x[:5], verbose=0)[:, 0].round(2), y[:5]))
running.digest(model.get_weights())
