#include <limits>
#include <ostream>

#include "attention/error.h"
#include "cli/estimate_attention.h"
#include "cli/estimate_model.h"
#include "cli/options.h"

namespace attest::cli {
namespace {

// Flags that both modes understand.
std::vector<Option> shared_options() {
  return {{"seq", "N,N,...", "tokens per sequence; k, M and G multiply by 1024, 1024^2, 1024^3"},
          {"batch", "N", "sequences (default 1)"},
          {"dtype", "TYPE", "f16 (default), bf16, f32, f8_e4m3, q8_0, ...; with --config: weights"},
          format_option};
}

std::vector<Option> model_options() {
  return {{"config", "FILE", "a Hugging Face config.json: estimate the whole model"},
          {"cache-dtype", "TYPE", "of the KV cache, with --config"}};
}

Usage usage() {
  Usage usage{
      .line = "attest estimate --heads N --head-dim N --seq N | --config FILE --seq N",
      .summary =
          "Counts the bytes of one planned attention call, explicit and streaming, or of a\n"
          "whole model: weights, KV cache, attention workspace. Nothing is allocated.",
      .options = shared_options(),
      .examples = {"attest estimate --batch 1 --heads 8 --seq 2048,4096 --head-dim 64",
                   "attest estimate --heads 8 --head-dim 64 --lengths 2048,512,512",
                   "attest estimate --config config.json --seq 8k --batch 4"}};
  for (const auto& more : {attention_options(), model_options()})
    usage.options.insert(usage.options.end(), more.begin(), more.end());
  return usage;
}

void refuse_attention_flags(const Given& given) {
  for (const Option& option : attention_options())
    if (given.has(option.name))
      throw InputError(std::string("--") + option.name, "--config beside it",
                       "one or the other: the config states the model's geometry");
}

ModelRequest model_request(const Given& given) {
  refuse_attention_flags(given);
  if (!given.has("seq")) throw InputError("--seq", "nothing", "tokens per sequence, such as 8192");
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return {.config_path = given.text("config"),
          .seq = whole_number("seq", given.text("seq"), 1, std::uint64_t{1} << 62, true),
          .batch = whole_number("batch", given.text("batch", "1"), 1, most),
          .dtype = given.text("dtype"),
          .cache_dtype = given.text("cache-dtype"),
          .format = format(given)};
}

}  // namespace

Exit estimate(const Arguments& arguments, const Terminal& terminal) {
  const Given given = parse(usage(), arguments);
  if (given.has("help")) {
    terminal.out << help(usage());
    return Exit::fine;
  }
  if (given.has("config")) return estimate_model(model_request(given), terminal);
  if (given.has("cache-dtype"))
    throw InputError("--cache-dtype", "no --config", "--config FILE beside it");
  return estimate_attention(attention_request(given), terminal);
}

}  // namespace attest::cli
