/* SPDX-License-Identifier: Apache-2.0
 * The shared library's own file: that the header is C is proven by its compiling here. */
#include "systole/systole.h"

extern int systole_c_is_c;
int systole_c_is_c = sizeof(systole_status) > 0;
