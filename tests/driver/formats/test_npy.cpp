// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include "convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <filesystem>

namespace systole::npy {
namespace {

using graph::Bytes;
using graph::ElementType;
using graph::Value;
using testing::HasSubstr;

/// A version 1 file with this header text.
Bytes file(const std::string& header, std::size_t data) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text.push_back(static_cast<char>(header.size() & 0xFF));
  text.push_back(static_cast<char>(header.size() >> 8));
  text += header + std::string(data, '\x01');
  return Bytes(text.begin(), text.end());
}

std::string complaint(const Bytes& bytes) {
  try {
    parse(bytes, "a.npy");
    return "nothing";
  } catch (const NpyError& error) {
    return error.what();
  }
}

TEST(Npy, RoundTrip) {
  const std::string path = testing::TempDir() + "/systole_test.npy";
  for (const graph::Shape& shape : {graph::Shape{}, graph::Shape{3}, graph::Shape{2, 3, 1}}) {
    for (const ElementType type :
         {ElementType::kInt8, ElementType::kUint8, ElementType::kInt16, ElementType::kUint16, ElementType::kInt32,
          ElementType::kInt64, ElementType::kFloat32, ElementType::kFloat64, ElementType::kBool, ElementType::kUint32,
          ElementType::kUint64, ElementType::kFloat16}) {
      const Value value{type, shape,
                        Bytes(static_cast<std::size_t>(graph::count(shape)) * graph::element_size(type), 1)};
      write(path, value);
      const Value back = read(path);
      EXPECT_EQ(back.type, type);
      EXPECT_EQ(back.shape, shape);
      EXPECT_EQ(back.data, value.data);
      EXPECT_EQ(serialize(value).size() % 64, value.data.size() % 64);
    }
  }
  std::filesystem::remove(path);
}

TEST(Npy, ReadsEveryPythonHeader) {
  EXPECT_EQ(complaint(file("{'shape':(2,3),'fortran_order':False,\"descr\":'|i1'}", 6)),
            "a.npy: the header has no 'descr'");
  EXPECT_EQ(complaint(file("{'shape':(2,3),'fortran_order':False,'descr':\"<i2\"}", 12)), "nothing");
  EXPECT_EQ(
      complaint(file("{'descr': '|i1', 'fortran_order': False, 'shape': (6,), }" + std::string(300, ' ') + "\n", 6)),
      "nothing");
}

TEST(Npy, RejectsMalformedFiles) {
  EXPECT_THAT(complaint({}), HasSubstr("not a NumPy array"));
  EXPECT_THAT(complaint(file("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n", 6)),
              HasSubstr("Fortran order"));
  EXPECT_THAT(complaint(file("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }\n", 4)),
              HasSubstr("elements of type '>i4'"));
  EXPECT_THAT(complaint(file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n", 8)),
              HasSubstr("elements of type '<c8'"));
  EXPECT_THAT(complaint(file("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }\n", 4)),
              HasSubstr("records"));
  EXPECT_THAT(complaint(file("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }\n", 5)),
              HasSubstr("2x3 of int8 takes 6 elements, the file has 5 bytes"));
  EXPECT_THAT(complaint(file("{'descr': '|i1', 'fortran_order': False, 'shape': (0,), }\n", 0)),
              HasSubstr("a dimension of 0"));
  EXPECT_THAT(complaint(file("{'descr': '|i1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n", 0)),
              HasSubstr("more than 2^63"));
  EXPECT_THAT(complaint(file("{'descr': '|i1', 'fortran_order': False, 'shape': (x), }\n", 0)),
              HasSubstr("for a dimension"));
  Bytes cut = file("{'descr': '|i1', 'fortran_order': False, 'shape': (6,), }\n", 0);
  cut.resize(20);
  EXPECT_THAT(complaint(cut), HasSubstr("truncated"));
  EXPECT_THROW(read("/nowhere/a.npy"), NpyError);
  EXPECT_THROW(write("/nowhere/a.npy", Value{ElementType::kInt8, {1}, Bytes(1)}), FileError);
}

RC_GTEST_PROP(Npy, DamagedFilesGiveAnArrayOrAnError, ()) {
  Bytes bytes = file("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }\n", 6);
  for (int i = *rc::gen::inRange(1, 8); i > 0; --i) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = static_cast<std::uint8_t>(*rc::gen::inRange(0, 256));
  }
  bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  complaint(bytes);
}

TEST(Npy, ConvertsTypesWithoutLoss) {
  const auto reals = [](const std::vector<double>& values) {
    return graph::make_value(ElementType::kFloat64, {static_cast<std::int64_t>(values.size())}, values);
  };
  const auto complaint_of = [](const Value& array, ElementType type) {
    try {
      as_type(array, type, "a.npy");
      return std::string("nothing");
    } catch (const NpyError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(graph::elements<float>(as_type(reals({0.5, -3, 1e30F, std::nan("")}), ElementType::kFloat32, "a.npy"))[1],
            -3.0F);
  EXPECT_EQ(complaint_of(reals({0.5, 0.1}), ElementType::kFloat32),
            "a.npy: is float64, and float32 is wanted, which does not hold the value 0.1 of element 1; save "
            "array.astype('float32')");
  const Value integers = graph::make_value<std::int64_t>(ElementType::kInt64, {3}, {-128, 5, 127});
  EXPECT_EQ(graph::elements<std::int8_t>(as_type(integers, ElementType::kInt8, "a.npy")),
            (std::vector<std::int8_t>{-128, 5, 127}));
  EXPECT_THAT(complaint_of(integers, ElementType::kUint8), HasSubstr("does not hold the value -128 of element 0"));
  EXPECT_THAT(
      complaint_of(graph::make_value<std::int64_t>(ElementType::kInt64, {1}, {(1 << 24) + 1}), ElementType::kFloat32),
      HasSubstr("16777217"));
  EXPECT_THAT(
      complaint_of(graph::make_value<std::int64_t>(ElementType::kInt64, {1}, {(1LL << 53) + 1}), ElementType::kFloat64),
      HasSubstr("element 0"));
}

}  // namespace
}  // namespace systole::npy
