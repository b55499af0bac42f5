#include "train/config/train_setting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/duration.h"
#include "base/error.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

constexpr std::int64_t kYear = std::int64_t{365} * 24 * 3600;  // no time may be longer
constexpr std::string_view kTune = "tune";

template <class T>
std::optional<T> parse(const std::string& text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end) return {};
  return value;
}

// Writes a value as text; nothing if it is not set.
struct Writer {
  std::optional<std::string> operator()(const std::string& value) const {
    return value.empty() ? std::nullopt : std::optional(value);
  }
  std::optional<std::string> operator()(bool value) const { return value ? std::optional("true") : std::nullopt; }
  std::optional<std::string> operator()(std::int64_t value) const { return std::to_string(value); }
  std::optional<std::string> operator()(std::uint64_t value) const { return std::to_string(value); }
  std::optional<std::string> operator()(double value) const { return fmt::format("{}", value); }
  std::optional<std::string> operator()(const TunableNumber& value) const {
    return value.tune ? std::optional(std::string(kTune)) : (*this)(value.value);
  }
  std::optional<std::string> operator()(std::chrono::seconds value) const { return std::to_string(value.count()); }
  template <class T>
  std::optional<std::string> operator()(const std::optional<T>& value) const {
    return value ? (*this)(*value) : std::nullopt;
  }
  std::optional<std::string> operator()(const std::vector<std::string>& values) const {
    return values.empty() ? std::nullopt : std::optional(fmt::format("{}", fmt::join(values, ",")));
  }
};

// Reads a text into a value; returns why it cannot, "" if it can.
class Reader {
 public:
  Reader(const TrainSetting& setting, const std::string& text) : setting_(setting), text_(text) {}

  std::string operator()(std::string& value) const {
    if (!setting_.choices.empty()) return choose(value);
    if (text_.empty() && !setting_.may_be_empty) return "the value is empty; is a variable unset?";
    value = text_;
    return "";
  }

  std::string operator()(bool& value) const {
    value = text_ == "true";
    return "";
  }

  std::string operator()(std::int64_t& value) const {
    const auto number = parse<std::int64_t>(text_);
    if (number && setting_.least <= *number && *number <= setting_.most) {
      value = *number;
      return "";
    }
    const bool bounded = setting_.most < std::numeric_limits<std::int64_t>::max();
    return fmt::format("expected a whole number {} {}{}", bounded ? "from" : "of at least", setting_.least,
                       bounded ? fmt::format(" to {}", setting_.most) : "");
  }

  std::string operator()(std::uint64_t& value) const {
    std::int64_t number = 0;
    std::string why = (*this)(number);
    if (why.empty()) value = static_cast<std::uint64_t>(number);
    return why;
  }

  std::string operator()(double& value) const {
    const auto number = parse<double>(text_);
    const double limit = setting_.number_limit;
    // NaN fails all comparisons.
    if (number && *number > 0 && (*number < limit || (*number == limit && !setting_.below_limit))) {
      value = *number;
      return "";
    }
    return fmt::format("expected a number above 0 and {} {}", setting_.below_limit ? "below" : "up to", limit);
  }

  std::string operator()(TunableNumber& value) const {
    value.tune = text_ == kTune;
    if (value.tune) return "";
    const std::string why = (*this)(value.value);
    return why.empty() ? "" : fmt::format("{}, or {}", why, kTune);
  }

  std::string operator()(std::chrono::seconds& value) const {
    const auto time = parse_duration(text_);
    if (!time || time->count() < setting_.least) {
      return fmt::format("expected a time{}, as {}", setting_.least > 0 ? " of at least a second" : "", kDurationForms);
    }
    if (time->count() > kYear) return "expected a time of at most a year";
    value = *time;
    return "";
  }

  std::string operator()(std::optional<std::chrono::seconds>& value) const {
    std::chrono::seconds time{};
    std::string why = (*this)(time);
    if (why.empty()) value = time.count() == 0 ? std::nullopt : std::optional(time);
    return why;
  }

  template <class T>
  std::string operator()(std::optional<T>& value) const {
    T given{};
    std::string why = (*this)(given);
    if (why.empty()) value = given;
    return why;
  }

  // "learning-rate,batch_size" as {"learning_rate", "batch_size"}.
  std::string operator()(std::vector<std::string>& values) const {
    std::string text = text_;
    std::ranges::replace(text, '-', '_');
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      names.push_back(text.substr(begin, end - begin));
      if (names.back().empty()) return "expected names with commas between them, such as learning_rate,ema";
      begin = end + 1;
    }
    values = std::move(names);
    return "";
  }

 private:
  std::string choose(std::string& value) const {
    const std::vector<std::string> choices(setting_.choices.begin(), setting_.choices.end());
    if (std::ranges::find(choices, text_) == choices.end()) return refusal_of_choice(choices);
    value = text_;
    return "";
  }

  std::string refusal_of_choice(const std::vector<std::string>& choices) const {
    const std::string_view hint = setting_.hint == nullptr ? "" : setting_.hint(text_);
    if (hint.empty()) return expected_one_of(choices, text_);
    return fmt::format("expected {}; {}", one_of(choices), hint);
  }

  const TrainSetting& setting_;
  const std::string& text_;
};

// Calls use(member) with the setting's member of `settings`, unless it has none.
template <class Settings, class Use>
void with_member(const TrainSetting& setting, Settings& settings, const Use& use) {
  std::visit(
      [&](auto member) {
        if constexpr (!std::is_same_v<decltype(member), std::monostate>) use(settings.*member);
      },
      setting.field);
}

}  // namespace

const TrainSetting& train_setting(std::string_view name) {
  const auto rows = train_settings();
  const auto found = std::ranges::find(rows, name, &TrainSetting::name);
  LS_CHECK(found != rows.end(), fmt::format("there is no setting {}", name));
  return *found;
}

std::optional<std::string> value_text(const TrainSetting& setting, const TrainSettings& settings) {
  std::optional<std::string> text;
  with_member(setting, settings, [&](const auto& value) { text = Writer{}(value); });
  return text;
}

std::optional<Json> value_json(const TrainSetting& setting, const TrainSettings& settings) {
  const std::optional<std::string> text = value_text(setting, settings);
  if (!text) return {};
  std::optional<Json> json = Json(*text);
  with_member(setting, settings, [&]<class T>(const T& value) {
    if constexpr (std::is_same_v<T, bool>) json = Json(value);
    if constexpr (std::is_same_v<T, std::optional<double>>) json = Json(*value);
    if constexpr (std::is_same_v<T, std::optional<TunableNumber>>) {
      if (!value->tune) json = Json(value->value);
    } else if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, std::vector<std::string>> &&
                         !std::is_same_v<T, bool> && !std::is_same_v<T, std::optional<double>>) {
      json = Json(*parse<std::int64_t>(*text));
    }
  });
  return json;
}

std::string assign(const TrainSetting& setting, const std::string& text, TrainSettings& settings) {
  if (!setting.no_other.empty() && !is_t2t_default(setting, text)) return std::string(setting.no_other);
  std::string why;
  with_member(setting, settings, [&](auto& value) { why = Reader(setting, text)(value); });
  return why;
}

bool is_left_open(const TrainSetting& setting, const TrainSettings& settings) {
  const std::optional<std::string> text = value_text(setting, settings);
  return !text || (setting.measured && (text == "auto" || text == kTune));
}

bool says_nothing(const TrainSetting& setting, const std::string& text) {
  if (setting.if_unset.empty()) return false;
  TrainSettings given;
  TrainSettings unset;
  assign(setting, std::string(setting.if_unset), unset);
  return assign(setting, text, given).empty() && value_text(setting, given) == value_text(setting, unset);
}

bool is_t2t_default(const TrainSetting& setting, const std::string& text) {
  if (text == setting.t2t_default) return !text.empty() || setting.may_be_empty;
  const auto number = parse<double>(text);  // "10000.0"
  return number && number == parse<double>(std::string(setting.t2t_default));
}

bool same_value(const TrainSetting& setting, const std::optional<std::string>& a, const std::optional<std::string>& b) {
  if (a == b) return true;
  const auto value_of = [&](const std::optional<std::string>& text) -> std::optional<std::string> {
    TrainSettings settings;
    if (!text && setting.field.index() == 0)
      return std::string(setting.placeholder.empty() ? "false" : setting.t2t_default);
    if (!text && !setting.if_unset.empty()) assign(setting, std::string(setting.if_unset), settings);
    if (text && setting.field.index() == 0) return text;
    if (text) assign(setting, *text, settings);
    return value_text(setting, settings);
  };
  return value_of(a) == value_of(b);
}

std::string flags_text(const TrainSettings& settings) {
  std::string text;
  for (const TrainSetting& setting : train_settings()) {
    const auto value = value_text(setting, settings);
    if (!value || value == value_text(setting, TrainSettings{})) continue;
    text += fmt::format("{}--{}={}", text.empty() ? "" : " ", setting.name, *value);
  }
  return text;
}

}  // namespace lockstep
