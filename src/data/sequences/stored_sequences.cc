#include "data/sequences/stored_sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "base/error.h"
#include "data/arrays/array_blocks.h"
#include "data/sequences/sequence_pair.h"
#include "tensor/batch.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_array(const ArrayForm& form, const std::string& why) {
  throw Error(ExitCode::bad_data, fmt::format("{}: {}", form.name, why));
}

void check_whole_numbers(const ArrayForm& form) {
  if (!is_float(form.type) && form.extents.rank() == 1) return;
  refuse_array(form,
               fmt::format("it is {} of shape {}; sequences are whole numbers (int32) of shape (N): all symbols one "
                           "after the other, and as many lengths as there are sequences",
                           name(form.type), form.extents.text()));
}

// Calls f(index, number) for each element; no number for one that does not fit 64 bits.
template <class F>
void for_each_number(const ArraySource& source, const F& f) {
  const ArrayForm& form = source.form();
  const std::int64_t piece = block_rows(form);
  std::vector<std::byte> bytes(static_cast<std::size_t>(piece * form.row_bytes()));
  for (std::int64_t first = 0; first < form.rows(); first += piece) {
    const std::int64_t count = std::min(piece, form.rows() - first);
    const std::span read = std::span(bytes).first(static_cast<std::size_t>(count * form.row_bytes()));
    source.read(first, count, read);
    for (std::int64_t i = 0; i < count; ++i) f(first + i, integer_at(form.type, read, static_cast<std::size_t>(i)));
  }
}

std::string number_text(const std::optional<std::int64_t>& number) {
  return number ? fmt::format("{}", *number) : "beyond 2^63";
}

// The begin of each sequence, and the end of the last one.
std::vector<std::int64_t> read_begins(const SequenceArrays& arrays) {
  const ArrayForm& form = arrays.lengths->form();
  check_whole_numbers(form);
  std::vector<std::int64_t> begins{0};
  begins.reserve(static_cast<std::size_t>(form.rows()) + 1);
  for_each_number(*arrays.lengths, [&](std::int64_t sample, const std::optional<std::int64_t>& length) {
    if (!length || *length < 1 || *length > kMostPositions) {
      refuse_array(form,
                   fmt::format("sample {} (counted from 0) has {} symbols; a sequence has 1 to {}: leave empty ones "
                               "out, and cut those that are longer",
                               sample, number_text(length), kMostPositions));
    }
    begins.push_back(begins.back() + *length);
  });
  const ArrayForm& symbols = arrays.symbols->form();
  if (begins.back() != symbols.rows()) {
    refuse_array(form, fmt::format("its {} lengths add up to {}, but {} has {} symbols; write both again", form.rows(),
                                   begins.back(), symbols.name, symbols.rows()));
  }
  return begins;
}

}  // namespace

std::int64_t largest_symbol(const SequenceArrays& arrays) {
  check_whole_numbers(arrays.symbols->form());
  std::int64_t largest = 0;
  for_each_number(*arrays.symbols, [&](std::int64_t /*index*/, const std::optional<std::int64_t>& symbol) {
    largest = std::max(largest, symbol.value_or(std::numeric_limits<std::int64_t>::max()));
  });
  return largest;
}

StoredSequences::StoredSequences(const SequenceArrays& arrays, const SymbolRange& range) {
  const ArrayForm& form = arrays.symbols->form();
  check_whole_numbers(form);
  begins_ = read_begins(arrays);
  symbols_ = SymbolStream(range.size, static_cast<std::size_t>(form.rows()));
  std::int64_t sample = 0;
  for_each_number(*arrays.symbols, [&](std::int64_t index, const std::optional<std::int64_t>& symbol) {
    if (index == begins_[static_cast<std::size_t>(sample) + 1]) ++sample;
    if (!symbol || *symbol < 0 || *symbol >= range.size) {
      const std::string why = symbol && *symbol < 0 ? "negative; number symbols from 0 on, where 0 is padding"
                                                    : fmt::format("outside the vocabulary of {} symbols, 0 to {}, {}",
                                                                  range.size, range.size - 1, range.reason);
      refuse_array(form, fmt::format("sample {}, position {} (counted from 0): symbol {} is {}", sample,
                                     index - begins_[static_cast<std::size_t>(sample)], number_text(symbol), why));
    }
    if (*symbol == kPadSymbol) ++paddings_;
    symbols_.push_back(static_cast<std::int32_t>(*symbol));
  });
}

std::int64_t StoredSequences::length(std::int64_t sample) const {
  LS_CHECK(sample >= 0 && sample < count(), "no such sample");
  return begins_[static_cast<std::size_t>(sample) + 1] - begins_[static_cast<std::size_t>(sample)];
}

void StoredSequences::read(std::int64_t sample, std::vector<std::int32_t>& into) const {
  const std::int64_t symbols = length(sample);
  symbols_.read(begins_[static_cast<std::size_t>(sample)], symbols, into);
}

}  // namespace lockstep
