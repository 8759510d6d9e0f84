/* SPDX-License-Identifier: Apache-2.0
 * A network from a file on the device, from C: run_model MODEL [BACKEND]
 *
 * cc run_model.c -I PREFIX/include -L PREFIX/lib -lsystole_c -Wl,-rpath,PREFIX/lib */
#include <stdio.h>
#include <stdlib.h>

#include "systole/systole.h"

static int fail(void) {
  fprintf(stderr, "run_model: %s\n", systole_last_error());
  return 2;
}

/* Memory for every input, or output. Values do not matter here, but for their being the same in every run. */
static void** memory(const systole_network* network, size_t count,
                     systole_status (*tell)(const systole_network*, size_t, systole_tensor*)) {
  void** all = calloc(count, sizeof *all);
  for (size_t i = 0; all != NULL && i < count; ++i) {
    systole_tensor tensor;
    if (tell(network, i, &tensor) != SYSTOLE_OK || (all[i] = malloc(tensor.bytes)) == NULL) return NULL;
    for (size_t byte = 0; byte < tensor.bytes; ++byte) ((unsigned char*)all[i])[byte] = (unsigned char)(byte % 120);
  }
  return all;
}

static void release(void** all, size_t count) {
  for (size_t i = 0; i < count; ++i) free(all[i]);
  free(all);
}

int main(int count, char** arguments) {
  const char* backend = count > 2 ? arguments[2] : "model";
  systole_device* device = NULL;
  systole_network* network = NULL;
  if (count < 2) {
    fprintf(stderr, "run_model MODEL [BACKEND]\n");
    return 2;
  }
  if (systole_device_open("default", backend, 0, &device) != SYSTOLE_OK) return fail();
  if (systole_network_load(device, arguments[1], &network) != SYSTOLE_OK) return fail();

  const size_t ins = systole_network_input_count(network), outs = systole_network_output_count(network);
  void** inputs = memory(network, ins, systole_network_input);
  void** outputs = memory(network, outs, systole_network_output);
  if (inputs == NULL || outputs == NULL) return 2;
  if (systole_network_run(network, (const void* const*)inputs, outputs) != SYSTOLE_OK) return fail();

  systole_statistics cost;
  if (systole_network_statistics(network, &cost) != SYSTOLE_OK) return fail();
  for (size_t i = 0; i < systole_network_layer_count(network); ++i) {
    systole_layer layer;
    if (systole_network_layer(network, i, &layer) != SYSTOLE_OK) return fail();
    printf("  %-22s %9llu MACs %6llu cycles %s\n", layer.name, (unsigned long long)layer.macs,
           (unsigned long long)layer.cycles, layer.on_device ? "" : layer.reason);
  }
  printf("%llu multiply-accumulates in %llu cycles on %s\n", (unsigned long long)cost.macs,
         (unsigned long long)cost.cycles, backend);

  release(inputs, ins);
  release(outputs, outs);
  systole_network_free(network);
  systole_device_close(device);
  return 0;
}
