#include "train/output/metrics_history.h"

#include <algorithm>
#include <optional>

#include "train/output/metrics_lines.h"

namespace lockstep {

MetricsHistory cut_metrics(std::string_view text, std::int64_t step, bool evaluate_again) {
  MetricsHistory history;
  MetricsLines lines(text);
  for (MetricsLine line; lines.next(line);) {
    const std::optional<Json> json = line.json();
    if (!json) {
      // A killed run leaves the beginning of a line.
      history.foreign |= line.whole || !line.text.starts_with('{');
      continue;
    }
    const std::int64_t at = whole_member(*json, "step");
    const std::string kind = text_member(*json, "kind");
    history.reached = std::max(history.reached, at);
    history.ended = kind == "end";
    const bool of_step = at == step && kind == "eval";
    if (at > step || kind == "end" || (of_step && evaluate_again)) continue;
    history.kept.append(line.text).append("\n");
    history.evaluated |= of_step;
    history.wall_seconds = number_member(*json, "wall_seconds");
  }
  return history;
}

}  // namespace lockstep
