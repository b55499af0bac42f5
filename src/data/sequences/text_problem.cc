#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/resource_limits.h"
#include "data/problems.h"
#include "data/sequences/split_texts.h"
#include "data/sequences/text_files.h"
#include "data/sequences/text_source.h"
#include "data/sequences/tokenizer.h"
#include "tensor/allocator.h"

namespace lockstep {
namespace {

constexpr const char* kTextProblem = "languagemodel_text";

void check_window(const ProblemOptions& options) {
  if (options.max_length >= 1) return;
  throw Error(
      ExitCode::usage,
      fmt::format("hparam max_length={}: {} cuts the text into sequences of so many symbols; give one from 1 on",
                  options.max_length, kTextProblem),
      Scope::every_rank);
}

// The tokenizer that a model was made with.
TokenizerPointer tokenizer_of_model(const ProblemShape& model, const ProblemOptions& options) {
  const auto refuse = [](ExitCode code, const std::string& why) { throw Error(code, why, Scope::every_rank); };
  if (model.vocabulary_digest.empty()) {
    refuse(ExitCode::configuration,
           fmt::format("the model was not made for a text, and has no vocabulary to read --problem={} with; give the "
                       "checkpoint of a model that was",
                       kTextProblem));
  }
  if (options.known_tokenizer == nullptr) {
    refuse(ExitCode::bad_data,
           fmt::format("the checkpoint lacks its vocabulary, without which --problem={} cannot be read; give the file "
                       "that training saved",
                       kTextProblem));
  }
  if (const std::string_view unit = options.known_tokenizer->kind().name; unit != options.tokenizer.name) {
    refuse(ExitCode::configuration, fmt::format("hparam text_unit={}, but the model was made for {}s; leave it out",
                                                options.tokenizer.name, unit));
  }
  return options.known_tokenizer;
}

// reference: the split whose text forms the vocabulary, unless the model brings one.
std::unique_ptr<TextSource> read_source(const ProblemOptions& options, const TextFiles& files, Split reference) {
  std::size_t bytes = 0;
  try {
    PerSplit<std::string> texts = read_split_texts(files, options.tokenizer, options.only, options.while_reading);
    for (const Split split : kAllSplits) bytes += texts[split].size();
    TokenizerPointer tokenizer =
        options.known ? tokenizer_of_model(*options.known, options)
                      : options.tokenizer.make(texts[reference], {.vocab_size = options.vocab_size,
                                                                  .each_megabyte = options.while_reading});
    return std::make_unique<TextSource>(std::move(tokenizer), options.max_length, std::move(texts),
                                        options.while_reading);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format(
        "out of memory: --data_dir={}: its texts are too large, {:.1f} MB are read and no memory is left for their "
        "symbols{}; give it more memory, or less text",
        options.data_dir, static_cast<double>(bytes) * 1e-6, memory_limit_text()));
  }
}

void remark_unknown(TextSource& source) {
  for (const Split split : kAllSplits) {
    const std::int64_t unknown = source.unknown(split);
    if (unknown == 0) continue;
    source.add_remark(
        fmt::format("{} of the {} {}s of the {} split are not in the model's vocabulary, and are read and "
                    "scored as one symbol for all unknown ones",
                    unknown, source.length(split), source.tokenizer()->kind().name, name(split)));
  }
}

void remark_files(const TextFiles& files, TextSource& source) {
  const std::int64_t dev = source.length(Split::dev);
  if (files.dev_is_end_of_train && dev == 0) {
    source.add_remark("the text is too short to make its last tenth the dev split: there is none");
  }
  if (!files.left_out.empty()) {
    std::vector<std::string> names;
    names.reserve(files.left_out.size());
    for (const std::string& name : files.left_out) names.push_back(in_quotes(name));
    source.add_remark(
        fmt::format("not read, because the name is none of train, dev and test with no letter after it: {}; rename "
                    "what belongs to a split, such as dev.txt",
                    fmt::join(names, ", ")));
  }
  if (files.dev_is_end_of_train && dev > 0) {
    source.add_note(
        fmt::format("no file is named train, dev or test: the last tenth of the text ({} symbols) is the dev split, "
                    "the rest is the training split",
                    dev));
  }
}

}  // namespace

std::unique_ptr<Problem> make_languagemodel_text(const ProblemOptions& options) {
  check_window(options);
  const TextFiles files = find_text_files(options, kTextProblem);
  const Split reference = options.only.value_or(Split::train);
  auto source = read_source(options, files, reference);
  if (!options.known && source->count(reference) == 0) {
    throw Error(ExitCode::bad_data, fmt::format("--data_dir={}: the {} split has not a single {}; give it more text",
                                                options.data_dir, name(reference), options.tokenizer.name));
  }
  if (!options.known) remark_files(files, *source);
  remark_unknown(*source);
  return source;
}

}  // namespace lockstep
