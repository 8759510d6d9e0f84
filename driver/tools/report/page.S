// SPDX-License-Identifier: Apache-2.0
// The parts of the page, as bytes inside the program. The script is several files, one after the other in one scope.
.macro embed name, files:vararg
  .global systole_page_\name\()_begin
  .global systole_page_\name\()_end
systole_page_\name\()_begin:
  .irp file, \files
  .incbin "\file"
  .endr
systole_page_\name\()_end:
.endm

  .section .rodata
  embed html, page.html
  embed style, style.css
  embed script, draw.js, causes.js, roofline.js, memory.js, table.js, comparison.js, main.js
  .section .note.GNU-stack, "", %progbits
