// Fuzzes the reader of checkpoint files. The first byte of an input selects the meaning of the others: the file as it
// is; changes of single bytes of a good file, truncated or not, which the seal has to catch; or changes made through
// HDF5's own calls and sealed properly, which the reader's own checks have to catch. Damage under a good seal is not
// tried: HDF5's reader was not made for it, and no seal is good by accident.
#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "base/json.h"
#include "checkpoint/decoder.h"
#include "checkpoint/encoder.h"
#include "checkpoint/seal.h"
#include "checkpoint/shape_json.h"
#include "checkpoint_rewrite.h"
#include "data/sequences/tokenizer.h"
#include "fuzzing.h"
#include "scratch_file.h"
#include "tensor/parameter_table.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

using Bytes = std::vector<std::byte>;

constexpr int kReplicas = 2;

ParameterTable make_table() {
  ParameterTable table;
  table.add("dense_0/kernel", {3, 5}, true);
  table.add_constant("scale", {});
  return table;
}

const ParameterTable& model() {
  static const ParameterTable table = make_table();
  return table;
}

StateLayout layout(int replicas) {
  return {.table = &model(), .slots = {"momentum"}, .average = replicas == 0, .replicas = replicas};
}

std::vector<float> array(float first) {
  std::vector<float> values(static_cast<std::size_t>(model().padded_count()));
  for (const Variable& variable : model().variables()) {
    for (std::int64_t i = variable.range.begin; i < variable.range.end; ++i) {
      values[static_cast<std::size_t>(i)] = first + static_cast<float>(i) / 8;
    }
  }
  return values;
}

StateArrays arrays(int replicas) {
  StateArrays state{.parameters = array(1)};
  if (replicas == 0) {
    state.slots = {array(2)};
    state.average = array(3);
  }
  for (int replica = 0; replica < replicas; ++replica) {
    state.replicas.push_back({array(4.0F + static_cast<float>(replica))});
  }
  return state;
}

// A file of equal replicas is of images, one of others of a text, with its vocabulary and with missed batches.
Bytes make_image(int replicas) {
  const std::string vocabulary = replicas == 0 ? "" : R"({"unit":"word","words":["a"]})";
  const ProblemShape images{.input = {3}, .outputs = 5, .normalised = true};
  const ProblemShape text{.sample = ProblemShape::Sample::sequence,
                          .input = {},
                          .outputs = 4,
                          .input_type = DType::int32,
                          .vocabulary = 4,
                          .vocabulary_digest = vocabulary_digest(vocabulary)};
  std::vector<std::vector<std::int64_t>> missed;
  if (replicas > 0) missed = {{5, 3, 1}, {2}};
  const CheckpointHeader header{.step = 120,
                                .seed = 7,
                                .model = "mlp",
                                .problem = "image_shapes",
                                .shape = shape_to_json(replicas == 0 ? images : text),
                                .vocabulary = vocabulary,
                                .hparams = R"({"hidden_size":64})",
                                .config = R"({"ranks":2,"on_any_ranks":{"strategy":"sync"},"on_these_ranks":{}})",
                                .ema_updates = replicas == 0 ? 120 : 0,
                                .cursor = {.step = 120, .epoch = 3, .consumed = 17, .missed = missed}};
  const EncodedCheckpoint image(header, layout(replicas), arrays(replicas));
  return {image.bytes().begin(), image.bytes().end()};
}

// Returns a good file: of equal replicas with a moving average, or of replicas that differ.
const Bytes& good(bool differing) {
  static const Bytes equal_replicas = make_image(0);
  static const Bytes differing_replicas = make_image(kReplicas);
  return differing ? differing_replicas : equal_replicas;
}

// Reads all that a resumed run needs from a file. Returns whether the file was accepted.
bool read_all(const std::string& path) {
  return accepted({ExitCode::bad_data, ExitCode::configuration}, [&] {
    const CheckpointDecoder reader(path);
    must(reader.header().step >= 0 && reader.header().cursor.step == reader.header().step);
    must(reader.header().cursor.epoch >= 0 && reader.header().cursor.consumed >= 0);
    for (const auto& batch : reader.header().cursor.missed) {
      must(!batch.empty() && std::ranges::min(batch) >= 0);
    }
    must(reader.replicas() >= 0);
    if (const std::string& shape = reader.header().shape; !shape.empty()) {
      const ProblemShape read = shape_from_json(shape);
      must(shape_from_json(shape_to_json(read)) == read);
    }
    if (const std::string& vocabulary = reader.header().vocabulary; !vocabulary.empty()) {
      must(parse_json(vocabulary).text() == vocabulary);
    }
    must(parse_json(reader.header().hparams).as<Json::Object>() != nullptr);
    must(parse_json(reader.header().config).as<Json::Object>() != nullptr);
    for (const int replicas : std::set{0, reader.replicas()}) {
      accepted({ExitCode::bad_data, ExitCode::configuration}, [&] {
        const StateArrays state = reader.read(layout(replicas));
        must(state.parameters.size() == static_cast<std::size_t>(model().padded_count()));
        must(state.replicas.size() == static_cast<std::size_t>(replicas));
      });
    }
  });
}

bool has_seal_and_hdf5(std::span<const std::byte> bytes) {
  if (bytes.size() < kSealBytes) return false;
  const auto sealed = bytes.first(bytes.size() - kSealBytes);
  const auto seal = make_seal(sealed);
  return std::memcmp(seal.data(), bytes.last(kSealBytes).data(), kSealBytes) == 0 &&
         std::string_view(reinterpret_cast<const char*>(sealed.data()), sealed.size()).find("\x89HDF") !=
             std::string_view::npos;
}

void as_it_is(ScratchFile& file, Input& input) {
  const auto bytes = std::as_bytes(input.rest());
  if (has_seal_and_hdf5(bytes)) return;
  file.replace(bytes);
  must(!read_all(file.path()));
}

void damaged(ScratchFile& file, Input& input) {
  const Bytes& whole = good(input.byte() % 2 != 0);
  const std::size_t left = whole.size() - std::min<std::size_t>(whole.size(), input.number(2));
  Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(left));
  while (!input.empty() && !bytes.empty()) {
    const std::size_t at = input.number(2) % bytes.size();
    bytes[at] ^= static_cast<std::byte>(input.byte());
  }
  file.replace(bytes);
  must(read_all(file.path()) == (bytes == whole));
}

void rewritten(ScratchFile& file, Input& input) {
  const Bytes& whole = good(input.byte() % 2 != 0);
  file.replace(std::span(whole).first(whole.size() - kSealBytes));
  rewrite_hdf5(file.path(), input);
  Bytes bytes = file.bytes();
  const auto seal = make_seal(bytes);
  bytes.insert(bytes.end(), seal.begin(), seal.end());
  file.replace(bytes);
  read_all(file.path());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ScratchFile file;
  Input input(data, size);
  switch (input.byte() % 4) {
    case 0:
      as_it_is(file, input);
      break;
    case 1:
      damaged(file, input);
      break;
    default:  // twice as often
      rewritten(file, input);
  }
  return 0;
}
