#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/hparams.h"
#include "data/batch_plan.h"
#include "data/problem.h"

namespace lockstep {

// A run's request for batches. Batches are counted in samples, those of sequences in tokens.
struct BatchRequest {
  std::int64_t own_batch = 1;                  // batch of one pass of a rank
  int parts = 1;                               // passes of a step, over all ranks
  std::optional<std::int64_t> global_batch{};  // batch of a step; none: own_batch for each part
  int shares = 1;
  std::uint64_t seed = 1;
};

// Plans a problem whose samples are rows. A batch of more samples than there are takes all of them. The missed batches
// of the position `from` come first (data/missed_first_plan.h). If the data have shrunk below that position, the next
// epoch begins, without them.
std::shared_ptr<const BatchPlan> plan_samples(const Problem& problem, const BatchRequest& request, BatchCursor from);

// Plans a problem of sequences, by hparams max_length, min_length_bucket and length_bucket_step as in tensor2tensor;
// with a global batch the sequences of a step do not depend on the number of parts. Reads the lengths of all training
// samples. Missed batches come first, too. If the problem cuts its data to max_length, another max_length begins the
// next epoch, without them. Throws Error of every rank: usage for an hparam out of range, configuration if all samples
// are longer than max_length.
std::shared_ptr<const BatchPlan> plan_sequences(const Problem& problem, const HParams& hparams,
                                                const BatchRequest& request, BatchCursor from);

// The hparams of plan_sequences(), with tensor2tensor's defaults. A set of hparams may leave any of them out.
HParams sequence_batch_hparams();

// Hparam max_length: limit on the symbols of a training sequence; 0: no limit. Throws Error(usage) of every rank if it
// is out of range.
std::int64_t max_length_of(const HParams& hparams);

}  // namespace lockstep
