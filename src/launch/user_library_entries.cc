#include "launch/user_library_entries.h"

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/printable.h"

namespace lockstep {
namespace {

bool is_usable(std::string_view name) {
  return !name.empty() && name.find(',') == std::string_view::npos && escaped(name) == name;
}

[[noreturn]] void blame(const std::string& who, const std::string& how) {
  throw Error(ExitCode::internal, fmt::format("{} {}", who, how), Scope::every_rank);
}

// A reader of JSON refuses a text by a JsonError.
template <class... Args>
constexpr bool kReadsJson = (std::same_as<Args, const Json&> || ...);

template <class Result, class... Args>
std::function<Result(Args...)> named(std::function<Result(Args...)> function, const std::string& who) {
  return [function = std::move(function), who](Args... args) -> Result {
    if (!function) blame(who, "has no function: the one that was added is empty");
    try {
      Result result = function(std::forward<Args>(args)...);
      if constexpr (requires { result == nullptr; }) {
        if (result == nullptr) blame(who, "has made none: its function has returned a null pointer");
      }
      return result;
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& failure) {
      if (kReadsJson<Args...> && dynamic_cast<const JsonError*>(&failure) != nullptr) throw;
      blame(who, fmt::format("has thrown: {}", failure.what()));
    } catch (...) {
      blame(who, "has thrown something that is no std::exception");
    }
  };
}

ProblemKind named(const ProblemKind& problem, const std::string& who) {
  return {named(problem.factory(), who), problem.model()};
}

// A checkpoint finds the kind again by its name, and arrays are as long as the tokenizer has symbols.
template <class... Args>
std::function<TokenizerPointer(Args...)> makes_kind(std::string_view name,
                                                    const std::function<TokenizerPointer(Args...)>& function,
                                                    const std::string& who) {
  const auto checked = [name, make = named(function, who), who](Args... args) {
    TokenizerPointer made = make(std::forward<Args>(args)...);
    if (made->kind().name != name) blame(who, fmt::format("has made one of the kind {}", in_quotes(made->kind().name)));
    const std::int64_t size = made->size();
    if (size <= kFirstSymbol || size > std::numeric_limits<std::int32_t>::max()) {
      blame(who, fmt::format("has made one of {} symbols, padding and the end included", size));
    }
    made->digest();  // the JSON of its vocabulary can be written
    return made;
  };
  return named(std::function<TokenizerPointer(Args...)>(checked), who);
}

TokenizerKind named(const TokenizerKind& kind, const std::string& who) {
  TokenizerKind made = kind;
  made.make = makes_kind(kind.name, kind.make, who);
  made.from_json = makes_kind(kind.name, kind.from_json, who);
  return made;
}

template <class Function>
void name_entries(const Table<Function>& before, Table<Function>& now, const std::string& file) {
  Table<Function> table(now.kind());
  for (const auto& [name, entry] : now.entries()) {
    const std::string who = fmt::format("{} {} of --usr_lib={}", now.kind(), in_quotes(name), escaped(file));
    Function function = before.has(name) ? entry.entry : named(entry.entry, who);
    if (entry.listed) {
      table.add(name, entry.help, std::move(function), entry.elsewhere);
    } else {
      table.add_unlisted(name, std::move(function));
    }
  }
  now = std::move(table);
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): what a std::function holds is freed by it

}  // namespace

void check_added(const Registry& before, const Registry& now,
                 const std::function<void(const std::string& why)>& refuse) {
  const auto check = [&](auto Registry::*table) {
    for (const std::string& name : (now.*table).names()) {
      if ((before.*table).has(name) || is_usable(name)) continue;
      refuse(
          fmt::format("it adds a {} of the name {}; a name has at least one character, and no comma or control "
                      "character",
                      (now.*table).kind(), in_quotes(name)));
    }
  };
  check(&Registry::problems);
  check(&Registry::tokenizers);
  check(&Registry::models);
  check(&Registry::hparams_sets);
  check(&Registry::optimizers);
  check(&Registry::strategies);
  check(&Registry::communicators);
  check(&Registry::devices);
  for (const auto& [name, tokenizer] : now.tokenizers.entries()) {
    if (before.tokenizers.has(name) || tokenizer.entry.name == name) continue;
    refuse(fmt::format("it adds a tokenizer of the name {} whose kind has the name {}; give both the same",
                       in_quotes(name), in_quotes(tokenizer.entry.name)));
  }
}

void name_added(const Registry& before, Registry& now, const std::string& file) {
  name_entries(before.problems, now.problems, file);
  name_entries(before.tokenizers, now.tokenizers, file);
  name_entries(before.models, now.models, file);
  name_entries(before.hparams_sets, now.hparams_sets, file);
  name_entries(before.communicators, now.communicators, file);
}

}  // namespace lockstep
