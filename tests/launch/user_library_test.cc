#include "launch/user_library.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
#include "collective/make_communicator.h"
#include "data/sequences/tokenizer.h"
#include "launch/flags/train_command.h"
#include "support/temporary_folder.h"
#include "tensor/backend.h"

using lockstep::Error;
using lockstep::ExitCode;
using lockstep::load_user_library;
using lockstep::Registry;
using lockstep::Scope;
using lockstep::TemporaryFolder;

namespace {

std::string plugin(const std::string& name) { return LOCKSTEP_PLUGIN_DIR "/lib" + name + ".so"; }

// Returns the message that refuses a library, without its name; checks the code and that every rank finds it.
std::string refusal(const std::string& file, ExitCode code, Registry registry = {}) {
  try {
    load_user_library(file, registry);
  } catch (const Error& error) {
    CHECK(error.code() == code);
    CHECK(error.scope() == Scope::every_rank);
    const std::string message = error.what();
    const std::string begin = "--usr_lib=" + file + ": ";
    CHECK(message.starts_with(begin));
    return message.substr(begin.size());
  }
  return "";
}

// Returns the bytes of an ELF file up to the end of what the loader maps; only debuggers read the rest.
std::size_t bytes_loaded(const std::string& content) {
  Elf64_Ehdr header{};
  std::memcpy(&header, content.data(), sizeof header);
  std::size_t end = 0;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, content.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD) end = std::max<std::size_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("user library: adds what it has, which outlives the call") {
  Registry registry;
  const std::string digest = load_user_library(plugin("mine"), registry);
  CHECK(digest.size() == 64);
  CHECK(registry.hparams_sets.names() == std::vector<std::string>{"mine", "thrown"});
  CHECK(registry.hparams_sets.find("mine")().integer("number") == 7);

  lockstep::StatusLine line;
  lockstep::Trace trace(line, 0);
  const auto world = lockstep::make_world(nullptr, trace);
  const auto backend = lockstep::make_backend({});
  const auto communicator =
      registry.communicators.find("mine")({*world, nullptr, trace, *backend, lockstep::Overlap::inline_calls});
  CHECK(communicator->size() == 1);

  Registry another;
  CHECK(load_user_library(plugin("mine"), another) == digest);
  CHECK(another.hparams_sets.has("mine"));
}

TEST_CASE("user library: a strategy of its own is chosen by name, with the settings it lists") {
  Registry registry = lockstep::builtin_registry();
  load_user_library(plugin("mine"), registry);
  const auto settings = [&](const std::vector<std::string>& args) {
    return lockstep::settings_of(lockstep::read_train_command(args), registry);
  };
  CHECK(settings({"--strategy=mine", "--overlap=thread"}).strategy == "mine");
  CHECK_THROWS_WITH_AS(
      settings({"--strategy=mine", "--fusion_mb=1"}),
      "--fusion_mb=1: has a meaning with --strategy=central_storage or sync only; add that or leave it out", Error);
  CHECK_THROWS_WITH_AS(
      settings({"--strategy=model_averaging", "--overlap=thread"}),
      "--overlap=thread: has a meaning with --strategy=central_storage, mine, parameter_server or sync only; add "
      "that or leave it out",
      Error);
  CHECK_THROWS_WITH_AS(settings({"--strategy=mine", "--exact", "--global_batch_size=8"}),
                       doctest::Contains("its buckets are summed in the order of the ranks"), Error);
}

TEST_CASE("user library: one that was built for another version is refused by both versions") {
  CHECK(refusal(plugin("other_version"), ExitCode::configuration) ==
        "built for lockstep 0.0.9, and this is lockstep " LOCKSTEP_VERSION
        "; build it again with the headers that are installed with this one");
}

TEST_CASE("user library: what is not a plug-in") {
  const std::string foreign = refusal(plugin("foreign"), ExitCode::configuration);
  CHECK(foreign.starts_with("not a plug-in: "));
  CHECK(has(foreign, "void lockstep_register(lockstep::Registry&)"));
  CHECK(refusal(plugin("silent"), ExitCode::configuration).starts_with("defines no lockstep_register: "));

  const TemporaryFolder folder;
  std::ofstream(folder / "notes.txt") << "bread, butter\n";
  CHECK(refusal(folder / "notes.txt", ExitCode::configuration).starts_with("not a plug-in: "));
  std::ofstream(folder / "empty.so").flush();
  CHECK(refusal(folder / "empty.so", ExitCode::configuration).starts_with("not a plug-in: "));
  std::ofstream(folder / "text.so") << LOCKSTEP_BUILT_FOR;
  CHECK(has(refusal(folder / "text.so", ExitCode::configuration), "cannot be loaded: "));
}

TEST_CASE("user library: what cannot be read") {
  const TemporaryFolder folder;
  for (const std::string& absent : {folder / "libmine.so", std::string("libnowhere.so")}) {
    CHECK(refusal(absent, ExitCode::missing_input) ==
          "cannot read '" + absent + "': No such file or directory; give the path of a shared library, as " +
              "build/libmine.so");
  }
  CHECK(refusal(folder.path(), ExitCode::missing_input).find("it is a folder") != std::string::npos);
}

TEST_CASE("user library: one that lacks a function says which") {
  const std::string message = refusal(plugin("incomplete"), ExitCode::configuration);
  CHECK(message.starts_with("cannot be loaded: "));
  CHECK(has(message, "nobody_has_this()"));
}

TEST_CASE("user library: what its lockstep_register throws carries its name") {
  Registry registry;
  load_user_library(plugin("mine"), registry);
  CHECK(refusal(plugin("mine"), ExitCode::configuration, registry) ==
        "hparams set 'mine' is registered twice; rename one of them");

  Registry throws;
  throws.hparams_sets.add("throw a runtime_error", "", {});
  CHECK(refusal(plugin("mine"), ExitCode::internal, throws) == "its lockstep_register has thrown: no licence found");
  Registry throws_number;
  throws_number.hparams_sets.add("throw a number", "", {});
  CHECK(refusal(plugin("mine"), ExitCode::internal, throws_number) ==
        "its lockstep_register has thrown something that is no std::exception");
}

TEST_CASE("user library: a name that no flag can take") {
  Registry registry;
  registry.hparams_sets.add("bad name", "", {});
  CHECK(refusal(plugin("mine"), ExitCode::configuration, registry) ==
        "it adds a model of the name 'a,b'; a name has at least one character, and no comma or control "
        "character");
}

TEST_CASE("user library: what its functions do wrong carries its name and theirs") {
  Registry registry;
  load_user_library(plugin("mine"), registry);
  const std::string of = " of --usr_lib=" + plugin("mine");
  const auto fails = [](const auto& call, const std::string& message) {
    CHECK_THROWS_WITH_AS(call(), message.c_str(), Error);
  };
  const auto model = [&](const char* name) { return [&, name] { registry.models.find(name)({}, {}); }; };
  fails(model("none"), "model 'none'" + of + " has made none: its function has returned a null pointer");
  fails(model("empty"), "model 'empty'" + of + " has no function: the one that was added is empty");
  fails(model("thrown"), "model 'thrown'" + of + " has thrown: no licence found");
  fails([&] { registry.hparams_sets.find("thrown")(); },
        "hparams set 'thrown'" + of + " has thrown something that is no std::exception");
}

TEST_CASE("user library: a tokenizer of its own, and what others do wrong") {
  Registry registry;
  load_user_library(plugin("mine"), registry);
  const std::string of = " of --usr_lib=" + plugin("mine");
  const auto make = [&](const char* name) { return registry.tokenizers.find(name).make("a b", {}); };
  const std::vector<std::int32_t> symbols{3, 2, 3};
  CHECK(make("mine")->encode("a b") == symbols);
  CHECK(lockstep::read_tokenizer(R"({"unit":"mine"})", registry.tokenizers)->decode(symbols) == "x x");
  CHECK_THROWS_AS(lockstep::read_tokenizer(R"({"unit":"mine","tabs":1})", registry.tokenizers), lockstep::JsonError);

  const auto fails = [](const auto& call, const std::string& message) {
    CHECK_THROWS_WITH_AS(call(), message.c_str(), Error);
  };
  fails([&] { make("other"); }, "tokenizer 'other'" + of + " has made one of the kind 'mine'");
  fails([&] { make("none"); }, "tokenizer 'none'" + of + " has made none: its function has returned a null pointer");
  fails([&] { lockstep::read_tokenizer(R"({"unit":"none"})", registry.tokenizers); },
        "tokenizer 'none'" + of + " has no function: the one that was added is empty");

  Registry other_name;
  other_name.hparams_sets.add("other name", "", {});
  CHECK(refusal(plugin("mine"), ExitCode::configuration, other_name) ==
        "it adds a tokenizer of the name 'yours' whose kind has the name 'mine'; give both the same");
}

TEST_CASE("user library: one that is cut off is not loaded") {
  const TemporaryFolder folder;
  const std::string content = lockstep::read_file(plugin("mine"));
  const std::size_t mark = content.rfind(LOCKSTEP_BUILT_FOR_MARK);
  REQUIRE(mark != std::string::npos);
  for (const std::size_t bytes : {mark + 100, bytes_loaded(content) - 1}) {
    std::string cut = content.substr(0, bytes);
    REQUIRE(has(cut, LOCKSTEP_BUILT_FOR));
    std::ofstream(folder / "cut.so") << cut;
    CHECK(refusal(folder / "cut.so", ExitCode::configuration) ==
          "it is cut off after " + std::to_string(bytes) + " bytes; copy or build it again");
  }
}
