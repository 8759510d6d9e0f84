/* SPDX-License-Identifier: Apache-2.0
 * The only source file of the shared library itself. Compiling it shows that the header is valid C. */
#include "systole/systole.h"

extern int systole_c_is_c;
int systole_c_is_c = sizeof(systole_status) > 0;
