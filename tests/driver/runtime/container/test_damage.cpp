// SPDX-License-Identifier: Apache-2.0
// Truncated, modified or forged files give an error message or a network, nothing else.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "container_file.hpp"
#include "network_builder.hpp"
#include "seed.hpp"
#include "systole/configurations.hpp"
#include "systole/container.hpp"
#include "systole/generated/isa.hpp"

namespace systole::container {
namespace {

graph::Bytes small_file() {
  zoo::NetworkBuilder net("small", 1);
  const graph::Graph graph = net.finish(net.softmax(net.dense(net.input({1, 8}), 6, Activation::kRelu)));
  return save(compile_network(graph, find_configuration("tiny")));
}

std::string problem(const graph::Bytes& file) {
  try {
    const Container contents(file);
    contents.graph();
    contents.network(find_configuration("tiny"));
  } catch (const ContainerError& error) {
    return error.what();
  }
  return {};
}

/// With a correct checksum.
graph::Bytes resealed(const graph::Bytes& file) {
  return with_header(file.data() + kHeaderBytes, file.size() - kHeaderBytes);
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Damage, Truncated) {
  const graph::Bytes file = small_file();
  ASSERT_EQ(problem(file), "");
  for (std::size_t size = 0; size < file.size(); ++size) {
    const graph::Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(problem(part), "") << size;
    if (size > kHeaderBytes) {
      problem(resealed(part));  // mostly refused; data after the last table may be missing
    }
  }
  graph::Bytes longer = file;
  longer.push_back(0);
  expect_part(problem(longer), "bytes after the header, which says");
}

TEST(Damage, DetectsEveryFlippedBit) {
  const graph::Bytes file = small_file();
  std::mt19937_64 random(test::seed());
  for (std::size_t at = 0; at < file.size(); ++at) {
    graph::Bytes changed = file;
    changed[at] ^= static_cast<std::uint8_t>(1 << random() % 8);
    if (at < kHeaderBytes - 8 || at >= kHeaderBytes) {  // the last 8 bytes of the header are unused
      EXPECT_NE(problem(changed), "") << at;
    }
  }
}

TEST(Damage, ForgedFilesLoadOrThrow) {
  const graph::Bytes file = small_file();
  std::mt19937_64 random(test::seed());
  int refused = 0;
  for (std::size_t at = kHeaderBytes; at < file.size(); ++at) {
    for (const std::uint8_t change :
         {std::uint8_t{1}, std::uint8_t{0x80}, static_cast<std::uint8_t>(1 + random() % 255)}) {
      graph::Bytes changed = file;
      changed[at] ^= change;
      refused += problem(resealed(changed)).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Damage, DescribesHeaderErrors) {
  const graph::Bytes file = small_file();
  graph::Bytes changed = file;
  changed[0] = 'X';
  EXPECT_FALSE(is_container(changed));
  expect_part(problem(changed), "does not begin with the letters SYSTOLE");
  changed = file;
  changed[8] = 9;
  expect_part(problem(changed), "version 9 of the format; this program reads 3");
  changed = file;
  changed.back() ^= 1;
  expect_part(problem(changed), "checksum");
  expect_part(problem(graph::Bytes(file.begin(), file.begin() + 10)), "the header alone has 32");
}

TEST(Damage, RejectsOtherInstructionSetVersion) {
  const graph::Bytes file = small_file();
  const std::uint32_t version = isa::kIsaVersion;
  bool found = false;
  for (std::size_t at = kHeaderBytes; at + sizeof version <= file.size(); at += sizeof version) {
    if (std::memcmp(file.data() + at, &version, sizeof version) == 0) {
      graph::Bytes changed = file;
      changed[at] ^= 2;
      found = found || problem(resealed(changed)).find("of the instructions; this program has") != std::string::npos;
    }
  }
  EXPECT_TRUE(found);
}

/// Neither waits for a program that would write to the pipe.
TEST(Damage, Pipes) {
  const std::string path = testing::TempDir() + "systole_container_pipe";
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(is_container_file(path));
  try {
    open_container(path);
    ADD_FAILURE() << "opened";
  } catch (const ContainerError& error) {
    expect_part(error.what(), "is no regular file");
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace systole::container
