#include "lease/record.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "base/json.h"

namespace lockstep {
namespace {

// The text fields, in the order they are written.
struct TextField {
  const char* name;
  std::string LeaseRecord::*value;
};
constexpr TextField kTexts[] = {{"token", &LeaseRecord::token},
                                {"job_id", &LeaseRecord::job_id},
                                {"host", &LeaseRecord::host},
                                {"boot_id", &LeaseRecord::boot_id},
                                {"pid_namespace", &LeaseRecord::pid_namespace}};
struct NumberField {
  const char* name;
  std::int64_t LeaseRecord::*value;
};
constexpr NumberField kNumbers[] = {{"pid", &LeaseRecord::pid}, {"process_start", &LeaseRecord::process_start}};
constexpr NumberField kStep{"step", &LeaseRecord::step};
constexpr NumberField kBeats{"heartbeat", &LeaseRecord::heartbeat};

template <class T>
T member(const Json& object, const char* name) {
  const Json* found = object.find(name);
  const T* value = found == nullptr ? nullptr : found->as<T>();
  if (value == nullptr)
    throw std::invalid_argument(fmt::format("no lease: it has no \"{}\", or of another type", name));
  return *value;
}

}  // namespace

// Pads numbers that change to the longest one: JSON allows blanks before a number, but not zeros.
std::string to_text(const LeaseRecord& record) {
  constexpr int kDigits = std::numeric_limits<std::int64_t>::digits10 + 1;
  Json::Object object;
  for (const TextField& field : kTexts) object.emplace_back(field.name, record.*field.value);
  for (const NumberField& field : kNumbers) object.emplace_back(field.name, record.*field.value);
  std::string text = Json(std::move(object)).text();
  text.pop_back();  // the closing bracket
  for (const NumberField& field : {kStep, kBeats}) {
    text += fmt::format(", \"{}\": {:>{}}", field.name, record.*field.value, kDigits);
  }
  return text + "}\n";
}

LeaseRecord lease_from_text(std::string_view text) {
  const Json object = parse_json(text);
  LeaseRecord record;
  for (const TextField& field : kTexts) record.*field.value = member<std::string>(object, field.name);
  for (const NumberField& field : kNumbers) record.*field.value = member<std::int64_t>(object, field.name);
  if (object.find(kStep.name) != nullptr) record.step = member<std::int64_t>(object, kStep.name);
  record.heartbeat = member<std::int64_t>(object, kBeats.name);
  if (record.token.empty()) throw std::invalid_argument("no lease: its \"token\" is empty");
  return record;
}

std::string describe(const LeaseRecord& record) {
  if (record.pid == 0) return "an unknown process";
  const std::string process = fmt::format("process {} on {}", record.pid, record.host);
  return record.job_id.empty() ? process : fmt::format("job {}, {}", record.job_id, process);
}

}  // namespace lockstep
