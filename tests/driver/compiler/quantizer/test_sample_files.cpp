// SPDX-License-Identifier: Apache-2.0
// Samples, pictures and labels from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "float_network.hpp"
#include "npy.hpp"
#include "picture_files.hpp"
#include "sample_files.hpp"

namespace systole::quantizer::test {
namespace {

using graph::ElementType;
using testing::ElementsAre;
using testing::HasSubstr;

graph::Bytes bytes(const std::string& text) { return {text.begin(), text.end()}; }

graph::Tensor tensor(const Shape& shape, ElementType type = ElementType::kFloat32) {
  graph::Tensor result;
  result.name = "x";
  result.type = type;
  result.shape = shape;
  return result;
}

template <class Function>
std::string message(Function function) {
  try {
    function();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// A temporary folder of the test.
class Files : public testing::Test {
 protected:
  Files() : folder_(std::filesystem::temp_directory_path() / ("systole_samples_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }
  std::string folder() const { return folder_.string(); }

  static Graph identity(const Shape& shape) {
    FloatNetwork network(1);
    return network.finish({network.unary(graph::UnaryKind::kIdentity, network.input(shape))});
  }

 private:
  std::filesystem::path folder_;
};

TEST(Pictures, GreyWithAComment) {
  const Picture picture = parse_pnm(bytes("P5\n# made by hand\n2 1\n255\n\x07\x09"), "x.pgm");
  EXPECT_EQ(picture.height, 1);
  EXPECT_EQ(picture.width, 2);
  EXPECT_THAT(picture.pixels, ElementsAre(7, 9));
}

TEST(Pictures, ColoursInBothLayouts) {
  const Picture picture = parse_pnm(bytes("P6 1 2 255 abcdef"), "x.ppm");
  EXPECT_THAT(graph::elements<float>(as_input(picture, tensor({1, 2, 1, 3}), "x.ppm")),
              ElementsAre(97, 98, 99, 100, 101, 102));
  EXPECT_THAT(graph::elements<float>(as_input(picture, tensor({1, 3, 2, 1}), "x.ppm")),
              ElementsAre(97, 100, 98, 101, 99, 102));
  EXPECT_THAT(graph::elements<std::uint8_t>(as_input(picture, tensor({2, 3}, ElementType::kUint8), "x.ppm")),
              ElementsAre(97, 98, 99, 100, 101, 102));
}

TEST(Pictures, RejectsMalformedFiles) {
  const auto parsed = [](const std::string& text) { return message([&] { parse_pnm(bytes(text), "x.pgm"); }); };
  EXPECT_THAT(parsed("P2 1 1 255 7"), HasSubstr("x.pgm: not a binary PGM or PPM"));
  EXPECT_THAT(parsed(""), HasSubstr("not a binary PGM or PPM"));
  EXPECT_THAT(parsed("P5 2 2 255 abc"), HasSubstr("truncated"));
  EXPECT_THAT(parsed("P5 2 2 255"), HasSubstr("truncated"));
  EXPECT_THAT(parsed("P5 2"), HasSubstr("a height of ''"));
  EXPECT_THAT(parsed("P5 -2 2 255 abcd"), HasSubstr("a width of '-2'; the range is 1 .. 16384"));
  EXPECT_THAT(parsed("P5 2 2 65535 abcd"), HasSubstr("a largest value of '65535'; the range is 1 .. 255"));
  const Picture picture{1, 2, 1, {7, 9}};
  EXPECT_THAT(message([&] {
                as_input(picture, tensor({1, 2, 2, 1}), "x.pgm");
              }),
              HasSubstr("height 1, width 2 and 1 channel; tensor 'x'"));
  EXPECT_THAT(message([&] {
                as_input(picture, tensor({1, 1, 2, 1}, ElementType::kInt64), "x.pgm");
              }),
              HasSubstr("another type"));
}

TEST_F(Files, FolderInOrderOfNames) {
  write("b.pgm", "P5 1 1 255 b");
  write("a.pgm", "P5 1 1 255 a");
  write("c.txt", "no picture");
  const Graph graph = identity({1, 1, 1, 1});
  const auto samples = read_samples({folder()}, graph, 0);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_THAT(graph::elements<float>(samples[0][0]), ElementsAre('a'));
  EXPECT_EQ(read_samples({folder()}, graph, 1).size(), 1U);
}

TEST_F(Files, FolderWithoutPictures) {
  EXPECT_THAT(message([&] { read_samples({folder()}, identity({1}), 0); }), HasSubstr("holds no *.pgm and no *.ppm"));
}

TEST_F(Files, IdxPicturesAndLabels) {
  const std::string pictures = write("images.idx", std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02"
                                                               "abcd",
                                                               20));
  const std::string labels = write("labels.idx", std::string("\0\0\x08\x01\0\0\0\x02\x07\x03", 10));
  const auto samples = read_samples({pictures}, identity({1, 1, 1, 2}), 5);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_THAT(graph::elements<float>(samples[1][0]), ElementsAre('c', 'd'));
  EXPECT_THAT(read_labels(labels, 0), ElementsAre(7, 3));
  EXPECT_THAT(read_labels(labels, 1), ElementsAre(7));
}

TEST_F(Files, Arrays) {
  const std::string path = folder() + "/x.npy";
  npy::write(path, graph::make_value(ElementType::kFloat32, {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6}));
  const auto samples = read_samples({path}, identity({1, 1, 2}), 2);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_THAT(graph::elements<float>(samples[1][0]), ElementsAre(3, 4));
  EXPECT_THAT(message([&] { read_samples({path}, identity({3}), 0); }), HasSubstr("an array of 3x2 float32"));
  EXPECT_THAT(message([&] { read_labels(path, 0); }), HasSubstr("labels of type float32"));
  npy::write(path, graph::make_value(ElementType::kInt64, {2}, std::vector<std::int64_t>{300, 2}));
  EXPECT_THAT(read_labels(path, 0), ElementsAre(300, 2));
}

TEST_F(Files, OneForEachInput) {
  const auto array = [&](const std::string& name, const Shape& shape, float first) {
    std::vector<float> values(static_cast<std::size_t>(graph::count(shape)));
    std::iota(values.begin(), values.end(), first);
    npy::write(folder() + "/" + name, graph::make_value(ElementType::kFloat32, shape, values));
    return folder() + "/" + name;
  };
  FloatNetwork network(1);
  const TensorId a = network.input({1, 2}), b = network.input({1, 3});
  graph::Concat concat;
  concat.axis = 1;
  Graph graph = network.finish({network.add(concat, {a, b})});
  graph.tensor(a).name = "a";
  graph.tensor(b).name = "b";
  const std::string two = array("two.npy", {4, 2}, 0), three = array("three.npy", {4, 3}, 100);
  for (const std::vector<std::string>& files : {std::vector<std::string>{two, three},
                                                {"a=" + two, "b=" + three},
                                                {"b=" + three, "a=" + two},
                                                {"b=" + three, two}}) {
    const auto samples = read_samples(files, graph, 3);
    ASSERT_EQ(samples.size(), 3U);
    EXPECT_THAT(graph::elements<float>(samples[1].at(0)), ElementsAre(2, 3));
    EXPECT_THAT(graph::elements<float>(samples[1].at(1)), ElementsAre(103, 104, 105));
  }
  const auto wrong = [&](const std::vector<std::string>& files) {
    return message([&] { read_samples(files, graph, 0); });
  };
  EXPECT_THAT(wrong({two}), HasSubstr("no samples of input 'b'"));
  EXPECT_THAT(wrong({two}), HasSubstr("'a' (1x2 float32), 'b' (1x3 float32)"));
  EXPECT_THAT(wrong({"b=" + three}), HasSubstr("no samples of input 'a'"));
  EXPECT_THAT(wrong({"a=" + two, "a=" + two}), HasSubstr("a second file for input 'a'"));
  EXPECT_THAT(wrong({two, three, two}), HasSubstr("one file too many"));
  EXPECT_THAT(wrong({three, two}), HasSubstr("an array of 4x3 float32"));
  EXPECT_THAT(wrong({two, array("five.npy", {5, 3}, 0)}), HasSubstr("every input must have the same number"));
}

TEST_F(Files, Accuracy) {
  const Graph graph = identity({1, 2});
  const auto sample = [](float a, float b) {
    return Sample{graph::make_value(ElementType::kFloat32, {1, 2}, std::vector<float>{a, b})};
  };
  const std::vector<Sample> samples{sample(1, 0), sample(0, 1), sample(3, 3), sample(-1, -2)};
  EXPECT_EQ(accuracy(graph, graph, samples, {0, 1, 0, 1}), 0.75);
  EXPECT_THAT(message([&] { accuracy(graph, graph, samples, {0}); }), HasSubstr("4 samples with 1 labels"));
  EXPECT_THAT(message([&] {
                accuracy(graph, graph, samples, {0, 1, 2, 0});
              }),
              HasSubstr("label 2 is 2, beyond 0 to 1: "));
  EXPECT_THAT(message([&] { accuracy(graph, graph, samples, {0, -1, 1, 0}); }), HasSubstr("label 1 is -1"));
}

}  // namespace
}  // namespace systole::quantizer::test
