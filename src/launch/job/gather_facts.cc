#include "launch/job/gather_facts.h"

#include <array>
#include <map>
#include <string>

#include "base/sha256.h"

namespace lockstep {
namespace {

using Text = std::shared_ptr<const std::string>;

// The texts of a process, by number.
enum TextKind : std::size_t { host_names, statement, description, kTexts };

struct FactsWire {
  std::array<Sha256::Digest, kTexts> digests{};
  int gpus = 0;
};

Sha256::Digest digest_of(const std::string& text) {
  Sha256 sha;
  sha.update(std::as_bytes(std::span(text)));
  return sha.finish();
}

// The names of a host as one text, the host first: "node07\0node07.cluster\0". split_names() reads it.
std::string joined(const ProcessFacts& facts) {
  std::string text = facts.host + '\0';
  for (const std::string& name : facts.host_names) text += name + '\0';
  return text;
}

void split_names(std::string_view text, ProcessFacts& facts) {
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = text.find('\0');
    std::string name(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (first) {
      facts.host = std::move(name);
    } else {
      facts.host_names.push_back(std::move(name));
    }
  }
}

// Gathers the texts of one kind from all processes; of those with equal texts only the first sends it. COLLECTIVE.
std::vector<Text> gather_texts(MpiSession& session, const std::vector<FactsWire>& all, TextKind kind,
                               const std::string& mine) {
  std::map<Sha256::Digest, std::size_t> first;  // the first process that has it
  for (std::size_t process = 0; process < all.size(); ++process) first.try_emplace(all[process].digests[kind], process);
  const auto me = static_cast<std::size_t>(session.process());
  const bool sends = first.at(all[me].digests[kind]) == me;
  const std::vector<std::string> sent = session.all_gather_texts(sends ? mine : std::string());
  std::map<std::size_t, Text> texts;
  for (const auto& [digest, process] : first) texts[process] = std::make_shared<const std::string>(sent[process]);
  std::vector<Text> result;
  result.reserve(all.size());
  for (const FactsWire& wire : all) result.push_back(texts.at(first.at(wire.digests[kind])));
  return result;
}

}  // namespace

std::vector<ProcessFacts> gather_facts(MpiSession& session, const ProcessFacts& mine) {
  const std::array<std::string, kTexts> my_texts = {joined(mine), mine.statement, *mine.description};
  FactsWire wire{.gpus = mine.gpus};
  for (std::size_t kind = 0; kind < kTexts; ++kind) wire.digests[kind] = digest_of(my_texts[kind]);
  std::vector<FactsWire> all(static_cast<std::size_t>(session.processes()));
  session.all_gather(std::as_bytes(std::span(&wire, 1)), std::as_writable_bytes(std::span(all)));

  const std::vector<Text> names = gather_texts(session, all, host_names, my_texts[host_names]);
  const std::vector<Text> statements = gather_texts(session, all, statement, my_texts[statement]);
  const std::vector<Text> descriptions = gather_texts(session, all, description, my_texts[description]);
  std::vector<ProcessFacts> facts(all.size());
  std::map<std::string, int> seen;  // processes of a host
  for (std::size_t process = 0; process < all.size(); ++process) {
    split_names(*names[process], facts[process]);
    facts[process].local_rank = seen[facts[process].host]++;
    facts[process].gpus = all[process].gpus;
    facts[process].statement = *statements[process];
    facts[process].description = descriptions[process];
  }
  return facts;
}

}  // namespace lockstep
