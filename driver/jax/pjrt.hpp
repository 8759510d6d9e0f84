// SPDX-License-Identifier: Apache-2.0
// The PJRT C API, by which JAX talks to a device: those of its declarations that this plug-in uses. Their layout is
// that of version 0.90; tests/driver/jax compares it with the header in TensorFlow's Python package.
//
// A call has one argument, a structure that begins with its size and a pointer to extensions, and holds operands and
// results. Most of these structures have the same three shapes: Get, List and On.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace systole::pjrt {

inline constexpr int kMajorVersion = 0, kMinorVersion = 90;

// What JAX holds pointers to. All but Error and Event are in client.hpp and executable.hpp.
struct Buffer;
struct Client;
struct Device;
struct DeviceDescription;
struct Error;
struct Event;
struct Executable;
struct LoadedExecutable;
struct Memory;
struct TopologyDescription;

enum class ErrorCode : int {
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kResourceExhausted = 8,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
};

enum class BufferType : int {
  kInvalid,
  kPred,
  kS8,
  kS16,
  kS32,
  kS64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kF32,
  kF64,
  kBF16,
};

struct Head {
  std::size_t struct_size;
  void* extension_start;
};

/// A call on an object that gives nothing.
template <class Object>
struct On : Head {
  Object* object;
};

/// A call on an object that gives a value.
template <class Object, class Result>
struct Get : Head {
  Object* object;
  Result result;
};

/// A call on an object that gives several elements, which live as long as the object.
template <class Object, class Element>
struct List : Head {
  Object* object;
  const Element* elements;
  std::size_t size;
};
template <class Object>
using Text = List<Object, char>;

/// The same with the number before the elements.
template <class Object, class Element>
struct CountedList : Head {
  Object* object;
  std::size_t size;
  const Element* elements;
};

struct NamedValue : Head {
  enum class Type : int { kString, kInt64, kInt64List, kFloat, kBool };
  const char* name;
  std::size_t name_size;
  Type type;
  union {
    const char* string_value;
    std::int64_t int64_value;
    const std::int64_t* int64_array_value;
    float float_value;
    bool bool_value;
  };
  std::size_t value_size;
};

struct PluginAttributes : Head {
  const NamedValue* attributes;
  std::size_t num_attributes;
};

struct EventOnReady : Head {
  Event* event;
  void (*callback)(Error* error, void* user_arg);  ///< owns the error
  void* user_arg;
};

struct ClientCreate : Head {
  const NamedValue* create_options;
  std::size_t num_options;
  void* kv_get_callback;
  void* kv_get_user_arg;
  void* kv_put_callback;
  void* kv_put_user_arg;
  Client* client;
};

struct ClientLookupDevice : Head {
  Client* client;
  int id;
  Device* device;
};

struct Program : Head {
  char* code;
  std::size_t code_size;
  const char* format;
  std::size_t format_size;
};

struct ClientCompile : Head {
  Client* client;
  const Program* program;
  const char* compile_options;
  std::size_t compile_options_size;
  LoadedExecutable* executable;
};

struct ClientDefaultDeviceAssignment : Head {
  Client* client;
  int num_replicas;
  int num_partitions;
  std::size_t default_assignment_size;
  int* default_assignment;
};

struct MemoryLayout : Head {
  enum class Type : int { kTiled, kStrides };
  struct Tiled : Head {
    const std::int64_t* minor_to_major;
    std::size_t minor_to_major_size;
    const std::int64_t* tile_dims;
    const std::size_t* tile_dim_sizes;
    std::size_t num_tiles;
  };
  struct Strides : Head {
    const std::int64_t* byte_strides;
    std::size_t num_byte_strides;
  };
  union {
    Tiled tiled;
    Strides strides;
  };
  Type type;
};

struct ClientBufferFromHostBuffer : Head {
  Client* client;
  const void* data;
  BufferType type;
  const std::int64_t* dims;
  std::size_t num_dims;
  const std::int64_t* byte_strides;
  std::size_t num_byte_strides;
  int host_buffer_semantics;
  Device* device;
  Memory* memory;
  MemoryLayout* device_layout;
  Event* done_with_host_buffer;
  Buffer* buffer;
};

struct DeviceMemoryStats : Head {
  Device* device;
  std::int64_t bytes_in_use;
  std::int64_t peak_bytes_in_use;
  bool peak_bytes_in_use_is_set;
  std::int64_t num_allocs;
  bool num_allocs_is_set;
  std::int64_t largest_alloc_size;
  bool largest_alloc_size_is_set;
  std::int64_t bytes_limit;
  bool bytes_limit_is_set;
};

/// Bytes that an object made for the call, and how to free it.
template <class Object>
struct Serialized : Head {
  Object* object;
  const char* bytes;
  std::size_t size;
  void* made;
  void (*deleter)(void* made);
};

struct ExecuteOptions : Head {
  void* send_callbacks;
  void* recv_callbacks;
  std::size_t num_send_ops;
  std::size_t num_recv_ops;
  int launch_id;
  const std::int64_t* non_donatable_input_indices;
  std::size_t num_non_donatable_input_indices;
};

struct LoadedExecutableExecute : Head {
  LoadedExecutable* executable;
  ExecuteOptions* options;
  Buffer* const* const* argument_lists;  ///< by device
  std::size_t num_devices;
  std::size_t num_args;
  Buffer** const* output_lists;  ///< by device
  Event** device_complete_events;
  Device* execute_device;
};

struct ExecutableOutputTypes : Head {
  Executable* executable;
  const BufferType* types;
  std::size_t size;
};

struct ExecutableOutputDimensions : Head {
  Executable* executable;
  std::size_t num_outputs;
  const std::int64_t* dims;
  const std::size_t* dim_sizes;
};

struct ExecutableOutputMemoryKinds : Head {
  Executable* executable;
  std::size_t num_outputs;
  const char* const* memory_kinds;
  const std::size_t* memory_kind_sizes;
};

struct BufferToHostBuffer : Head {
  Buffer* source;
  MemoryLayout* host_layout;
  void* destination;
  std::size_t destination_size;
  Event* event;
};

/// A copy to a device or to a memory.
template <class Place>
struct BufferCopy : Head {
  Buffer* buffer;
  Place* place;
  Buffer* copy;
};

struct ErrorMessage : Head {
  const Error* error;
  const char* message;
  std::size_t message_size;
};

/// The calls, in the order of the table.
inline constexpr std::array<std::string_view, 128> kCalls = {"Error_Destroy",
                                                             "Error_Message",
                                                             "Error_GetCode",
                                                             "Plugin_Initialize",
                                                             "Plugin_Attributes",
                                                             "Event_Destroy",
                                                             "Event_IsReady",
                                                             "Event_Error",
                                                             "Event_Await",
                                                             "Event_OnReady",
                                                             "Client_Create",
                                                             "Client_Destroy",
                                                             "Client_PlatformName",
                                                             "Client_ProcessIndex",
                                                             "Client_PlatformVersion",
                                                             "Client_Devices",
                                                             "Client_AddressableDevices",
                                                             "Client_LookupDevice",
                                                             "Client_LookupAddressableDevice",
                                                             "Client_AddressableMemories",
                                                             "Client_Compile",
                                                             "Client_DefaultDeviceAssignment",
                                                             "Client_BufferFromHostBuffer",
                                                             "DeviceDescription_Id",
                                                             "DeviceDescription_ProcessIndex",
                                                             "DeviceDescription_Attributes",
                                                             "DeviceDescription_Kind",
                                                             "DeviceDescription_DebugString",
                                                             "DeviceDescription_ToString",
                                                             "Device_GetDescription",
                                                             "Device_IsAddressable",
                                                             "Device_LocalHardwareId",
                                                             "Device_AddressableMemories",
                                                             "Device_DefaultMemory",
                                                             "Device_MemoryStats",
                                                             "Memory_Id",
                                                             "Memory_Kind",
                                                             "Memory_DebugString",
                                                             "Memory_ToString",
                                                             "Memory_AddressableByDevices",
                                                             "Executable_Destroy",
                                                             "Executable_Name",
                                                             "Executable_NumReplicas",
                                                             "Executable_NumPartitions",
                                                             "Executable_NumOutputs",
                                                             "Executable_SizeOfGeneratedCodeInBytes",
                                                             "Executable_GetCostAnalysis",
                                                             "Executable_OutputMemoryKinds",
                                                             "Executable_OptimizedProgram",
                                                             "Executable_Serialize",
                                                             "LoadedExecutable_Destroy",
                                                             "LoadedExecutable_GetExecutable",
                                                             "LoadedExecutable_AddressableDevices",
                                                             "LoadedExecutable_Delete",
                                                             "LoadedExecutable_IsDeleted",
                                                             "LoadedExecutable_Execute",
                                                             "Executable_DeserializeAndLoad",
                                                             "LoadedExecutable_Fingerprint",
                                                             "Buffer_Destroy",
                                                             "Buffer_ElementType",
                                                             "Buffer_Dimensions",
                                                             "Buffer_UnpaddedDimensions",
                                                             "Buffer_DynamicDimensionIndices",
                                                             "Buffer_GetMemoryLayout",
                                                             "Buffer_OnDeviceSizeInBytes",
                                                             "Buffer_Device",
                                                             "Buffer_Memory",
                                                             "Buffer_Delete",
                                                             "Buffer_IsDeleted",
                                                             "Buffer_CopyToDevice",
                                                             "Buffer_ToHostBuffer",
                                                             "Buffer_IsOnCpu",
                                                             "Buffer_ReadyEvent",
                                                             "Buffer_UnsafePointer",
                                                             "Buffer_IncreaseExternalReferenceCount",
                                                             "Buffer_DecreaseExternalReferenceCount",
                                                             "Buffer_OpaqueDeviceMemoryDataPointer",
                                                             "CopyToDeviceStream_Destroy",
                                                             "CopyToDeviceStream_AddChunk",
                                                             "CopyToDeviceStream_TotalBytes",
                                                             "CopyToDeviceStream_GranuleSize",
                                                             "CopyToDeviceStream_CurrentBytes",
                                                             "TopologyDescription_Create",
                                                             "TopologyDescription_Destroy",
                                                             "TopologyDescription_PlatformName",
                                                             "TopologyDescription_PlatformVersion",
                                                             "TopologyDescription_GetDeviceDescriptions",
                                                             "TopologyDescription_Serialize",
                                                             "TopologyDescription_Attributes",
                                                             "Compile",
                                                             "Executable_OutputElementTypes",
                                                             "Executable_OutputDimensions",
                                                             "Buffer_CopyToMemory",
                                                             "Client_CreateViewOfDeviceBuffer",
                                                             "Executable_Fingerprint",
                                                             "Client_TopologyDescription",
                                                             "Executable_GetCompiledMemoryStats",
                                                             "Memory_Kind_Id",
                                                             "ExecuteContext_Create",
                                                             "ExecuteContext_Destroy",
                                                             "Buffer_CopyRawToHost",
                                                             "AsyncHostToDeviceTransferManager_Destroy",
                                                             "AsyncHostToDeviceTransferManager_TransferData",
                                                             "Client_CreateBuffersForAsyncHostToDevice",
                                                             "AsyncHostToDeviceTransferManager_RetrieveBuffer",
                                                             "AsyncHostToDeviceTransferManager_Device",
                                                             "AsyncHostToDeviceTransferManager_BufferCount",
                                                             "AsyncHostToDeviceTransferManager_BufferSize",
                                                             "AsyncHostToDeviceTransferManager_SetBufferError",
                                                             "AsyncHostToDeviceTransferManager_AddMetadata",
                                                             "Client_DmaMap",
                                                             "Client_DmaUnmap",
                                                             "Client_CreateUninitializedBuffer",
                                                             "Client_UpdateGlobalProcessInfo",
                                                             "TopologyDescription_Deserialize",
                                                             "Client_CreateAliasBuffer",
                                                             "Client_FulfillAliasBuffer",
                                                             "LoadedExecutable_GetDeviceAssignment",
                                                             "Client_CreateErrorBuffer",
                                                             "AsyncHostToDeviceTransferManager_TransferLiteral",
                                                             "Buffer_CopyRawToHostFuture",
                                                             "Device_PoisonExecution",
                                                             "Device_CreateAsyncTrackingEvent",
                                                             "AsyncTrackingEvent_Destroy",
                                                             "Executable_GetCompileOptions",
                                                             "Buffer_DonateWithControlDependency",
                                                             "Event_Create",
                                                             "Event_Set"};

using Function = Error* (*)(void* arguments);

/// What the plug-in gives JAX.
struct Api : Head {
  Head version_head;
  int major_version, minor_version;
  std::array<Function, kCalls.size()> calls;
};

}  // namespace systole::pjrt
