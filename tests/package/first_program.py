# SPDX-License-Identifier: Apache-2.0
"""A user's first program in JAX, on the package that PYTHONPATH names."""
import warnings

warnings.simplefilter("error")
import jax
import jax.numpy as jnp

print(jax.devices())
assert str(jax.devices()) == "[systole:0]"
print(jax.jit(lambda x: jnp.tanh(x @ x))(jnp.eye(4)))
