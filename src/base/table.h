#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"

namespace lockstep {

// A table of named things of one kind ("model", "problem", ...), each with a line of help. Filled at start by
// plain lists (train/registry/builtin_registry.cc, a user's library), then only read; reading is safe from any thread.
template <class Entry>
class Table {
 public:
  struct Named {
    std::string help;  // one line, for --registry_help
    Entry entry;
    std::vector<std::string> elsewhere{};  // names in other programs, for which find() suggests this entry
    bool listed = true;                    // in --registry_help; a variant of another entry need not be
  };

  explicit Table(std::string kind) : kind_(std::move(kind)) {}

  // A duplicate name is an Error(configuration).
  void add(const std::string& name, const std::string& help, Entry entry,
           const std::vector<std::string>& elsewhere = {}) {
    put(name, Named{.help = help, .entry = std::move(entry), .elsewhere = elsewhere});
  }

  // The same for a variant, whose name follows from that of a listed entry.
  void add_unlisted(const std::string& name, Entry entry) {
    put(name, Named{.help = "", .entry = std::move(entry), .listed = false});
  }

  // Throws Error(usage) that names the nearest entry.
  const Entry& find(std::string_view name) const {
    if (auto found = entries_.find(name); found != entries_.end()) return found->second.entry;
    throw Error(
        ExitCode::usage,
        fmt::format("no {} {}{}; --registry_help lists them", kind_, in_quotes(name), suggestion(meant_by(name))),
        Scope::every_rank);
  }

  bool has(std::string_view name) const { return entries_.contains(name); }
  const std::string& kind() const { return kind_; }
  std::string plural() const { return kind_.ends_with('y') ? kind_.substr(0, kind_.size() - 1) + "ies" : kind_ + "s"; }
  const std::map<std::string, Named, std::less<>>& entries() const { return entries_; }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    all.reserve(entries_.size());
    for (const auto& [name, named] : entries_) all.push_back(name);
    return all;
  }

 private:
  void put(const std::string& name, Named named) {
    if (entries_.try_emplace(name, std::move(named)).second) return;
    throw Error(ExitCode::configuration,
                fmt::format("{} {} is registered twice; rename one of them", kind_, in_quotes(name)),
                Scope::every_rank);
  }

  // The entry that has this name in other programs, else the nearest name; "" if there is none.
  std::string meant_by(std::string_view name) const {
    for (const auto& [own, named] : entries_) {
      const auto is_it = [name](const std::string& other) { return is_same_name(other, name); };
      if (std::ranges::any_of(named.elsewhere, is_it)) return own;
    }
    return nearest(name, names());
  }

  std::string kind_;
  std::map<std::string, Named, std::less<>> entries_;
};

}  // namespace lockstep
