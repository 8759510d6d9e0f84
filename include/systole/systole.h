/* SPDX-License-Identifier: Apache-2.0
 * The C API of Systole: devices, their memory, networks from files, runs and their statistics.
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
 * Handles are opaque. A function that can fail returns a status. If it fails, it sets the text of systole_last_error()
 * and does not change its output parameters. A null handle or output parameter is SYSTOLE_INVALID_ARGUMENT; freeing
 * null does nothing. Buffers and networks hold a reference to their device, so they may be freed in any order.
 *
 * A device, with its buffers and networks, must be used by one thread at a time. Different threads may use different
 * devices: those of back end "model" run in parallel, those of "rtl" one after the other. Link with -lsystole_c. */
#ifndef SYSTOLE_SYSTOLE_H
#define SYSTOLE_SYSTOLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum systole_status {
  SYSTOLE_OK = 0,
  SYSTOLE_INVALID_ARGUMENT = 1, /* an argument is illegal or does not fit the others */
  SYSTOLE_OUT_OF_RANGE = 2,     /* bytes beyond the end of a buffer, or an index out of range */
  SYSTOLE_BAD_MODEL = 3,        /* a file cannot be read, is damaged, or contains something unsupported */
  SYSTOLE_FAILURE = 4,          /* device memory is full, or a copy failed */
  SYSTOLE_DEVICE_ERROR = 5,     /* the device reported an error in a program, and has been reset */
  SYSTOLE_DEVICE_TIMEOUT = 6,   /* the device hung, and has been reset */
  SYSTOLE_PROGRAM_REFUSED = 7,  /* the program would deadlock */
  SYSTOLE_SIMULATION_ERROR = 8, /* an assertion of the simulated hardware failed: close the device and open another */
  SYSTOLE_NO_HOST_MEMORY = 9,
  SYSTOLE_INTERNAL_ERROR = 10 /* a bug in Systole, not an error of the caller */
} systole_status;

typedef struct systole_device systole_device;
typedef struct systole_buffer systole_buffer;
typedef struct systole_network systole_network;

/* The version, such as "0.1.0". */
const char* systole_version(void);
/* The name of a status, such as "INVALID_ARGUMENT"; "?" for an unknown number. */
const char* systole_status_name(systole_status status);
/* The text of the last error of this thread: the thing, its value, the legal range, a remedy. "" if there was none.
 * Valid until the next error of this thread. */
const char* systole_last_error(void);

/* ---- Devices ---- */

/* Opens back end "rtl", or "model", which computes the same results but has no cycle counts. The configuration is
 * "tiny", "small", "default" or "large"; memory_bytes is a multiple of 4096 up to 2^32, or 0 for 2^30. */
systole_status systole_device_open(const char* configuration, const char* backend, uint64_t memory_bytes,
                                   systole_device** device);
void systole_device_close(systole_device* device);
/* Stops a running program and sets the device up as after it was opened. Device memory keeps its contents. */
systole_status systole_device_reset(systole_device* device);
/* The number of rows and of columns of the array; 0 for null. */
int systole_device_dim(const systole_device* device);

/* ---- Device memory ---- */

systole_status systole_allocate(systole_device* device, uint64_t bytes, systole_buffer** buffer);
void systole_buffer_free(systole_buffer* buffer);
/* The device address, a multiple of 64; 0 for null. */
uint64_t systole_buffer_address(const systole_buffer* buffer);
uint64_t systole_buffer_bytes(const systole_buffer* buffer);
/* Copies `bytes` bytes to or from byte `offset` of the buffer. SYSTOLE_OUT_OF_RANGE if they exceed the buffer. */
systole_status systole_write(systole_buffer* buffer, uint64_t offset, const void* host, size_t bytes);
systole_status systole_read(const systole_buffer* buffer, uint64_t offset, void* host, size_t bytes);

/* ---- Statistics of runs. On back end "model", cycles and beats are 0. ---- */

typedef struct systole_statistics {
  uint64_t cycles;          /* from doorbell to interrupt, the sum of all programs */
  int64_t predicted_cycles; /* cycles by the cost model */
  uint64_t macs;            /* multiply-accumulates that the operators need */
  uint64_t commands;        /* executed instructions */
  uint64_t read_beats;
  uint64_t write_beats;
  double utilization; /* macs / (cycles * dim * dim) */
  int nonfinite;      /* 1: an infinity or a NaN was in a block of block floating point that a layer stored */
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

/* An input or output. The network owns the pointers. If scale is not 0, real = scale * (value - zero_point). */
typedef struct systole_tensor {
  const char* name;
  systole_type type;
  size_t rank;
  const int64_t* shape; /* `rank` dimensions, each at least 1 */
  size_t bytes;         /* size of all elements, dense and row-major */
  float scale;          /* 0: not quantized, or quantized per channel */
  int32_t zero_point;
} systole_tensor;

/* A layer, with statistics of the last run. The network owns the pointers. */
typedef struct systole_layer {
  const char* name;
  int on_device;      /* 0: the host computed it */
  const char* reason; /* why the host computed it; "" on the device */
  uint64_t cycles;
  int64_t predicted_cycles;
  uint64_t macs;
} systole_layer;

/* Loads a .tflite or .onnx model, or a .systole file (written by `systole compile`), to the device. */
systole_status systole_network_load(systole_device* device, const char* path, systole_network** network);
void systole_network_free(systole_network* network);

size_t systole_network_input_count(const systole_network* network);
size_t systole_network_output_count(const systole_network* network);
systole_status systole_network_input(const systole_network* network, size_t index, systole_tensor* tensor);
systole_status systole_network_output(const systole_network* network, size_t index, systole_tensor* tensor);

/* Runs one sample. inputs[i] points to the bytes of input i; the bytes of output i are written to outputs[i]. What the
 * pointers point to cannot be checked; systole_network_run_arrays() checks what its arrays say of themselves. A
 * network with variables keeps them from run to run. */
systole_status systole_network_run(systole_network* network, const void* const* inputs, void* const* outputs);
/* The next run begins with the variables of a network that never ran. */
systole_status systole_network_reset_state(systole_network* network);

/* Dense row-major elements, and what they are. */
typedef struct systole_array {
  systole_type type;
  size_t rank;
  const int64_t* shape;
  size_t bytes; /* those that `data` points to */
  void* data;   /* of an input, they are only read */
} systole_array;

/* The same, one array for each input and each output. SYSTOLE_INVALID_ARGUMENT if number, type, shape or bytes are not
 * those of the network. */
systole_status systole_network_run_arrays(systole_network* network, const systole_array* inputs, size_t input_count,
                                          const systole_array* outputs, size_t output_count);

/* Statistics of the last run; all 0 before the first. */
systole_status systole_network_statistics(const systole_network* network, systole_statistics* statistics);
size_t systole_network_layer_count(const systole_network* network);
systole_status systole_network_layer(const systole_network* network, size_t index, systole_layer* layer);

#ifdef __cplusplus
}
#endif

#endif
