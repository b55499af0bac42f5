#include "train/config/check_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/hparams_json.h"
#include "base/printable.h"
#include "base/whole_number.h"
#include "checkpoint/format.h"
#include "data/missed_first_plan.h"
#include "data/shard_plan.h"

namespace lockstep {
namespace {

class Attributes {
 public:
  explicit Attributes(const SavedRun& from) : from_(from) {}

  void check_equal(const char* attribute, const std::string& value, std::string_view item) const {
    if (from_.config.items.empty()) return;
    const std::string* const saved = saved_value(item);
    if (saved != nullptr && *saved == value) return;
    refuse(attribute, fmt::format("is {}, and its attribute {} says {}", in_quotes(value), kConfigAttribute,
                                  saved == nullptr ? "nothing of it" : in_quotes(*saved)));
  }

  void check_hparams(const HParams& of_run) const {
    const HParams saved = parsed();
    if (from_.config.items.empty()) return check_known(saved, of_run);
    check_known(quoted(saved, of_run), of_run);
    check_steps(saved);
    const std::vector<ConfigItem> there = hparam_items(saved);
    for (const ConfigItem& item : there) {
      const std::string* const value = saved_value(item.name);
      if (value != nullptr && *value == item.value) continue;
      refuse(kHparamsAttribute,
             fmt::format("says {}={}, and its attribute {} {}", escaped(item.name), escaped(item.value),
                         kConfigAttribute, value == nullptr ? "nothing of it" : escaped(*value)));
    }
    for (const ConfigItem& item : hparam_items(of_run)) {
      if (saved_value(item.name) == nullptr || find(there, item.name) != nullptr) continue;
      refuse(kHparamsAttribute, fmt::format("lacks {}, which its attribute {} has", item.name, kConfigAttribute));
    }
  }

  void check_cursor(std::int64_t samples_now) const {
    const BatchCursor cursor = after_missed(from_.header.cursor);
    if (is_beyond(cursor)) {
      const std::int64_t most = from_.config.most_batches_of_step;
      refuse(kEpochAttribute, fmt::format("is {} after {} steps; a step takes {} at most", cursor.epoch, cursor.step,
                                          most == 1 ? "an epoch" : fmt::format("{} epochs", most)));
    }
    const std::string* const then = saved_value(kSamplesItem);
    const std::int64_t samples =
        then == nullptr ? samples_now : parse_digits<std::int64_t>(*then).value_or(samples_now);
    if (cursor.consumed >= std::max<std::int64_t>(samples, 1)) {
      refuse(kConsumedAttribute, fmt::format("is {}, and an epoch has {} samples", cursor.consumed, samples));
    }
    check_missed(samples);
    if (then != nullptr && from_.config.batches) check_batches(*from_.config.batches, samples);
  }

 private:
  // True if so many steps cannot have completed so many epochs: a batch takes one at most. (A product could overflow.)
  bool is_beyond(const BatchCursor& cursor) const {
    const std::int64_t most = from_.config.most_batches_of_step;
    return cursor.epoch / most + (cursor.epoch % most == 0 ? 0 : 1) > cursor.step;
  }

  static const ConfigItem* find(const std::vector<ConfigItem>& items, std::string_view name) {
    const auto found = std::ranges::find(items, name, &ConfigItem::name);
    return found == items.end() ? nullptr : &*found;
  }

  const std::string* saved_value(std::string_view item) const {
    const ConfigItem* const found = find(from_.config.items, item);
    return found == nullptr ? nullptr : &found->value;
  }

  HParams parsed() const {
    try {
      return hparams_from_json(from_.header.hparams, kHparamsAttribute).hparams;
    } catch (const Error& error) {
      refuse(kHparamsAttribute, fmt::format("cannot be read: {}", escaped(error.what())));
    }
  }

  // The saved hparams that equal the run's as texts, the only form in config, but are texts where the run's are not, or
  // the reverse: "0.1" for 0.1. (An hparam may have become a whole number since, or ceased to be one.)
  static HParams quoted(const HParams& saved, const HParams& of_run) {
    HParams found;
    for (const auto& [name, value] : saved.values()) {
      const auto here = of_run.values().find(name);
      if (here == of_run.values().end()) continue;
      if (std::holds_alternative<std::string>(value) == std::holds_alternative<std::string>(here->second)) continue;
      const std::vector<ConfigItem> there = hparam_items(HParams().set(name, value));
      if (there == hparam_items(HParams().set(name, here->second))) found.set(name, value);
    }
    return found;
  }

  // Checks the one hparam that config does not have, as a run may be made longer.
  void check_steps(const HParams& saved) const {
    const auto found = saved.values().find("train_steps");
    if (found == saved.values().end()) return;
    const auto* const steps = std::get_if<std::int64_t>(&found->second);
    if (steps == nullptr) refuse(kHparamsAttribute, "says train_steps, and no whole number of them");
    if (*steps < 0) refuse(kHparamsAttribute, fmt::format("says train_steps={}", *steps));
  }

  void check_missed(std::int64_t samples) const {
    for (const std::vector<std::int64_t>& batch : from_.header.cursor.missed) {
      const auto beyond = std::ranges::find_if(batch, [samples](std::int64_t id) { return id >= samples; });
      if (beyond == batch.end()) continue;
      refuse_file(fmt::format("its data set {} holds sample {}, and there are {}, counted from 0",
                              kMissedSamplesDataSet, *beyond, samples));
    }
  }

  void check_batches(const SavedBatches& batches, std::int64_t samples) const {
    const BatchCursor cursor = after_missed(from_.header.cursor);
    const auto& [batch, since] = batches;
    if (batch < 1 || batch > samples || since.step > cursor.step || is_beyond(since) || since.consumed >= samples) {
      refuse(kConfigAttribute,
             fmt::format("says batches of {} since step {}, epoch {} and {} consumed, which cannot be", batch,
                         since.step, since.epoch, since.consumed));
    }
    const ShardPlan plan({.samples = samples, .global_batch = batch, .from = since});
    const BatchCursor there = plan.cursor(cursor.step);
    if (there == cursor) return;
    refuse(
        there.epoch == cursor.epoch ? kConsumedAttribute : kEpochAttribute,
        fmt::format("does not follow from the batches of {} that its attribute {} says: after step {} they have "
                    "completed {} epochs and {} samples of the next one, not {} and {}",
                    batch, kConfigAttribute, cursor.step, there.epoch, there.consumed, cursor.epoch, cursor.consumed));
  }

  // Checks that the run knows these hparams: all of a file that another program wrote, or those of quoted() of a run's
  // own file.
  void check_known(const HParams& saved, HParams of_run) const {
    try {
      of_run.override_with(saved, kHparamsAttribute);
    } catch (const Error& error) {
      refuse(kHparamsAttribute, fmt::format("is not one of this run's model: {}", escaped(error.what())));
    }
  }

  [[noreturn]] void refuse(const char* attribute, const std::string& what) const {
    refuse_file(fmt::format("its attribute {} {}", attribute, what));
  }

  [[noreturn]] void refuse_file(const std::string& why) const {
    throw Error(ExitCode::bad_data,
                fmt::format("'{}': {}. Take the file as it was saved, or give another --output_dir", from_.file, why),
                Scope::every_rank);
  }

  SavedRun from_;
};

}  // namespace

void check_attributes(const SavedRun& from, const HParams& hparams, std::int64_t samples) {
  const Attributes attributes(from);
  attributes.check_equal(kModelAttribute, from.header.model, "model");
  attributes.check_equal(kProblemAttribute, from.header.problem, "problem");
  attributes.check_equal(kRandomSeedAttribute, std::to_string(from.header.seed), "random_seed");
  attributes.check_hparams(hparams);
  attributes.check_cursor(samples);
}

}  // namespace lockstep
