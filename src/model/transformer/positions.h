#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/transformer/transformer_options.h"
#include "model/uploaded_numbers.h"

namespace lockstep {

// Tells the rows of a sequence apart by their places: adds a row of a table for each position to the rows (B,
// hidden_size). The table is tensor2tensor's timing signal (model/timing_signal.h), or learned, or there is none.
class SequencePositions {
 public:
  SequencePositions(const TransformerOptions& options, std::string name);

  void declare(Declaration& declaration);
  // positions (B): each row's in its sequence; empty: counted from 0 on in each sequence of the pass.
  // Throws Error(configuration) for a sequence that is longer than the learned table.
  void add_to(const Tensor& rows, std::span<const std::int32_t> positions, Pass& pass);
  // rows: the gradient of the result of add_to(). Writes the table's gradient.
  void backward(const Tensor& rows, Pass& pass) const;

 private:
  void number_rows(std::int64_t rows, std::span<const std::int32_t> positions, Pass& pass);
  Tensor signal(std::int64_t longest, Pass& pass);

  TransformerOptions::Positions kind_;
  std::int64_t width_;
  std::int64_t learned_;  // positions of the learned table
  Initializer start_;
  std::string name_;
  int table_ = 0;
  std::int64_t longest_ = 0;           // length of the pass's longest sequence, by its last position
  std::vector<std::int32_t> numbers_;  // the positions of the pass's rows
  Tensor numbers_on_device_;
  Tensor signal_;
  UploadedNumbers uploaded_;
  std::vector<Buffer> signals_on_host_;  // one per length, as the device may not have copied them yet
  LayerMemory signal_memory_;            // freed first, which waits for the copies
};

}  // namespace lockstep
