#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "collective/communicator.h"
#include "data/problem.h"
#include "model/model.h"
#include "tensor/backend.h"

namespace lockstep {

// Metrics of a model on a split.
struct EvaluationResult {
  struct Value {
    const Metric* metric = nullptr;
    double mean = 0;         // mean over rows, or over sequences (Metric::Mean)
    std::int64_t count = 0;  // count, if the metric is one that counts
  };

  std::int64_t samples = 0;     // rows that count; in sequences, symbols
  std::int64_t sequences = 0;   // sequences with a row that counts; 0 if each sample is one row
  std::int64_t taken = 0;       // sequences that were evaluated; 0 if each sample is one row
  std::int64_t outputs = 1;     // classes, or numbers to predict
  std::vector<Value> values{};  // metrics that the problem's targets allow, in the order of kMetrics

  // Returns the value of the metric with this name. REQUIRES: it was measured.
  const Value& operator[](std::string_view name) const;
};

// Number of one-row samples that are evaluated or predicted together. It depends only on the sample's size: small
// enough to share out evenly, and for a chunk of large images to need no more memory than a batch of them.
std::int64_t evaluation_chunk(const ProblemShape& shape);

// Bounds of the chunks in which the first `samples` samples of a split (or all it has) are computed: the begin of each
// chunk, then the end of the last. Sequences are cut by their lengths, so that chunks have about as many symbols.
std::vector<std::int64_t> evaluation_chunks(const Problem& problem, Split split, std::int64_t samples);

// Rows of the largest of these chunks: samples, or symbols of sequences.
std::int64_t largest_evaluation_chunk(const Problem& problem, Split split, std::int64_t samples);

// Cuts the first `samples` samples of a split into these chunks, and hands this rank's to `compute`, each as a batch in
// the memory of the backend's device and in the host's, with the samples' numbers. Each chunk belongs to one rank.
// compute: has to wait for the work that it gives to the backend. progress: called after each chunk with the share of
// this rank's chunks that are done. Throws what BatchBuffer::fill throws.
void for_each_chunk(const Communicator& ranks, Backend& backend, const Problem& problem, Split split,
                    std::int64_t samples, const std::function<void(const Batch& batch, const Batch& on_host)>& compute,
                    const std::function<void(double share)>& progress = {});

// Evaluates a split, each sample on one rank. COLLECTIVE; every rank gets the result.
//
// The split is cut into chunks that depend on its samples alone. Each is computed alone, and chunk results are added as
// integers (in fixed point, 2^-24), so the same parameters give the same result, to the last bit, for any number of
// ranks. If a loss or another sum is not finite, or beyond 2^62, every rank throws Error(internal).
class Evaluation {
 public:
  Evaluation(Communicator& communicator, Backend& backend, const Problem& problem, Model& model,
             const ParameterStore& parameters);

  // Evaluates the split's first `samples` samples, or all it has. progress: called as this rank goes on, with the share
  // of its own part that is done. Throws also what for_each_chunk() throws.
  EvaluationResult run(Split split, std::int64_t samples = std::numeric_limits<std::int64_t>::max(),
                       const std::function<void(double share)>& progress = {});

 private:
  Communicator& communicator_;
  Backend& backend_;
  const Problem& problem_;
  Model& model_;
  const ParameterStore& parameters_;
};

}  // namespace lockstep
