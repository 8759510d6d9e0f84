// SPDX-License-Identifier: Apache-2.0
// The arithmetic has two forms with equal results, which the parameters Recoded and OperandBits select. These are their
// defaults: gates for a chip, operators for an FPGA that has multipliers (TPU_MULTIPLIERS), and operators on words for
// simulation speed. TPU_BLOCK_RAM_BITS is the size from which a memory asks for a block RAM; a design for an FPGA that
// has few of them defines a greater one.
`ifndef TPU_FORMS_SVH
`define TPU_FORMS_SVH

`ifndef TPU_BLOCK_RAM_BITS
`define TPU_BLOCK_RAM_BITS 512
`endif

`ifdef SYNTHESIS
`define TPU_OPERAND_BITS 8
`ifdef TPU_MULTIPLIERS
`define TPU_RECODED 0
`else
`define TPU_RECODED 1
`endif
`else
`define TPU_OPERAND_BITS 32
`define TPU_RECODED 0
`endif

`endif
