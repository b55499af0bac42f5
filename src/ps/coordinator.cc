#include "ps/coordinator.h"

#include <algorithm>

namespace lockstep {

std::optional<int> Coordinator::client_to_serve() {
  if (!gate().may_pull()) return {};
  const auto client = std::ranges::find_if(wanting(), [this](int wants) { return may_have(wants); });
  return client == wanting().end() ? std::nullopt : std::optional(*client);
}

std::optional<CommandStream::Pull> Coordinator::gradient_to_add() {
  const auto pull = std::ranges::find_if(whole(), [this](const Pull& each) { return gate().may_add(each.number); });
  return pull == whole().end() ? std::nullopt : std::optional(*pull);
}

}  // namespace lockstep
