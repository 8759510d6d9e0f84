// SPDX-License-Identifier: Apache-2.0
#include "profile_space.hpp"

#include <fmt/core.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "systole/errors.hpp"

namespace systole::pjrt {
namespace {

namespace pb = google::protobuf;
using Json = nlohmann::ordered_json;
using Proto = pb::FieldDescriptorProto;

/// A field of a message.
struct Field {
  const char* message;
  const char* name;
  int number;
  Proto::Type type;
  const char* of = "";  ///< a message, of which there are several
};

/// The fields of XLA's xplane.proto that this file writes. Protobuf encodes a map as a list of entries.
constexpr Field kFields[] = {
    {"XSpace", "planes", 1, Proto::TYPE_MESSAGE, "XPlane"},
    {"XPlane", "id", 1, Proto::TYPE_INT64},
    {"XPlane", "name", 2, Proto::TYPE_STRING},
    {"XPlane", "lines", 3, Proto::TYPE_MESSAGE, "XLine"},
    {"XPlane", "event_metadata", 4, Proto::TYPE_MESSAGE, "Entry"},
    {"XPlane", "stat_metadata", 5, Proto::TYPE_MESSAGE, "Entry"},
    {"Entry", "key", 1, Proto::TYPE_INT64},
    {"Entry", "value", 2, Proto::TYPE_MESSAGE, "Metadata"},
    {"Metadata", "id", 1, Proto::TYPE_INT64},
    {"Metadata", "name", 2, Proto::TYPE_STRING},
    {"XLine", "id", 1, Proto::TYPE_INT64},
    {"XLine", "name", 2, Proto::TYPE_STRING},
    {"XLine", "timestamp_ns", 3, Proto::TYPE_INT64},
    {"XLine", "events", 4, Proto::TYPE_MESSAGE, "XEvent"},
    {"XEvent", "metadata_id", 1, Proto::TYPE_INT64},
    {"XEvent", "offset_ps", 2, Proto::TYPE_INT64},
    {"XEvent", "duration_ps", 3, Proto::TYPE_INT64},
    {"XEvent", "stats", 4, Proto::TYPE_MESSAGE, "XStat"},
    {"XStat", "metadata_id", 1, Proto::TYPE_INT64},
    {"XStat", "uint64_value", 3, Proto::TYPE_UINT64},
};

std::unique_ptr<pb::DescriptorPool> schema() {
  pb::FileDescriptorProto file;
  file.set_name("profile_space");
  file.set_syntax("proto3");
  std::map<std::string, pb::DescriptorProto*> messages;
  for (const Field& field : kFields) {
    pb::DescriptorProto*& message = messages[field.message];
    if (message == nullptr) {
      message = file.add_message_type();
      message->set_name(field.message);
    }
    Proto* added = message->add_field();
    added->set_name(field.name);
    added->set_json_name(field.name);
    added->set_number(field.number);
    added->set_type(field.type);
    added->set_label(*field.of == '\0' ? Proto::LABEL_OPTIONAL : Proto::LABEL_REPEATED);
    if (*field.of != '\0') {
      added->set_type_name(fmt::format(".{}", field.of));
    }
  }
  auto pool = std::make_unique<pb::DescriptorPool>();
  if (pool->BuildFile(file) == nullptr) {
    throw InternalError("the schema of profiles is not one of protobuf");
  }
  return pool;
}

constexpr std::int64_t kPicoseconds = 1000;  // of a nanosecond

/// An entry of the metadata, which numbers names.
Json numbered(std::size_t number, const std::string& name) {
  return {{"key", number}, {"value", Json::array({{{"id", number}, {"name", name}}})}};
}

Json plane_of(int device, const std::vector<const ProfiledLayer*>& layers) {
  std::map<std::string, std::size_t> names;
  const std::int64_t begin = (*std::min_element(layers.begin(), layers.end(), [](const auto* a, const auto* b) {
                               return a->begin_ns < b->begin_ns;
                             }))->begin_ns;
  Json events = Json::array();
  for (const ProfiledLayer* layer : layers) {
    const std::size_t number = names.emplace(layer->name, names.size() + 1).first->second;
    events.push_back({{"metadata_id", number},
                      {"offset_ps", (layer->begin_ns - begin) * kPicoseconds},
                      {"duration_ps", layer->cycles * kPicoseconds},
                      {"stats", Json::array({{{"metadata_id", 1}, {"uint64_value", layer->cycles}},
                                             {{"metadata_id", 2}, {"uint64_value", layer->macs}}})}});
  }
  Json metadata = Json::array();
  for (const auto& [name, number] : names) {
    metadata.push_back(numbered(number, name));
  }
  return {
      {"id", device + 1},
      {"name", fmt::format("/device:CUSTOM:Systole {}", device)},
      {"lines", Json::array({{{"id", 1}, {"name", "layers"}, {"timestamp_ns", begin}, {"events", std::move(events)}}})},
      {"event_metadata", std::move(metadata)},
      {"stat_metadata", Json::array({numbered(1, "cycles"), numbered(2, "macs")})}};
}

}  // namespace

std::string profile_space(const std::vector<ProfiledLayer>& layers) {
  std::map<int, std::vector<const ProfiledLayer*>> of_devices;
  for (const ProfiledLayer& layer : layers) {
    of_devices[layer.device].push_back(&layer);
  }
  Json planes = Json::array();
  for (const auto& [device, of_device] : of_devices) {
    planes.push_back(plane_of(device, of_device));
  }
  const std::unique_ptr<pb::DescriptorPool> pool = schema();
  const std::unique_ptr<pb::util::TypeResolver> types(
      pb::util::NewTypeResolverForDescriptorPool("systole", pool.get()));
  const std::string text = Json{{"planes", std::move(planes)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string bytes;
  if (const auto status = pb::util::JsonToBinaryString(types.get(), "systole/XSpace", text, &bytes); !status.ok()) {
    throw InternalError(fmt::format("a profile as a message of protobuf: {}", status.ToString()));
  }
  return bytes;
}

}  // namespace systole::pjrt
