#include "train/saved/opened_checkpoint.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/batch_legs_json.h"

namespace lockstep {
namespace {

struct Numbers {
  std::int64_t found = 0;
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::int64_t consumed = 0;
  std::uint64_t seed = 0;
  std::int64_t ema_updates = 0;
  std::int64_t optimizer_begun = 0;
  std::int64_t replicas = 0;
  std::uint64_t checksum = 0;
  std::int64_t has_average = 0;
};

Numbers numbers_of(const CheckpointDecoder& reader) {
  const CheckpointHeader& header = reader.header();
  return {.found = 1,
          .step = header.step,
          .epoch = header.cursor.epoch,
          .consumed = header.cursor.consumed,
          .seed = header.seed,
          .ema_updates = header.ema_updates,
          .optimizer_begun = header.optimizer_begun,
          .replicas = reader.replicas(),
          .checksum = reader.checksum(),
          .has_average = reader.has_average() ? 1 : 0};
}

void broadcast_missed(Communicator& world, std::vector<std::vector<std::int64_t>>& missed) {
  auto batches = std::ssize(missed);
  broadcast_value(world, batches, 0);
  missed.resize(static_cast<std::size_t>(batches));
  for (std::vector<std::int64_t>& samples : missed) {
    auto count = std::ssize(samples);
    broadcast_value(world, count, 0);
    samples.resize(static_cast<std::size_t>(count));
    world.broadcast(std::as_writable_bytes(std::span(samples)), 0);
  }
}

}  // namespace

bool share_checkpoint(Communicator& world, std::unique_ptr<CheckpointDecoder> reader, OpenedCheckpoint& opened) {
  Numbers numbers;
  std::string legs;
  opened = {};
  if (reader != nullptr) {
    numbers = numbers_of(*reader);
    legs = legs_to_json(reader->header().cursor.legs);
    opened.header = reader->header();
    opened.file = reader->path();
    opened.reader = std::move(reader);
  }
  broadcast_value(world, numbers, 0);
  if (numbers.found == 0) return false;
  CheckpointHeader& header = opened.header;
  header.step = numbers.step;
  header.seed = numbers.seed;
  header.ema_updates = numbers.ema_updates;
  header.optimizer_begun = numbers.optimizer_begun;
  opened.replicas = static_cast<int>(numbers.replicas);
  opened.checksum = numbers.checksum;
  opened.has_average = numbers.has_average != 0;
  for (std::string* text : {&header.model, &header.problem, &header.shape, &header.vocabulary, &header.hparams,
                            &header.config, &opened.file}) {
    broadcast_text(world, *text, 0);
  }
  broadcast_text(world, legs, 0);
  header.cursor.step = numbers.step;
  header.cursor.epoch = numbers.epoch;
  header.cursor.consumed = numbers.consumed;
  header.cursor.legs = legs_from_json(legs);
  broadcast_missed(world, header.cursor.missed);
  return true;
}

}  // namespace lockstep
