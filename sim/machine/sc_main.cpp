// SPDX-License-Identifier: Apache-2.0
// SystemC's library brings a main() that calls sc_main(). The programs here have a main() of their own, and this one is
// reached only when SystemC's was linked in its place.
#include <cstdio>

extern "C" int sc_main(int, char**) {
  std::fputs("no main(): link the library that has it (systole_test_main) before the machine's libraries\n", stderr);
  return 2;
}
