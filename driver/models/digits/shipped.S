// SPDX-License-Identifier: Apache-2.0
// The shipped network and pictures, as bytes inside the program: it works wherever it is copied.
.macro embed name, file
  .global systole_\name\()_begin
  .global systole_\name\()_end
  .balign 8
systole_\name\()_begin:
  .incbin "\file"
systole_\name\()_end:
.endm

  .section .rodata
  embed digits_json, "digits.json"
  embed digits_bin, "digits.bin"
  embed digits_pictures, "pictures-images-idx3-ubyte"
  embed digits_labels, "pictures-labels-idx1-ubyte"
  .section .note.GNU-stack, "", %progbits
