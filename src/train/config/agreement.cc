#include "train/config/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/host_name.h"
#include "base/sha256.h"
#include "checkpoint/shape_json.h"
#include "train/config/data_digest.h"

namespace lockstep {
namespace {

// The items as one text: "name\0value\0name\0value\0". A value that fills pages is replaced by its beginning and its
// digest.
std::string packed(std::span<const AgreedItem> items) {
  constexpr std::size_t kShown = 4096;
  std::string text;
  for (const AgreedItem& item : items) {
    text += item.name + '\0';
    if (item.value.size() <= kShown) {
      text += item.value;
    } else {
      Sha256 sha;
      sha.update(std::as_bytes(std::span(item.value)));
      text += item.value.substr(0, kShown / 2) + "... " + hex(sha.finish()).substr(0, 16);
    }
    text += '\0';
  }
  return text;
}

std::vector<AgreedItem> unpacked(std::string_view text) {
  std::vector<AgreedItem> items;
  const auto take = [&text] {
    const std::size_t end = std::min(text.find('\0'), text.size());
    std::string part(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
  };
  while (!text.empty()) {
    std::string name = take();
    items.push_back({std::move(name), take()});
  }
  return items;
}

std::string value_of(const std::vector<AgreedItem>& items, const std::string& name) {
  const auto found = std::ranges::find(items, name, &AgreedItem::name);
  return found == items.end() ? "(not there)" : found->value;
}

// Throws if rank `other` has another value than rank 0 for one of the names. hosts: those of all ranks.
void compare(std::span<const AgreedItem> names, const std::vector<AgreedItem>& first,
             const std::vector<AgreedItem>& others, std::size_t other, const std::vector<std::string>& hosts) {
  for (const AgreedItem& item : names) {
    const std::string here = value_of(first, item.name);
    const std::string there = value_of(others, item.name);
    if (here == there) continue;
    throw Error(
        ExitCode::configuration,
        fmt::format("the ranks do not run the same job: {} is '{}' on rank 0 ({}) and '{}' on rank {} ({}); start all "
                    "ranks with one command line, on hosts that see the same files",
                    item.name, here, hosts.front(), there, other, hosts[other]),
        Scope::every_rank);
  }
}

std::string shapes_of(const ParameterTable& table) {
  std::string text;
  for (const Variable& variable : table.variables()) text += variable.name + " " + variable.shape.text() + "; ";
  return text;
}

}  // namespace

std::vector<std::string> texts_of_ranks(Communicator& ranks, const std::string& mine) {
  const auto sizes = all_gather_value(ranks, static_cast<std::int64_t>(mine.size()));
  const auto longest = static_cast<std::size_t>(*std::ranges::max_element(sizes));
  std::string padded = mine;
  padded.resize(longest);
  std::string all(longest * sizes.size(), '\0');
  ranks.all_gather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    texts.push_back(all.substr(rank * longest, static_cast<std::size_t>(sizes[rank])));
  }
  return texts;
}

void check_agreement(Communicator& world, std::span<const AgreedItem> items) {
  const std::string mine = packed(items);
  Sha256 sha;
  sha.update(std::as_bytes(std::span(mine)));
  const auto digests = all_gather_value(world, sha.finish());
  const auto differs = [&](const auto& digest) { return digest != digests.front(); };
  if (std::ranges::none_of(digests, differs)) return;

  const std::vector<std::string> texts = texts_of_ranks(world, mine);
  const std::vector<std::string> hosts = texts_of_ranks(world, host_name());
  const std::vector<AgreedItem> first = unpacked(texts.front());
  for (std::size_t rank = 1; rank < texts.size(); ++rank) {
    const std::vector<AgreedItem> others = unpacked(texts[rank]);
    compare(first, first, others, rank, hosts);
    compare(others, first, others, rank, hosts);  // items that rank 0 lacks
  }
  fail(LS_HERE("check_agreement"), "digests differ, but no item does");
}

std::vector<AgreedItem> job_items(const TrainSettings& settings, const HParams& hparams) {
  std::vector<AgreedItem> items{{"the version", LOCKSTEP_VERSION},
                                {"the SHA-256 of --usr_lib", settings.usr_lib_sha256}};
  for (const TrainSetting& setting : train_settings()) {
    if (setting.scope != SettingScope::job || setting.field.index() == 0) continue;
    const std::string unset(setting.if_unset.empty() ? "not set" : setting.if_unset);
    items.push_back({fmt::format("--{}", setting.name), value_text(setting, settings).value_or(unset)});
  }
  for (const auto& [name, value] : hparams.values()) {
    items.push_back({"hparam " + name, std::visit([](const auto& typed) { return fmt::format("{}", typed); }, value)});
  }
  return items;
}

std::vector<AgreedItem> data_items(const RunPlan& plan, const Problem& problem, const TrainingData& data,
                                   const std::string& summation) {
  const BlockLayout layout = plan.batches->layout();
  // If the training split has no digest, there is nothing to compare: samples are generated, or this rank is alone.
  const auto checksum_of = [&](Split split) -> std::string {
    return data.digest.empty() ? "" : data_checksum(problem, split);
  };
  return {{"a sample's shape", shape_to_json(problem.shape())},
          {"blocks of the training samples", fmt::format("{} in windows of {}", layout.block, layout.window_blocks)},
          {"number of training samples", std::to_string(data.samples)},
          {"number of dev samples", std::to_string(problem.count(Split::dev))},
          {"number of test samples", std::to_string(problem.count(Split::test))},
          {"the checksum of the training samples", checksum_of(Split::train)},
          {"the checksum of the dev samples", checksum_of(Split::dev)},
          {"the checksum of the test samples", checksum_of(Split::test)},
          {"the digest of the training samples", data.digest},
          {"number of steps", std::to_string(plan.train_steps)},
          {"what sums gradients", summation}};
}

std::vector<AgreedItem> model_items(const std::string& model, const ParameterTable& table) {
  return {{"the variables of the model", model + ": " + shapes_of(table)}};
}

}  // namespace lockstep
