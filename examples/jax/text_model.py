# SPDX-License-Identifier: Apache-2.0
"""A model of text in plain JAX: a GPT of a few layers learns the bytes of a text and continues a prompt.

    python text_model.py                         # learns ../../LICENSE
    python text_model.py --file FILE --prompt "The "
    JAX_PLATFORMS=cpu python text_model.py
    SYSTOLE_JAX_DEVICE=rtl python text_model.py --layers 1 --width 16 --context 16 --batch 2 --steps 2"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "keras"))
import running

given = running.options(
    __doc__,
    file=str(HERE.parents[1] / "LICENSE"),
    prompt="You may ",
    updates=200,
    batch=8,
    context=32,
    layers=2,
    width=64,
    heads=4,
    characters=64,
)

import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

text = np.frombuffer(pathlib.Path(given.file).read_bytes(), np.uint8)
letters = np.unique(text)  # the bytes that there are, which the model counts from 0
number_of = np.zeros(256, np.int32)
number_of[letters] = np.arange(len(letters))
text = number_of[text]


def initial(key):
    """The parameters, as a tree of arrays."""

    def matrix(rows, columns):
        nonlocal key
        key, own = jax.random.split(key)
        return jax.random.normal(own, (rows, columns)) / np.sqrt(rows)

    width = given.width
    layer = lambda: {
        "norm": jnp.ones(width),
        "qkv": matrix(width, 3 * width),
        "join": matrix(width, width) / np.sqrt(2 * given.layers),
        "norm2": jnp.ones(width),
        "up": matrix(width, 4 * width),
        "down": matrix(4 * width, width) / np.sqrt(2 * given.layers),
    }
    return {
        "letters": matrix(len(letters), width),
        "places": matrix(given.context, width),
        "layers": [layer() for _ in range(given.layers)],
        "norm": jnp.ones(width),
        "head": matrix(width, len(letters)),
    }


def normalized(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def attention(x, p):
    """Each place looks at those before it."""
    batch, length, width = x.shape
    q, k, v = jnp.split(x @ p["qkv"], 3, axis=-1)
    q, k, v = (t.reshape(batch, length, given.heads, -1).transpose(0, 2, 1, 3) for t in (q, k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // given.heads)
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jax.nn.softmax(scores, axis=-1) @ v
    return mixed.transpose(0, 2, 1, 3).reshape(batch, length, width) @ p["join"]


def logits_of(parameters, x):
    h = parameters["letters"][x] + parameters["places"]
    for p in parameters["layers"]:
        h = h + attention(normalized(h, p["norm"]), p)
        h = h + jax.nn.gelu(normalized(h, p["norm2"]) @ p["up"]) @ p["down"]
    return normalized(h, parameters["norm"]) @ parameters["head"]


def loss_of(parameters, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits_of(parameters, x), y).mean()


optimizer = optax.adamw(3e-3, weight_decay=0.01)


@jax.jit
def update(parameters, state, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
    changes, state = optimizer.update(gradients, state, parameters)
    return optax.apply_updates(parameters, changes), state, loss


@jax.jit
def next_letter(parameters, window, last):
    """The likeliest letter behind the one at place `last` of the window."""
    return jnp.argmax(logits_of(parameters, window[None])[0, last])


def continued(parameters, prompt, number):
    """The prompt and the letters that the model takes to be the likeliest."""
    said = list(number_of[np.frombuffer(prompt.encode(), np.uint8)])
    for _ in range(number):
        seen = said[-given.context :]
        window = np.zeros(given.context, np.int32)
        window[: len(seen)] = seen
        said.append(int(next_letter(parameters, window, len(seen) - 1)))
    return bytes(letters[said]).decode(errors="replace")


parameters = jax.jit(initial)(jax.random.key(given.seed))
state = jax.jit(optimizer.init)(parameters)
rng = np.random.default_rng(given.seed)
updates = given.steps or given.updates
print(
    "%d bytes, %d different; %d parameters"
    % (len(text), len(letters), sum(p.size for p in jax.tree.leaves(parameters)))
)
begun = time.perf_counter()
for number in range(1, updates + 1):
    starts = rng.integers(0, len(text) - given.context, given.batch)
    windows = np.stack([text[at : at + given.context + 1] for at in starts])
    parameters, state, loss = update(parameters, state, windows[:, :-1], windows[:, 1:])
    if given.steps or number % 20 == 0 or number == 1:
        print("step %d: loss %.6f" % (number, loss), flush=True)
    if number == 1:
        loss.block_until_ready()
        begun = time.perf_counter()  # without compilation
    if number == updates:
        loss.block_until_ready()
        running.report()
if updates > 1:
    print("%.3f s for a step" % ((time.perf_counter() - begun) / (updates - 1)))
if not given.steps:
    print(repr(continued(parameters, given.prompt, given.characters)))
running.digest(jax.tree.leaves(parameters))
