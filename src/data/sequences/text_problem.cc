#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/resource_limits.h"
#include "data/problems.h"
#include "data/sequences/split_texts.h"
#include "data/sequences/text_files.h"
#include "data/sequences/text_source.h"
#include "data/sequences/vocabulary.h"
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

// Options of the vocabulary that is made from a text.
Vocabulary::Options vocabulary_options(const ProblemOptions& options) {
  Vocabulary::Options wanted{.unit = options.text_unit, .each_megabyte = options.while_reading};
  if (options.vocab_size == 0) return wanted;
  const auto refuse = [&options](const std::string& why) {
    throw Error(ExitCode::usage, fmt::format("hparam vocab_size={}: {}", options.vocab_size, why), Scope::every_rank);
  };
  if (options.text_unit != TextUnit::word) {
    refuse(
        fmt::format("a text read by its {}s has as many symbols as there are of them; leave it out, or give "
                    "text_unit=word",
                    name(options.text_unit)));
  }
  wanted.most_words = options.vocab_size - Vocabulary::kSymbolsBesideWords;
  if (wanted.most_words < 1) {
    refuse(fmt::format("padding, the end and unknown words are {} symbols already; give more",
                       Vocabulary::kSymbolsBesideWords));
  }
  if (options.vocab_size > Vocabulary::kMostSymbols) {
    refuse(fmt::format("a vocabulary has at most {} symbols; give fewer", Vocabulary::kMostSymbols));
  }
  return wanted;
}

// The vocabulary that a model was made with.
Vocabulary vocabulary_of_model(const ProblemShape& model, const ProblemOptions& options) {
  const auto refuse = [](ExitCode code, const std::string& why) { throw Error(code, why, Scope::every_rank); };
  if (model.vocabulary_json.empty()) {
    refuse(ExitCode::configuration,
           fmt::format("the model was not made for a text, and has no vocabulary to read --problem={} with; give the "
                       "checkpoint of a model that was",
                       kTextProblem));
  }
  try {
    Vocabulary vocabulary = Vocabulary::from_json(parse_json(model.vocabulary_json));
    if (vocabulary.unit() != options.text_unit) {
      refuse(ExitCode::configuration, fmt::format("hparam text_unit={}, but the model was made for {}s; leave it out",
                                                  name(options.text_unit), name(vocabulary.unit())));
    }
    if (vocabulary.size() != model.vocabulary) {
      refuse(ExitCode::bad_data, fmt::format("the checkpoint's vocabulary has {} symbols, and its model {}; it is "
                                             "damaged, or was put together by hand",
                                             vocabulary.size(), model.vocabulary));
    }
    return vocabulary;
  } catch (const JsonError& error) {
    throw Error(ExitCode::bad_data, fmt::format("the checkpoint's vocabulary cannot be read: {}", error.what()),
                Scope::every_rank);
  }
}

// reference: the split whose units form the vocabulary, unless the model brings one.
std::unique_ptr<TextSource> read_source(const ProblemOptions& options, const TextFiles& files, Split reference) {
  std::size_t bytes = 0;
  try {
    PerSplit<std::string> texts = read_split_texts(files, options.text_unit, options.only, options.while_reading);
    for (const Split split : kAllSplits) bytes += texts[split].size();
    Vocabulary vocabulary = options.known ? vocabulary_of_model(*options.known, options)
                                          : Vocabulary(vocabulary_options(options), texts[reference]);
    return std::make_unique<TextSource>(std::move(vocabulary), options.max_length, std::move(texts),
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
                    unknown, source.length(split), name(source.symbols().unit()), name(split)));
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
                                                options.data_dir, name(reference), name(options.text_unit)));
  }
  if (!options.known) remark_files(files, *source);
  remark_unknown(*source);
  return source;
}

}  // namespace lockstep
