# SPDX-License-Identifier: Apache-2.0
"""The delegate by which LiteRT and TensorFlow Lite run networks on the device."""
import os

from systole.errors import Failure


def litert_delegate_path():
    """Path of the library for load_delegate() of LiteRT or TensorFlow Lite:

        load_delegate(systole.litert_delegate_path(), {"device": "rtl"})

    Raises Failure if it has not been built.
    """
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libsystole_delegate.so")
    if not os.path.exists(path):
        raise Failure(f"{path} is not there; scripts/build release systole_delegate builds it")
    return path
