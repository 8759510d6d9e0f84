/* SPDX-License-Identifier: Apache-2.0
 * Systole from C: devices, their memory, networks from files, runs and what they cost.
 *
 *   systole_device* device = NULL;
 *   systole_network* network = NULL;
 *   if (systole_device_open("default", "model", 0, &device) != SYSTOLE_OK ||
 *       systole_network_load(device, "model.tflite", &network) != SYSTOLE_OK ||
 *       systole_network_run(network, inputs, outputs) != SYSTOLE_OK) {
 *     fprintf(stderr, "%s\n", systole_last_error());
 *   }
 *   systole_network_free(network);
 *   systole_device_close(device);
 *
 * Handles are opaque. A call that can fail gives a status, sets the text of systole_last_error(), and then leaves what
 * it would have written as it was. A null handle, or null where a result belongs, is SYSTOLE_INVALID_ARGUMENT; freeing
 * null does nothing. Buffers and networks keep their device: the order in which things are freed does not matter.
 *
 * A device, with its buffers and networks, is for one thread at a time. Different devices may be used by different
 * threads: of back end "model" side by side, of "rtl" in turns. Link with -lsystole_c. */
#ifndef SYSTOLE_SYSTOLE_H
#define SYSTOLE_SYSTOLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum systole_status {
  SYSTOLE_OK = 0,
  SYSTOLE_INVALID_ARGUMENT = 1, /* a value that is not legal, or does not fit the others */
  SYSTOLE_OUT_OF_RANGE = 2,     /* bytes beyond a buffer, an index beyond a list */
  SYSTOLE_BAD_MODEL = 3,        /* a file that cannot be read, is damaged, or has what is not supported */
  SYSTOLE_FAILURE = 4,          /* device memory is full, a copy failed */
  SYSTOLE_DEVICE_ERROR = 5,     /* the device found an error in a program, and has been reset */
  SYSTOLE_DEVICE_TIMEOUT = 6,   /* nothing moved any more; the device has been reset */
  SYSTOLE_PROGRAM_REFUSED = 7,  /* a program that must deadlock */
  SYSTOLE_SIMULATION_ERROR = 8, /* the simulated hardware broke a rule: the device cannot go on, open another */
  SYSTOLE_NO_HOST_MEMORY = 9,
  SYSTOLE_INTERNAL_ERROR = 10 /* a fault of Systole, not of its caller */
} systole_status;

typedef struct systole_device systole_device;
typedef struct systole_buffer systole_buffer;
typedef struct systole_network systole_network;

/* "0.1.0" */
const char* systole_version(void);
/* "INVALID_ARGUMENT"; "?" for a number that is none. */
const char* systole_status_name(systole_status status);
/* What the last call of this thread that failed said: the thing, its value, what is legal, what to do. "" before the
 * first. Valid until this thread's next call that fails. */
const char* systole_last_error(void);

/* ---- Devices ---- */

/* Opens back end "model", which computes the same but knows no time, or "rtl", in a named configuration: "tiny",
 * "small", "default", "large". memory_bytes: a multiple of 4096, up to 2^32; 0: 2^30. */
systole_status systole_device_open(const char* configuration, const char* backend, uint64_t memory_bytes,
                                   systole_device** device);
void systole_device_close(systole_device* device);
/* Stops what runs and sets the device up as after it was opened; memory keeps its contents. */
systole_status systole_device_reset(systole_device* device);
/* Rows and columns of the array; 0 for null. */
int systole_device_dim(const systole_device* device);

/* ---- Device memory ---- */

systole_status systole_allocate(systole_device* device, uint64_t bytes, systole_buffer** buffer);
void systole_buffer_free(systole_buffer* buffer);
/* A multiple of 64; 0 for null. */
uint64_t systole_buffer_address(const systole_buffer* buffer);
uint64_t systole_buffer_bytes(const systole_buffer* buffer);
/* Copies `bytes` from or to byte `offset` of the buffer. SYSTOLE_OUT_OF_RANGE when they exceed it. */
systole_status systole_write(systole_buffer* buffer, uint64_t offset, const void* host, size_t bytes);
systole_status systole_read(const systole_buffer* buffer, uint64_t offset, void* host, size_t bytes);

/* ---- What runs cost. The functional model has no time: its cycles and beats are 0. ---- */

typedef struct systole_statistics {
  uint64_t cycles;          /* doorbell to interrupt, of all programs together */
  int64_t predicted_cycles; /* by the cost model */
  uint64_t macs;            /* multiply-accumulates that the operators asked for */
  uint64_t commands;        /* instructions */
  uint64_t read_beats;
  uint64_t write_beats;
  double utilization; /* 0 .. 1: macs of what the array could do in these cycles */
} systole_statistics;

/* ---- One operator ---- */

/* sums[m][n] = sum over k of a[m][k] * b[k][n]: a is m x k, b is k x n, all dense and row-major, m, n and k at least 1.
 * `statistics` may be null. */
systole_status systole_matmul(systole_device* device, int m, int n, int k, const int8_t* a, const int8_t* b,
                              int32_t* sums, systole_statistics* statistics);

/* ---- Networks ---- */

typedef enum systole_type {
  SYSTOLE_INT8 = 0,
  SYSTOLE_UINT8 = 1,
  SYSTOLE_INT16 = 2,
  SYSTOLE_UINT16 = 3,
  SYSTOLE_INT32 = 4,
  SYSTOLE_INT64 = 5,
  SYSTOLE_FLOAT32 = 6,
  SYSTOLE_FLOAT64 = 7,
  SYSTOLE_BOOL = 8,
  SYSTOLE_UINT32 = 9,
  SYSTOLE_UINT64 = 10,
  SYSTOLE_FLOAT16 = 11,
  SYSTOLE_BFLOAT16 = 12
} systole_type;

/* An input or output. Pointers are the network's. real = scale * (value - zero_point) where scale is not 0. */
typedef struct systole_tensor {
  const char* name;
  systole_type type;
  size_t rank;
  const int64_t* shape; /* `rank` sizes, each at least 1 */
  size_t bytes;         /* of all elements, dense and row-major */
  float scale;          /* 0: not quantized, or not with one scale */
  int32_t zero_point;
} systole_tensor;

/* A layer, of the last run. Pointers are the network's. */
typedef struct systole_layer {
  const char* name;
  int on_device;      /* 0: the host computed it */
  const char* reason; /* why the host did; "" on the device */
  uint64_t cycles;
  int64_t predicted_cycles;
  uint64_t macs;
} systole_layer;

/* The network of a .tflite or .onnx model, or of a .systole file (`systole compile`), on the device. */
systole_status systole_network_load(systole_device* device, const char* path, systole_network** network);
void systole_network_free(systole_network* network);

size_t systole_network_input_count(const systole_network* network);
size_t systole_network_output_count(const systole_network* network);
systole_status systole_network_input(const systole_network* network, size_t index, systole_tensor* tensor);
systole_status systole_network_output(const systole_network* network, size_t index, systole_tensor* tensor);

/* One sample. inputs[i] holds the bytes of input i, outputs[i] takes those of output i. */
systole_status systole_network_run(systole_network* network, const void* const* inputs, void* const* outputs);

/* Of the last run; all 0 before the first. */
systole_status systole_network_statistics(const systole_network* network, systole_statistics* statistics);
size_t systole_network_layer_count(const systole_network* network);
systole_status systole_network_layer(const systole_network* network, size_t index, systole_layer* layer);

#ifdef __cplusplus
}
#endif

#endif
