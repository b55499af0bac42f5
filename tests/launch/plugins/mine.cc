// A plug-in that adds an hparams set, a communicator, a strategy and tokenizers, or throws as the registry requests.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "train/registry/registry.h"
#include "train/strategy/sync.h"

namespace {

// Tells blanks, symbol 2, from all other bytes, symbol 3.
class Blanks final : public lockstep::Tokenizer {
 public:
  using Tokenizer::Tokenizer;
  std::int64_t size() const override { return 4; }
  std::optional<std::int32_t> unknown() const override { return std::nullopt; }
  std::string decode(std::span<const std::int32_t> symbols) const override {
    std::string text;
    for (const std::int32_t symbol : symbols) {
      if (symbol >= lockstep::kFirstSymbol) text += symbol == lockstep::kFirstSymbol ? ' ' : 'x';
    }
    return text;
  }

 private:
  bool take_piece(std::string_view& text, std::vector<std::int32_t>& symbols) const override {
    if (text.empty()) return false;
    symbols.push_back(text.front() == ' ' ? lockstep::kFirstSymbol : lockstep::kFirstSymbol + 1);
    text.remove_prefix(1);
    return true;
  }
  lockstep::Json::Object to_members() const override { return {}; }
};

// A kind of this name that makes tokenizers of a kind of another name.
lockstep::TokenizerKind blanks(std::string_view name, std::string_view made) {
  return {.name = name,
          .help = "blanks, and what is none",
          .utf8 = false,
          .make = [made](std::string_view,
                         const lockstep::TokenizerOptions&) { return std::make_shared<Blanks>(blanks(made, made)); },
          .from_json =
              [made](const lockstep::Json& json) {
                if (json.find("tabs") != nullptr) throw lockstep::JsonError("tabs: there are none");
                return std::make_shared<Blanks>(blanks(made, made));
              }};
}

}  // namespace

extern "C" void lockstep_register(lockstep::Registry& registry) {
  if (registry.hparams_sets.has("throw a runtime_error")) throw std::runtime_error("no licence found");
  if (registry.hparams_sets.has("throw a number")) throw 42;
  registry.hparams_sets.add("mine", "one number", [] { return lockstep::HParams().set("number", std::int64_t{7}); });
  if (registry.hparams_sets.has("bad name")) registry.models.add("a,b", "", {});
  registry.models.add("none", "no model", [](const auto&, const auto&) { return nullptr; });
  registry.models.add("empty", "no function", {});
  registry.models.add("thrown", "no licence", [](const auto&, const auto&) -> std::unique_ptr<lockstep::Model> {
    throw std::runtime_error("no licence found");
  });
  registry.hparams_sets.add("thrown", "a number", []() -> lockstep::HParams { throw 42; });
  if (registry.hparams_sets.has("other name")) registry.tokenizers.add("yours", "", blanks("mine", "mine"));
  registry.tokenizers.add("mine", "blanks, and what is none", blanks("mine", "mine"));
  registry.tokenizers.add("other", "another kind", blanks("other", "mine"));
  registry.tokenizers.add("none", "nothing",
                          {.name = "none", .help = "", .make = [](std::string_view, const lockstep::TokenizerOptions&) {
                             return lockstep::TokenizerPointer();
                           }});
  registry.communicators.add("mine", "a copy of the group", [](const lockstep::CommunicatorParts& parts) {
    return parts.group.split(0, parts.group.rank());
  });
  registry.strategies.add("mine", "sync in small buckets",
                          {.make =
                               [](const lockstep::StrategyParts& parts) {
                                 return lockstep::make_sync_strategy(
                                     parts.communicator, parts.trace, parts.replica,
                                     {.bucket_elements = 1000, .accumulated_shares = parts.plan.own_shares});
                               },
                           .settings = {"overlap"},
                           .refused = {{"exact", "its buckets are summed in the order of the ranks"}}});
}
