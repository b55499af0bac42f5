#include "train/output/events/variable_histograms.h"

#include <doctest/doctest.h>

#include <map>

#include "optim/optimizers.h"
#include "support/temporary_folder.h"
#include "tensor/cpu/cpu_backend.h"
#include "train/output/events/read_events.h"
#include "train/strategy/replica.h"
#include "train/train_rank.h"

namespace lockstep {
namespace {

// Numbers of the histogram by "step tag".
using Histograms = std::map<std::string, std::vector<double>>;

// Reads the histograms of all files in a folder.
Histograms histograms_in(const std::string& folder) {
  Histograms histograms;
  for (const std::string& file : files_in(folder)) {
    if (file.find("tfevents") == std::string::npos) continue;
    for (const auto& event : events_in(file)) {
      for (const auto& value : event.summary().value()) {
        if (value.metadata().plugin().name() != "histograms") continue;
        const auto& numbers = value.tensor().double_value();
        const auto [at, is_new] = histograms.emplace(std::to_string(event.step()) + " " + value.tag(),
                                                     std::vector<double>(numbers.begin(), numbers.end()));
        CHECK_MESSAGE(is_new, at->first);
      }
    }
  }
  return histograms;
}

std::vector<std::string> names(const Histograms& histograms) {
  std::vector<std::string> names;
  for (const auto& [name, numbers] : histograms) names.push_back(name);
  return names;
}

double lowest(const std::vector<double>& numbers) { return numbers.front(); }
double highest(const std::vector<double>& numbers) { return numbers.at(88); }
double count(const std::vector<double>& numbers) {
  double sum = 0;
  for (std::size_t i = 2; i < numbers.size(); i += 3) sum += numbers[i];
  return sum;
}

// Settings for 20 steps that end with the same bits on any number of ranks.
TrainSettings exact_settings() {
  TrainSettings settings = small_settings();
  settings.exact = true;
  settings.hparams = "hidden_size=24,optimizer=adam,dropout=0.2,normalize_inputs=True,clip_grad_norm=0.5";
  settings.histogram_every = 8;
  return settings;
}

}  // namespace

TEST_CASE("histograms are of the parameters after the step, and of the clipped mean gradient that it took") {
  ParameterTable table;
  table.add_constant("mean", {5});
  table.add("kernel", {3}, true);
  HostAllocator allocator;
  const auto backend = make_cpu_backend();
  const auto sgd = make_sgd({});
  const ParameterStore store(table, allocator, allocator, DType::float32);
  Replica replica(*backend, store, *sgd, /*clip_norm=*/2.5);
  replica.own_all();
  backend->fill(store.value(0), 9);
  const TemporaryFolder folder;
  EventFile file(folder.path(), 0);
  VariableHistograms histograms(*backend, store, file, 2);
  for (std::int64_t step = 1; step <= 3; ++step) {
    backend->fill(store.gradients(), 0);
    store.gradient(1).as<float>()[0] = 12;
    store.gradient(1).as<float>()[2] = -16;  // four samples: 3 and -4, clipped from the norm 5
    const Replica::Update made = replica.update(step, 1, {.loss = 1, .weight = 4}, Scope::every_rank);
    histograms.after_step(step, made.gradient_factor);
  }
  const Histograms found = histograms_in(folder.path());
  CHECK(names(found) == std::vector<std::string>{"2 gradients/kernel", "2 parameters/kernel", "2 parameters/mean"});
  CHECK(count(found.at("2 gradients/kernel")) == 3);
  CHECK(highest(found.at("2 gradients/kernel")) == doctest::Approx(1.5));
  CHECK(lowest(found.at("2 gradients/kernel")) == doctest::Approx(-2));
  CHECK(highest(found.at("2 parameters/kernel")) == doctest::Approx(2 * 2));
  CHECK(lowest(found.at("2 parameters/kernel")) == doctest::Approx(2 * -1.5));
  CHECK(count(found.at("2 parameters/mean")) == 5);
  CHECK(lowest(found.at("2 parameters/mean")) == 9);
}

TEST_CASE("--histogram_every: the same histograms from any number of ranks under --exact, and the same training") {
  const TrainSettings settings = exact_settings();
  TrainSettings without = settings;
  without.histogram_every = 0;
  const std::string expected_parameters = train_alone(without).outcome.parameters_sha256;
  Histograms expected;
  for (const int ranks : {1, 3, 5}) {
    const TemporaryFolder folder;
    TrainSettings mine = settings;
    mine.output_dir = folder.path();
    for_thread_ranks(ranks, [&](RankContext& rank) {
      CHECK(train_rank(rank, mine).outcome.parameters_sha256 == expected_parameters);
    });
    const Histograms found = histograms_in(folder.path());
    if (ranks == 1) expected = found;
    CHECK(found == expected);
  }
  CHECK(expected.contains("8 gradients/linear_1/kernel"));
  CHECK(expected.contains("16 parameters/standardization_0/mean"));
  CHECK(expected.at("8 gradients/linear_1/kernel") != expected.at("16 gradients/linear_1/kernel"));
  for (const auto& [name, numbers] : expected) {
    CAPTURE(name);
    CHECK((name.starts_with("8 ") || name.starts_with("16 ")));
    CHECK(name.find("gradients/standardization") == std::string::npos);
  }
}

TEST_CASE("--histogram_every: every strategy, and ranks without a share of the data") {
  for (const char* strategy : {"sync", "model_averaging"}) {
    const TemporaryFolder folder;
    TrainSettings settings = small_settings();
    settings.strategy = strategy;
    settings.sync_every = 7;
    settings.histogram_every = 10;
    settings.output_dir = folder.path();
    for_thread_ranks(3, [&](RankContext& rank) {
      train_rank(rank, settings, builtin_registry(), nullptr, rank.communicator.rank() != 0);
    });
    const Histograms found = histograms_in(folder.path());
    CHECK(found.contains("10 gradients/linear_0/kernel"));
    CHECK(found.contains("20 parameters/linear_0/kernel"));
    CHECK(highest(found.at("20 parameters/linear_0/kernel")) > 0);
  }
}

}  // namespace lockstep
