#include "data/predictions/prediction_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <span>
#include <vector>

#include "base/durable_file.h"
#include "base/error.h"
#include "data/predictions/prediction_text.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHdf5Name = "predictions.h5";

std::string in_folder(const std::string& folder, const char* name) { return (fs::path(folder) / name).string(); }

}  // namespace

void PredictionFiles::check_folder(const std::string& folder, Existing existing) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    throw Error(ExitCode::cannot_write,
                fmt::format("cannot make the folder '{}': {}; give another --output_dir", folder, failure.message()));
  }
  for (const char* name : {kHdf5Name, kPredictionsCsv}) {
    const std::string path = in_folder(folder, name);
    check_file_place(path, path);
    if (existing == Existing::replaced) continue;
    if (fs::symlink_status(path, failure).type() == fs::file_type::not_found) continue;
    throw Error(ExitCode::configuration,
                fmt::format("'{}' is there already; give --overwrite to replace it, or another --output_dir", path));
  }
}

PredictionFiles::PredictionFiles(const std::string& folder, const PredictionForm& form, const PredictionOrigin& origin,
                                 const SymbolTexts& symbols)
    : folder_(folder),
      form_(form),
      hdf5_(in_folder(folder, kHdf5Name)),
      csv_(in_folder(folder, kPredictionsCsv)),
      places_(lay_out_predictions(hdf5_, form, origin, symbols)) {
  const std::string names = prediction_header(form);
  csv_.write(std::as_bytes(std::span(names)));
  if (form.texts) put_symbols(symbols);
}

void PredictionFiles::put_symbols(const SymbolTexts& symbols) {
  std::string texts;
  std::vector<std::int64_t> offsets{0};
  for (const std::string& text : symbols.texts) {
    texts += text;
    offsets.push_back(std::ssize(texts));
  }
  hdf5_.write_at(places_.symbol_texts, std::as_bytes(std::span(texts)));
  hdf5_.write_at(places_.symbol_offsets, std::as_bytes(std::span(offsets)));
}

void PredictionFiles::put(const PredictionRows& rows, std::string_view lines) {
  LS_CHECK(rows.first == samples_, fmt::format("rows from {} on after {} rows", rows.first, samples_));
  const std::int64_t values_at = rows_ * form_.values_of_row() * std::int64_t{sizeof(float)};
  if (form_.classes()) {
    hdf5_.write_at(places_.predictions + rows_ * std::int64_t{sizeof(std::int32_t)}, std::as_bytes(rows.classes));
    hdf5_.write_at(places_.probabilities + values_at, std::as_bytes(rows.values));
  } else {
    hdf5_.write_at(places_.predictions + values_at, std::as_bytes(rows.values));
  }
  if (form_.top > 0) {
    const std::int64_t before = rows_ * form_.top;
    hdf5_.write_at(places_.top + before * std::int64_t{sizeof(std::int32_t)}, std::as_bytes(rows.top));
    hdf5_.write_at(places_.top_probabilities + before * std::int64_t{sizeof(float)},
                   std::as_bytes(rows.top_probabilities));
  }
  if (form_.sequences) put_sequences(rows);
  csv_.write(std::as_bytes(std::span(lines)));
  const std::int64_t count = std::ssize(rows.values) / form_.values_of_row();
  rows_ += count;
  samples_ += form_.sequences ? std::ssize(rows.lengths) : count;
  flush_on_the_way(rows.classes.size_bytes() + rows.values.size_bytes() + 2 * rows.top.size_bytes() + lines.size());
}

void PredictionFiles::put_sequences(const PredictionRows& rows) {
  hdf5_.write_at(places_.targets + rows_ * std::int64_t{sizeof(std::int32_t)}, std::as_bytes(rows.targets));
  hdf5_.write_at(places_.losses + rows_ * std::int64_t{sizeof(float)}, std::as_bytes(rows.losses));
  std::vector<std::int64_t> offsets{rows_};
  offsets.reserve(rows.lengths.size() + 1);
  for (const std::int32_t length : rows.lengths) offsets.push_back(offsets.back() + length);
  LS_CHECK(offsets.back() == rows_ + std::ssize(rows.targets), "sequences of other lengths");
  hdf5_.write_at(places_.offsets + samples_ * std::int64_t{sizeof(std::int64_t)}, std::as_bytes(std::span(offsets)));
}

// Starts writing to disk early: otherwise all of it would wait for the end, when nothing is left to compute meanwhile.
void PredictionFiles::flush_on_the_way(std::size_t bytes) {
  constexpr std::size_t kAtOnce = 16 << 20;
  unflushed_ += bytes;
  if (unflushed_ < kAtOnce) return;
  unflushed_ = 0;
  hdf5_.start_flush();
  csv_.start_flush();
}

// Each step is on disk before the next begins, so that even a power cut leaves them in this order.
void PredictionFiles::publish() {
  LS_CHECK(rows_ == form_.rows() && samples_ == form_.samples, fmt::format("{} of {} rows", rows_, form_.rows()));
  hdf5_.finish();
  csv_.finish();
  hdf5_.check_mine();  // otherwise the older CSV file may be one that another job has just finished
  csv_.check_mine();
  remove_older_csv();
  hdf5_.move_to_place();
  sync_folder(folder_);
  csv_.move_to_place();
  sync_folder(folder_);
}

void PredictionFiles::remove_older_csv() {
  if (::unlink(csv_.place().c_str()) == 0) {
    sync_folder(folder_);
  } else if (errno != ENOENT) {
    throw_cannot_write("remove the old", csv_.place(), errno);
  }
}

}  // namespace lockstep
