#include "ps/added_transfer.h"

#include <fmt/format.h>

#include "base/error.h"
#include "optim/update_plan.h"
#include "ps/transfer_lists.h"

namespace lockstep {

std::optional<ServerTransfer::Gradient> AddedServerTransfer::whole() { return take_first(whole_); }

std::optional<std::size_t> AddedServerTransfer::read() { return take_first(read_); }

void AddedServerTransfer::gotten(int client, std::size_t copy) {
  LS_CHECK(false, fmt::format("client {} says that it has gotten copy {}, which no server waits for", client, copy));
}

AddedClientTransfer::AddedClientTransfer(PsMessages& messages, Window& window, PsGroup group,
                                         const ParameterTable& table, std::function<double(std::int64_t)> learning_rate)
    : messages_(messages),
      window_(window),
      group_(std::move(group)),
      learning_rate_(std::move(learning_rate)),
      update_(static_cast<std::size_t>(table.padded_count())) {
  for (const UpdateSpan& span : plan_updates(table, true)) trained_.push_back(span.range);
}

void AddedClientTransfer::read(int server, const PsMessage& /*ready*/, const Tensor& into) {
  window_.read_added(group_.rank_of(server), 0, into.span<float>());
  window_.flush(group_.rank_of(server));
}

void AddedClientTransfer::push(const PsMessage& pushed, const Tensor& gradients) {
  if (pushed.factor != 0) add(pushed, gradients.span<float>());
  for (int server = 0; server < group_.servers(); ++server) messages_.send(group_.rank_of(server), kToServer, pushed);
}

// All adds are started before the first is waited for.
void AddedClientTransfer::add(const PsMessage& pushed, std::span<const float> gradients) {
  const auto rate = static_cast<float>(learning_rate_(pushed.number + 1));
  const auto factor = static_cast<float>(pushed.factor);
  for (const FlatRange range : trained_) {
    const float* const from = gradients.data() + range.begin;
    float* const to = update_.data() + range.begin;
    for (std::int64_t i = 0; i < range.count(); ++i) to[i] = -rate * (factor * from[i]);
  }
  for (int server = 0; server < group_.servers(); ++server) {
    const FlatRange range = group_.range(server);
    window_.add(
        group_.rank_of(server), 0,
        std::span(update_).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.count())));
  }
  for (int server = 0; server < group_.servers(); ++server) window_.flush(group_.rank_of(server));
}

}  // namespace lockstep
