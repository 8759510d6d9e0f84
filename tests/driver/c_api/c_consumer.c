/* SPDX-License-Identifier: Apache-2.0
 * The C API, each call of it, right and wrong: c_consumer MODEL BLOCKS. BLOCKS is a network in block floating point
 * with one input, compiled for tiny. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "systole/systole.h"

static int failures = 0;

static void check(int holds, const char* what, int line) {
  if (!holds) {
    printf("line %d: %s; last error: %s\n", line, what, systole_last_error());
    ++failures;
  }
}
#define CHECK(condition) check(condition, #condition, __LINE__)
/* The status, and a word of the text. */
#define FAILS(call, status, word) \
  check((call) == (status) && strstr(systole_last_error(), word) != NULL, #call " is " #status, __LINE__)

static void devices(void) {
  systole_device* device = NULL;
  CHECK(strcmp(systole_version(), "0.0.0") > 0);
  CHECK(strcmp(systole_status_name(SYSTOLE_BAD_MODEL), "BAD_MODEL") == 0);
  CHECK(strcmp(systole_status_name((systole_status)99), "?") == 0);
  CHECK(strcmp(systole_last_error(), "") == 0);
  FAILS(systole_device_open("colossal", "model", 0, &device), SYSTOLE_INVALID_ARGUMENT, "colossal");
  FAILS(systole_device_open("tiny", "fpga", 0, &device), SYSTOLE_INVALID_ARGUMENT, "fpga");
  FAILS(systole_device_open("tiny", "model", 17, &device), SYSTOLE_INVALID_ARGUMENT, "17");
  FAILS(systole_device_open(NULL, "model", 0, &device), SYSTOLE_INVALID_ARGUMENT, "configuration");
  FAILS(systole_device_open("tiny", NULL, 0, &device), SYSTOLE_INVALID_ARGUMENT, "backend");
  FAILS(systole_device_open("tiny", "model", 0, NULL), SYSTOLE_INVALID_ARGUMENT, "device");
  CHECK(device == NULL);
  CHECK(systole_device_open("tiny", "model", 0, &device) == SYSTOLE_OK);
  CHECK(systole_device_dim(device) == 4);
  CHECK(systole_device_reset(device) == SYSTOLE_OK);
  systole_device_close(device);
  systole_device_close(NULL);
  FAILS(systole_device_reset(NULL), SYSTOLE_INVALID_ARGUMENT, "device");
  CHECK(systole_device_dim(NULL) == 0);
}

static void memory(void) {
  systole_device* device = NULL;
  systole_buffer* buffer = NULL;
  unsigned char out[100], in[100];
  size_t i;
  for (i = 0; i < sizeof out; ++i) out[i] = (unsigned char)(i * 7);
  memset(in, 0, sizeof in);
  CHECK(systole_device_open("tiny", "model", 1 << 20, &device) == SYSTOLE_OK);
  CHECK(systole_allocate(device, 128, &buffer) == SYSTOLE_OK);
  CHECK(systole_buffer_bytes(buffer) >= 128 && systole_buffer_address(buffer) % 64 == 0);
  CHECK(systole_write(buffer, 28, out, sizeof out) == SYSTOLE_OK);
  systole_device_close(device); /* the buffer keeps it */
  CHECK(systole_read(buffer, 28, in, sizeof in) == SYSTOLE_OK);
  CHECK(memcmp(in, out, sizeof in) == 0);
  FAILS(systole_write(buffer, 29, out, sizeof out), SYSTOLE_OUT_OF_RANGE, "exceeds");
  FAILS(systole_read(buffer, UINT64_MAX, in, 1), SYSTOLE_OUT_OF_RANGE, "exceeds");
  FAILS(systole_read(buffer, 0, NULL, 1), SYSTOLE_INVALID_ARGUMENT, "host");
  FAILS(systole_write(NULL, 0, out, 1), SYSTOLE_INVALID_ARGUMENT, "buffer");
  systole_buffer_free(buffer);
  systole_buffer_free(NULL);
  CHECK(systole_device_open("tiny", "model", 1 << 20, &device) == SYSTOLE_OK);
  FAILS(systole_allocate(device, UINT64_C(1) << 40, &buffer), SYSTOLE_FAILURE, "device memory");
  FAILS(systole_allocate(device, 1, NULL), SYSTOLE_INVALID_ARGUMENT, "buffer");
  systole_device_close(device);
}

static void products(void) {
  enum { kM = 5, kN = 7, kK = 30 };
  int8_t a[kM * kK], b[kK * kN];
  int32_t sums[kM * kN];
  systole_statistics cost;
  systole_device* device = NULL;
  int i, m, n, k;
  for (i = 0; i < kM * kK; ++i) a[i] = (int8_t)(i * 37 % 255 - 127);
  for (i = 0; i < kK * kN; ++i) b[i] = (int8_t)(i * 59 % 255 - 127);
  CHECK(systole_device_open("tiny", "model", 0, &device) == SYSTOLE_OK);
  CHECK(systole_matmul(device, kM, kN, kK, a, b, sums, &cost) == SYSTOLE_OK);
  CHECK(cost.macs == kM * kN * kK && cost.cycles == 0 && cost.predicted_cycles > 0);
  for (m = 0; m < kM; ++m) {
    for (n = 0; n < kN; ++n) {
      int32_t sum = 0;
      for (k = 0; k < kK; ++k) sum += a[m * kK + k] * b[k * kN + n];
      CHECK(sums[m * kN + n] == sum);
    }
  }
  CHECK(systole_matmul(device, kM, kN, kK, a, b, sums, NULL) == SYSTOLE_OK);
  FAILS(systole_matmul(device, kM, -1, kK, a, b, sums, NULL), SYSTOLE_INVALID_ARGUMENT, "n is -1");
  FAILS(systole_matmul(device, kM, kN, kK, NULL, b, sums, NULL), SYSTOLE_INVALID_ARGUMENT, "a: ");
  FAILS(systole_matmul(device, kM, kN, kK, a, b, NULL, NULL), SYSTOLE_INVALID_ARGUMENT, "sums");
  systole_device_close(device);
}

static void networks(const char* path) {
  systole_device* device = NULL;
  systole_network* network = NULL;
  systole_tensor in, out, none;
  systole_statistics cost;
  systole_layer layer;
  uint64_t macs = 0;
  size_t i;
  CHECK(systole_device_open("default", "model", 0, &device) == SYSTOLE_OK);
  FAILS(systole_network_load(device, "/nowhere.tflite", &network), SYSTOLE_BAD_MODEL, "nowhere");
  FAILS(systole_network_load(device, NULL, &network), SYSTOLE_INVALID_ARGUMENT, "path");
  FAILS(systole_network_load(NULL, path, &network), SYSTOLE_INVALID_ARGUMENT, "device");
  CHECK(systole_network_load(device, path, &network) == SYSTOLE_OK);
  systole_device_close(device); /* the network keeps it */
  if (network == NULL) return;
  CHECK(systole_network_input_count(network) == 1 && systole_network_output_count(network) == 1);
  CHECK(systole_network_input(network, 0, &in) == SYSTOLE_OK && systole_network_output(network, 0, &out) == SYSTOLE_OK);
  CHECK(in.type == SYSTOLE_INT8 && in.rank == 4 && in.shape[1] == 14 && in.bytes == 196 && in.scale > 0);
  CHECK(out.bytes == 10 && strlen(out.name) > 0);
  FAILS(systole_network_input(network, 1, &none), SYSTOLE_OUT_OF_RANGE, "input 1");
  FAILS(systole_network_output(network, 0, NULL), SYSTOLE_INVALID_ARGUMENT, "tensor");
  {
    unsigned char* pixels = calloc(in.bytes, 1);
    unsigned char classes[10];
    const void* inputs[1];
    void* outputs[1];
    inputs[0] = pixels, outputs[0] = classes;
    memset(classes, 0x55, sizeof classes);
    CHECK(systole_network_statistics(network, &cost) == SYSTOLE_OK && cost.macs == 0);
    CHECK(systole_network_run(network, inputs, outputs) == SYSTOLE_OK);
    for (i = 0; i < sizeof classes && classes[i] == 0x55; ++i) {}
    CHECK(i < sizeof classes);
    CHECK(systole_network_reset_state(network) == SYSTOLE_OK);
    FAILS(systole_network_reset_state(NULL), SYSTOLE_INVALID_ARGUMENT, "network");
    FAILS(systole_network_run(network, NULL, outputs), SYSTOLE_INVALID_ARGUMENT, "inputs");
    inputs[0] = NULL;
    FAILS(systole_network_run(network, inputs, outputs), SYSTOLE_INVALID_ARGUMENT, "input");
    free(pixels);
  }
  CHECK(systole_network_statistics(network, &cost) == SYSTOLE_OK && cost.macs > 0 && cost.commands > 0);
  CHECK(systole_network_layer_count(network) > 0);
  for (i = 0; i < systole_network_layer_count(network); ++i) {
    CHECK(systole_network_layer(network, i, &layer) == SYSTOLE_OK && strlen(layer.name) > 0);
    macs += layer.macs;
  }
  CHECK(macs == cost.macs);
  FAILS(systole_network_layer(network, 1000, &layer), SYSTOLE_OUT_OF_RANGE, "layer 1000");
  systole_network_free(network);
  systole_network_free(NULL);
}

/* An infinity among the inputs is told for the run that had it, and for no other. */
static void blocks(const char* path) {
  enum { kMax = 1024 };
  systole_device* device = NULL;
  systole_network* network = NULL;
  systole_tensor in, out;
  systole_statistics cost;
  float numbers[kMax], results[kMax];
  const void* inputs[1];
  void* outputs[1];
  size_t i;
  int run;
  inputs[0] = numbers, outputs[0] = results;
  CHECK(systole_device_open("tiny", "model", 0, &device) == SYSTOLE_OK);
  CHECK(systole_network_load(device, path, &network) == SYSTOLE_OK);
  systole_device_close(device);
  if (network == NULL) return;
  CHECK(systole_network_input(network, 0, &in) == SYSTOLE_OK && systole_network_output(network, 0, &out) == SYSTOLE_OK);
  CHECK(in.bytes <= sizeof numbers && out.bytes <= sizeof results);
  for (run = 0; run < 3; ++run) {
    for (i = 0; i < kMax; ++i) numbers[i] = 0.5F;
    if (run == 1) numbers[0] = HUGE_VALF;
    CHECK(systole_network_run(network, inputs, outputs) == SYSTOLE_OK);
    CHECK(systole_network_statistics(network, &cost) == SYSTOLE_OK && cost.nonfinite == (run == 1));
  }
  systole_network_free(network);
}

int main(int count, char** arguments) {
  devices();
  memory();
  products();
  if (count > 1) networks(arguments[1]);
  if (count > 2) blocks(arguments[2]);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
