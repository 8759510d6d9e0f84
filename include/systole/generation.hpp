// SPDX-License-Identifier: Apache-2.0
// Texts that a language model continues. The command `systole generate` and Python's systole.LanguageModel take the
// same tokens.
//
//   generation::Generator model("stories.gguf");  // or a checkpoint of llama2.c and its tokenizer
//   fmt::print("{}\n", model.generate("Once upon a time", 100).continuation);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {
class Device;
}

namespace systole::generation {

struct Sampling {
  double temperature = 0;  ///< 0: always the most probable token; above 0 and up to 100: logits are divided by it
  double top_p = 1;        ///< above 0, at most 1: only the most probable tokens that together have this probability
  std::uint64_t seed = 1;  ///< not 0
};

/// Why a text ends.
enum class Ending {
  kTokens,   ///< it has as many tokens as asked for
  kText,     ///< the model ended it
  kContext,  ///< the model has read as many tokens as it has room for
};

struct Text {
  std::vector<int> prompt;   ///< the tokens given, from the one that begins a text, if the model has such
  std::vector<int> tokens;   ///< the tokens generated
  std::string continuation;  ///< what these add to the prompt
  Ending ending = Ending::kTokens;
};

/// Called with each token, of the prompt too but the one that begins a text, and with what it adds to the text.
using OnToken = std::function<void(int token, const std::string& piece)>;
/// The same, of several texts: `text` is the number of its prompt.
using OnTokenOfText = std::function<void(std::size_t text, int token, const std::string& piece)>;

/// What products are computed in.
enum class Products {
  kFloat32,
  kBlocks,  ///< block floating point: int8 with a scale, a power of two, for each 16 numbers
  kInt8,    ///< weights of int8 with a scale for each row, and so the rows that they multiply; the others in blocks
};

struct GeneratorOptions {
  Device* device = nullptr;  ///< that outlives the generator; null: the host. The tokens are the same
  Products products = Products::kFloat32;
  int context = 0;  ///< room for so many tokens, prompt included; 0: as many as the model has
};

class Generator {
 public:
  /// Of a GGUF file, or of a checkpoint of llama2.c with its tokenizer. A tokenizer, of either format, takes the place
  /// of the one in a GGUF file. Throws graph::GraphError, beginning with the path, for a file that cannot be read, and
  /// InvalidArgument for a context out of range.
  explicit Generator(const std::string& model, const std::string& tokenizer = {}, const GeneratorOptions& options = {});
  ~Generator();
  Generator(Generator&&) noexcept;
  Generator& operator=(Generator&&) noexcept;

  /// Continues the prompt by at most `most` tokens. Throws InvalidArgument if the prompt has a byte without a token or
  /// does not fit the context, and for a number of `sampling` out of range; and what the device throws.
  Text generate(const std::string& prompt, int most, const Sampling& sampling = {}, const OnToken& on_token = {});
  /// Continues 1 to 256 prompts at once: each step reads the weights once, for a token of each text. Each text is what
  /// its prompt alone gives in float32, and in blocks while it has as large a cache.
  std::vector<Text> generate(const std::vector<std::string>& prompts, int most, const Sampling& sampling = {},
                             const OnTokenOfText& on_token = {});

  int context() const;
  /// Of the last text, on a device that counts them; else 0.
  std::uint64_t cycles() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace systole::generation
