// SPDX-License-Identifier: Apache-2.0
// The public header, by the name that the folder had for it.
#pragma once

#include "systole/execute.hpp"
