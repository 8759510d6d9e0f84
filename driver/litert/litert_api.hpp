// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's C API, by which a delegate talks to the interpreter: those of its declarations that this delegate
// uses, as LiteRT 2.3 has them. tests/driver/litert/test_layout.py compares what the delegate reads through them with
// the files that LiteRT has read.
//
// All but Registration are only seen through pointers, so that fields behind those that are used are not declared.
#pragma once

#include <cstddef>
#include <cstdint>

namespace systole::litert {

enum class Status : int { kOk, kError, kDelegateError };

/// The elements are behind the size.
template <class Element>
struct Array {
  int size;
  const Element* begin() const { return reinterpret_cast<const Element*>(this + 1); }
  const Element* end() const { return begin() + size; }
};
using Indices = Array<int>;

// Tensors.

enum class Type : int { kNone };  ///< TfLiteType; its other numbers are one or more beyond those of the file format

struct Quantization {
  enum class Kind : int { kNone, kAffine };
  struct Affine {
    const Array<float>* scale;
    const Indices* zero_point;
    std::int32_t dimension;
  };
  Kind kind;
  const void* parameters;  ///< of kAffine: an Affine
};

struct Tensor {
  enum class Allocation : int { kNone, kReadOnly };
  Type type;
  void* data;
  const Indices* dims;
  struct {
    float scale;
    std::int32_t zero_point;
  } legacy_quantization;
  Allocation allocation_type;
  std::size_t bytes;
  const void* allocation;
  const char* name;
  struct Delegate* delegate;
  int buffer_handle;
  bool data_is_stale;
  bool is_variable;
  Quantization quantization;
  const void* sparsity;
  const Indices* dims_signature;

  bool is_constant() const { return allocation_type == Allocation::kReadOnly; }
};

// Nodes: operators of the graph.

struct Node {
  const Indices *inputs, *outputs;  ///< tensors; -1 stands for an omitted one
  const Indices *intermediates, *temporaries;
  void* user_data;           ///< what Registration::init() gave
  const void* builtin_data;  ///< one of the structures below, or null
};

/// A delegate's kernel, or that of an operator. It is passed by value: a runtime that knows fewer fields reads the
/// first ones, one that knows more finds zeros.
struct Registration {
  void* (*init)(struct Context* context, const char* parameters, std::size_t size);
  void (*free)(Context* context, void* user_data);
  Status (*prepare)(Context* context, Node* node);
  Status (*invoke)(Context* context, Node* node);
  const char* (*profiling_string)(const Context* context, const Node* node);
  std::int32_t builtin_code;
  const char* custom_name;
  int version;
  void* registration_external;
  void* async_kernel;
  std::uint64_t inplace_operator;
  std::uint64_t unknown[8];
};

/// What Registration::init() returns when it fails.
inline void* init_failed() { return reinterpret_cast<void*>(-1); }

/// The parameters of a delegate's kernel: a part of the graph that it takes over.
struct DelegateParameters {
  Delegate* delegate;
  const Indices *nodes, *inputs, *outputs;
};

struct Context {
  std::size_t tensors_size;
  Status (*get_execution_plan)(Context* context, Indices** nodes);
  Tensor* tensors;
  void* implementation;
  void* resize_tensor;
  void (*report_error)(Context* context, const char* format, ...);
  void* add_tensors;
  Status (*get_node_and_registration)(Context* context, int index, Node** node, Registration** registration);
  Status (*replace_nodes_with_kernels)(Context* context, Registration kernel, const Indices* nodes, Delegate* delegate);
};

struct Delegate {
  void* data;
  Status (*prepare)(Context* context, Delegate* delegate);
  void* copy_from_buffer_handle;
  void* copy_to_buffer_handle;
  void* free_buffer_handle;
  std::int64_t flags;
  void* opaque_delegate_builder;
};

// Options of operators: Node::builtin_data.

enum class Padding : int { kUnknown, kSame, kValid };
enum class Mirroring : int { kUnknown, kReflect, kSymmetric };
enum class Activation : int { kNone };  ///< the numbers of the file format

struct ConvParams {
  Padding padding;
  int stride_width, stride_height;
  Activation activation;
  int dilation_width, dilation_height;
};

struct DepthwiseConvParams {
  Padding padding;
  int stride_width, stride_height, depth_multiplier;
  Activation activation;
  int dilation_width, dilation_height;
};

struct TransposeConvParams {
  Padding padding;
  int stride_width, stride_height;
  Activation activation;
};

struct PoolParams {
  Padding padding;
  int stride_width, stride_height, filter_width, filter_height;
  Activation activation;
};

struct FullyConnectedParams {
  Activation activation;
  int weights_format;
  bool keep_num_dims;
};

struct BatchMatMulParams {
  bool transpose_a, transpose_b;
};

struct ActivationParams {  ///< of ADD, SUB, MUL, DIV and L2_NORMALIZATION
  Activation activation;
};

struct SoftmaxParams {
  float beta;
};
struct LeakyReluParams {
  float alpha;
};
struct ReducerParams {
  bool keep_dims;
};
struct CumsumParams {
  bool exclusive, reverse;
};

struct ConcatenationParams {
  int axis;
  Activation activation;
};

struct StridedSliceParams {
  int begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
  bool offset;
};

struct ResizeParams {
  bool align_corners, half_pixel_centers;
};
struct BlockParams {  ///< of SPACE_TO_DEPTH and DEPTH_TO_SPACE
  int block_size;
};
struct GatherParams {
  int axis, batch_dims;
};
struct PackParams {  ///< of PACK and UNPACK
  int count, axis;
};
struct MirrorPadParams {
  Mirroring mode;
};

}  // namespace systole::litert
