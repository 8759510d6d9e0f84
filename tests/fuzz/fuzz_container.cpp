// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the tables of a network file, after a header with a correct checksum: a network, or a
// ContainerError.
#include <algorithm>

#include <nlohmann/json.hpp>
#include "container_file.hpp"

#include "graph_listing.hpp"
#include "systole/configurations.hpp"
#include "systole/container.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  try {
    const container::Container contents(container::with_header(data, size));
    graph::to_json(contents.graph());
    const std::vector<Configuration>& known = configurations();
    const auto wanted = std::find_if(known.begin(), known.end(),
                                     [&](const Configuration& c) { return c.name == contents.configuration(); });
    contents.network(wanted == known.end() ? known.front() : *wanted);
  } catch (const container::ContainerError&) {}
  return 0;
}
