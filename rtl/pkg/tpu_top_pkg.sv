// SPDX-License-Identifier: Apache-2.0
// Constants that follow from the parameters of the core.
package tpu_top_pkg;
  // The parts of a core as a set, by tpu_pkg::PART_*; each of the values is 0 or 1.
  function automatic logic [tpu_pkg::PARTS-1:0] parts(input int vector_processor, input int block_float,
                                                      input int depthwise, input int turning_loads,
                                                      input int cause_counters);
    parts                                 = '0;
    parts[tpu_pkg::PART_VECTOR_PROCESSOR] = vector_processor != 0;
    parts[tpu_pkg::PART_BLOCK_FLOAT]      = block_float != 0;
    parts[tpu_pkg::PART_DEPTHWISE]        = depthwise != 0;
    parts[tpu_pkg::PART_TURNING_LOADS]    = turning_loads != 0;
    parts[tpu_pkg::PART_CAUSE_COUNTERS]   = cause_counters != 0;
  endfunction

  function automatic int larger(input int a, input int b);
    return a > b ? a : b;
  endfunction

  // Rows of the deepest memory, which clearing takes as many cycles as; banks count by themselves. It is the same
  // whether or not parts are left out. A row of kernels is a word at least. The table of 256 bytes shares the RAM of
  // words; registers have fewer rows.
  function automatic int clear_rows(input int dim, input int scratch_rows, input int weight_rows, input int acc_rows,
                                    input int param_rows);
    int scratch, kernels, tables;
    scratch = larger(scratch_rows / 8, scratch_rows / (dim < 16 ? dim : 16));  // a bank, or the exponents
    kernels = 8 * tpu_kernel_pkg::MEMORY_WORDS / larger(dim, 8);
    tables  = tpu_kernel_pkg::TABLE_WORDS + 64;
    return larger(larger(larger(weight_rows, param_rows), larger(scratch, acc_rows / 2)), larger(kernels, tables));
  endfunction
endpackage
