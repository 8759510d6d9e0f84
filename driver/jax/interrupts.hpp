// SPDX-License-Identifier: Apache-2.0
// Ctrl-C ends the work of the devices. Python raises KeyboardInterrupt in the thread that waits for a result, but work
// goes on in other threads, and with it all that waits behind it.
#pragma once

namespace systole::pjrt {

/// Counts the interrupts from now on, if Python handles them. May be called again: whoever set another handler since
/// then is called, too.
void watch_interrupts();

/// How many there have been.
int interrupts();

}  // namespace systole::pjrt
