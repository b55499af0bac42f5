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

// What a model is worth on a split.
struct EvaluationResult {
  struct Value {
    const Metric* metric = nullptr;
    double mean = 0;         // over rows, or over sequences (Metric::Mean)
    std::int64_t count = 0;  // of one that counts
  };

  std::int64_t samples = 0;     // rows that count: of sequences, symbols
  std::int64_t sequences = 0;   // that have such a row; 0 where samples are one row each
  std::int64_t taken = 0;       // of the split's samples, if they are sequences
  std::int64_t outputs = 1;     // classes, or numbers to predict
  std::vector<Value> values{};  // of the metrics that the problem's targets allow, in the order of kMetrics

  // By the metric's name. REQUIRES: it was measured.
  const Value& operator[](std::string_view name) const;
};

// Samples of one row that are computed together where a model is evaluated or predicts, by the sample's size alone:
// small enough to share out evenly, and so that a chunk of large images needs no more memory than a batch of them does.
std::int64_t evaluation_chunk(const ProblemShape& shape);

// The chunks that the first `samples` samples of a split are computed in, or all it has: where each begins, then the
// end of the last one. Of sequences by their lengths, so that a chunk is about as much as a batch of training.
std::vector<std::int64_t> evaluation_chunks(const Problem& problem, Split split, std::int64_t samples);

// The rows of the largest of them: samples, or symbols of sequences.
std::int64_t largest_evaluation_chunk(const Problem& problem, Split split, std::int64_t samples);

// Cuts the first `samples` samples of a split into these chunks, and hands this rank's to `compute`, each as a batch in
// the memory of the backend's device and in the host's, with the samples' numbers. Every rank has its part, each chunk
// is one rank's. compute: waits for what it has the backend do. progress: called after each of them, with the share of
// this rank's that are done. Throws what BatchBuffer::fill throws.
void for_each_chunk(const Communicator& ranks, Backend& backend, const Problem& problem, Split split,
                    std::int64_t samples, const std::function<void(const Batch& batch, const Batch& on_host)>& compute,
                    const std::function<void(double share)>& progress = {});

// Evaluates a split, each sample on one rank. COLLECTIVE; every rank gets the result.
//
// The split is cut into chunks of a size that the sample's shape decides, each computed alone, and chunk results are
// added as integers (in fixed point, 2^-24), so the same parameters give the same result, to the last
// bit, for any number of ranks. A loss that is not finite is an Error(internal).
class Evaluation {
 public:
  Evaluation(Communicator& communicator, Backend& backend, const Problem& problem, Model& model,
             const ParameterStore& parameters);

  // The split's first `samples` samples, or all it has. progress: called as this rank goes on, with the share of its
  // own part that is done.
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
