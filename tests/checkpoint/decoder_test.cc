#include "checkpoint/decoder.h"

#include <doctest/doctest.h>
#include <hdf5.h>

#include <functional>
#include <initializer_list>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
#include "checkpoint/shape_json.h"
#include "checkpoint_states.h"
#include "data/arrays/hdf5_handle.h"
#include "data/sequences/tokenizer.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// Files as another program may write them: sealed, but laid out differently from ours.
class Foreign {
 public:
  Foreign() { put_checkpoint(path_, some_header(), layout_, some_arrays(layout_)); }

  const StateLayout& layout() const { return layout_; }
  StateArrays arrays() const { return some_arrays(layout_); }
  const std::string& path() const { return path_; }

  // Opens the file without its seal, changes it and seals it again.
  void change(const std::function<void(hid_t)>& how) const {
    const std::string bytes = read_file(path_);
    put_file(path_, bytes.substr(0, bytes.size() - 32));
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(file >= 0);
    how(file);
    REQUIRE(H5Fclose(file) >= 0);
    seal_file(path_);
  }

  StateArrays read() const { return CheckpointDecoder(path_).read(layout_); }

  void check_refused(ExitCode code, std::initializer_list<std::string> parts) const {
    try {
      read();
    } catch (const Error& error) {
      const std::string message = error.what();
      CAPTURE(message);
      CHECK(static_cast<int>(error.code()) == static_cast<int>(code));
      CHECK(message.find("'" + path_ + "'") != std::string::npos);
      for (const std::string& part : parts) {
        CAPTURE(part);
        CHECK(message.find(part) != std::string::npos);
      }
      return;
    }
    FAIL_CHECK("it was read");
  }

 private:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "model.ckpt-120.h5";
  ParameterTable table_ = small_table();
  StateLayout layout_{.table = &table_, .slots = {"m"}, .average = true, .replicas = 0, .model = "lenet"};
};

void put_attribute(hid_t file, const char* name, hid_t type, const void* value, hid_t space = -1) {
  if (H5Aexists(file, name) > 0) H5Adelete(file, name);
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle made(H5Acreate2(file, name, type, space < 0 ? scalar.id() : space, H5P_DEFAULT, H5P_DEFAULT),
                        H5Aclose);
  REQUIRE(H5Awrite(made.id(), type, value) >= 0);
}

void put_number(hid_t file, const char* name, std::int64_t value) {
  put_attribute(file, name, H5T_NATIVE_INT64, &value);
}

void put_text(hid_t file, const char* name, const std::string& text) {  // of fixed length, as numpy.bytes_
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), text.size() + 1);
  put_attribute(file, name, type.id(), text.c_str());
}

void put_data(hid_t file, const char* path, std::initializer_list<hsize_t> extents, hid_t type, hid_t memory,
              const void* values, hid_t creation = H5P_DEFAULT) {
  if (H5Lexists(file, path, H5P_DEFAULT) > 0) H5Ldelete(file, path, H5P_DEFAULT);
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.begin(), nullptr), H5Sclose);
  const Hdf5Handle made(H5Dcreate2(file, path, type, space.id(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  REQUIRE(made.id() >= 0);
  if (values != nullptr) REQUIRE(H5Dwrite(made.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
}

constexpr double kNumbers[6] = {1, 2, 3, 4, 5, 6.5};

}  // namespace

TEST_CASE("values in other formats are converted") {
  const Foreign file;
  file.change([](hid_t id) {
    put_data(id, "parameters/dense_0/bias", {2}, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, kNumbers + 4);
    put_data(id, "optimizer/m/dense_0/kernel", {3, 2}, H5T_IEEE_F32BE, H5T_NATIVE_DOUBLE, kNumbers);
    put_text(id, "model", "fixed length");
    put_number(id, "random_seed", 7);
    const std::int32_t one_element = 5;
    const hsize_t one = 1;
    const Hdf5Handle array(H5Screate_simple(1, &one, nullptr), H5Sclose);
    put_attribute(id, "epoch", H5T_STD_I32LE, &one_element, array.id());
    for (const char* name : {"lockstep_version", "shape", "consumed", "ema_updates", "replicas"}) H5Adelete(id, name);
  });
  StateArrays expected = file.arrays();
  expected.parameters[16] = 5;  // after the kernel and its padding
  expected.parameters[17] = 6.5;
  for (std::size_t i = 0; i < 6; ++i) expected.slots[0][i] = static_cast<float>(kNumbers[i]);
  CHECK(equal(file.read(), expected));
  const CheckpointHeader header = CheckpointDecoder(file.path()).header();
  CHECK(header.model == "fixed length");
  CHECK(header.seed == 7);
  CHECK(header.cursor == BatchCursor{.step = 120, .epoch = 5, .consumed = 0});
  CHECK(header.ema_updates == 0);
  CHECK(header.shape.empty());
}

TEST_CASE("files that are no checkpoint") {
  const TemporaryFolder folder;
  const auto code_of = [](const std::string& path) {
    try {
      CheckpointDecoder{path};
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find(path) != std::string::npos);
      return error.code();
    }
    return ExitCode::done;
  };
  CHECK(code_of(folder / "nowhere") == ExitCode::missing_input);
  CHECK(code_of(folder.path()) == ExitCode::missing_input);
  put_file(folder / "a", "");
  CHECK(code_of(folder / "a") == ExitCode::bad_data);
  put_file(folder / "a", "any text, longer than a seal is, but not sealed");
  CHECK(code_of(folder / "a") == ExitCode::bad_data);
  seal_file(folder / "a");  // sealed, but not HDF5
  CHECK(code_of(folder / "a") == ExitCode::bad_data);
  H5Fclose(H5Fcreate((folder / "a").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  seal_file(folder / "a");  // HDF5, but empty
  CHECK(code_of(folder / "a") == ExitCode::bad_data);
}

TEST_CASE("a newer version is reported, with both versions") {
  const Foreign file;
  file.change([](hid_t id) {
    put_number(id, "format_version", 4);
    put_text(id, "lockstep_version", "9.9.9");
    H5Adelete(id, "config");  // a newer version may not have it
  });
  file.check_refused(ExitCode::configuration, {"9.9.9", "version 4", LOCKSTEP_VERSION, "up to version 3"});
}

namespace {

const std::string kOfText =
    R"({"sample":"sequence","input":[],"type":"int32","target":"class_label","outputs":5,"vocabulary":5,)"
    R"("characters":true,"normalised":false,)";
const std::string kAb = R"({"unit":"character","characters":"ab"})";

void put_vocabulary(hid_t file, const std::string& text) {
  put_data(file, "vocabulary", {text.size()}, H5T_STD_U8LE, H5T_NATIVE_UINT8, text.data());
}

}  // namespace

TEST_CASE("a vocabulary is a data set, in files of version 1 a part of the shape, and may be missing") {
  const std::string shape = kOfText + R"("vocabulary_sha256":")" + vocabulary_digest(kAb) + "\"}";
  const auto header_of = [](const std::function<void(hid_t)>& how) {
    const Foreign file;
    file.change(how);
    return CheckpointDecoder(file.path()).header();
  };
  const CheckpointHeader with = header_of([&](hid_t id) {
    put_text(id, "shape", shape);
    put_vocabulary(id, R"({"unit": "character", "characters": "ab"})");
  });
  CHECK(with.vocabulary == kAb);
  CHECK(with.shape == shape);
  const CheckpointHeader old = header_of([](hid_t id) { put_text(id, "shape", kOfText + "\"symbols\":" + kAb + "}"); });
  CHECK(old.vocabulary == kAb);
  CHECK(shape_from_json(old.shape) == shape_from_json(shape));
  const CheckpointHeader without = header_of([&](hid_t id) { put_text(id, "shape", shape); });
  CHECK(without.vocabulary.empty());
  CHECK(without.shape == shape);

  const auto refused = [&](const std::function<void(hid_t)>& put, std::initializer_list<std::string> parts) {
    const Foreign file;
    file.change([&](hid_t id) {
      put_text(id, "shape", shape);
      put(id);
    });
    file.check_refused(ExitCode::bad_data, parts);
  };
  refused([](hid_t id) { put_vocabulary(id, R"({"unit":"byte"})"); }, {"vocabulary", "digest"});
  refused([](hid_t id) { put_vocabulary(id, "{"); }, {"vocabulary cannot be read"});
  for (const std::string json : {"[]", "7", "null", R"("unit")"}) {  // with their digest
    refused(
        [&](hid_t id) {
          put_text(id, "shape", kOfText + R"("vocabulary_sha256":")" + vocabulary_digest(json) + "\"}");
          put_vocabulary(id, json);
        },
        {"vocabulary is no JSON object"});
  }
  refused([](hid_t id) { put_data(id, "vocabulary", {2}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, kNumbers); },
          {"vocabulary", "bytes"});
  refused(
      [](hid_t id) {
        put_data(id, "vocabulary", {1, 2}, H5T_STD_U8LE, H5T_NATIVE_UINT8, "{}");
      },
      {"vocabulary is no row of at most"});
  refused(
      [](hid_t id) {  // packed, a million bytes take a thousand
        const hsize_t size = 1'000'000;
        const Hdf5Handle packed(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_chunk(packed.id(), 1, &size);
        H5Pset_deflate(packed.id(), 9);
        put_data(id, "vocabulary", {size}, H5T_STD_U8LE, H5T_NATIVE_UINT8, std::string(size, '[').data(), packed.id());
      },
      {"vocabulary is no row of at most", "as many as the whole file has"});
  const auto without_digest = [](hid_t id) {
    put_text(id, "shape", kOfText + R"("vocabulary_sha256":null})");
    put_vocabulary(id, kAb);
  };
  refused(without_digest, {"'vocabulary_sha256' is no SHA-256"});
  for (const std::string& other : {kOfText + R"("symbols":null})", some_header().shape}) {
    refused(
        [&](hid_t id) {
          put_text(id, "shape", other);
          put_vocabulary(id, kAb);
        },
        {"it has a vocabulary, but no vocabulary_sha256 in its attribute shape"});
  }
  refused([](hid_t id) { H5Gclose(H5Gcreate2(id, "vocabulary", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); },
          {"vocabulary is a group"});
}

namespace {

void put_row(hid_t file, const char* path, hid_t type, const std::vector<std::int64_t>& values,
             hid_t creation = H5P_DEFAULT) {
  if (H5Lexists(file, "missed", H5P_DEFAULT) <= 0) {
    H5Gclose(H5Gcreate2(file, "missed", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  put_data(file, path, {values.size()}, type, H5T_NATIVE_INT64, values.data(), creation);
}

void put_missed(hid_t file, const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& samples,
                hid_t type = H5T_STD_I64LE) {
  put_row(file, "missed/counts", type, counts);
  put_row(file, "missed/samples", type, samples);
}

}  // namespace

TEST_CASE("missed batches of another program are read, in any order of bytes") {
  for (const hid_t type : {H5T_STD_I64LE, H5T_STD_I64BE, H5T_STD_I32LE, H5T_STD_I32BE}) {
    const Foreign file;
    file.change([type](hid_t id) { put_missed(id, {2, 1}, {9, 0, 7}, type); });
    CHECK(CheckpointDecoder(file.path()).header().cursor.missed == std::vector<std::vector<std::int64_t>>{{9, 0}, {7}});
    CHECK(equal(file.read(), file.arrays()));
  }
  const Foreign none;
  none.change([](hid_t id) { put_missed(id, {}, {}); });
  CHECK(CheckpointDecoder(none.path()).header().cursor.missed.empty());
}

TEST_CASE("missed batches that are wrong") {
  const auto refused = [](const std::function<void(hid_t)>& how, std::initializer_list<std::string> parts) {
    const Foreign file;
    file.change(how);
    file.check_refused(ExitCode::bad_data, parts);
  };
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{-2}, std::numeric_limits<std::int64_t>::min()}) {
    refused([&](hid_t id) { put_missed(id, {2, count}, {9, 0}); }, {"missed/counts holds", "element 1", "least is 1"});
  }
  refused([](hid_t id) { put_missed(id, {2}, {9, -1}); }, {"missed/samples holds -1 as element 1", "least is 0"});
  const std::string sum = "missed/counts do not add up to the 3 samples";
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<std::int64_t>& counts : std::vector<std::vector<std::int64_t>>{
           {2}, {4}, {3, 1}, {1, 1}, {}, {1, kHuge, kHuge}, {kHuge, kHuge, 5}, {1, 5, 2}}) {
    refused([&](hid_t id) { put_missed(id, counts, {9, 0, 7}); }, {sum});
  }
  refused([](hid_t id) { put_row(id, "missed/counts", H5T_STD_I64LE, {1}); }, {"missed has the data sets counts;"});
  refused([](hid_t id) { put_row(id, "missed/samples", H5T_STD_I64LE, {1}); }, {"missed has the data sets samples;"});
  refused(
      [](hid_t id) {
        put_missed(id, {1}, {9});
        put_row(id, "missed/more", H5T_STD_I64LE, {1});
      },
      {"counts, more, samples;"});
  for (const hid_t type : {H5T_STD_U64LE, H5T_STD_I16LE, H5T_IEEE_F64LE}) {
    refused([type](hid_t id) { put_missed(id, {1}, {9}, type); }, {"missed/counts holds no integers"});
  }
  refused(
      [](hid_t id) {
        put_missed(id, {1}, {9});
        const std::int64_t square[] = {1, 1};
        put_data(id, "missed/samples", {1, 2}, H5T_STD_I64LE, H5T_NATIVE_INT64, square);
      },
      {"missed/samples is no row of at most"});
  refused(
      [](hid_t id) {  // packed, a million numbers take a few thousand bytes
        const hsize_t size = 1'000'000;
        const Hdf5Handle packed(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_chunk(packed.id(), 1, &size);
        H5Pset_deflate(packed.id(), 9);
        put_row(id, "missed/counts", H5T_STD_I64LE, {size});
        put_row(id, "missed/samples", H5T_STD_I64LE, std::vector<std::int64_t>(size), packed.id());
      },
      {"missed/samples is no row of at most", "as many as the whole file has"});
  refused([](hid_t id) { put_data(id, "missed", {2}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, kNumbers); },
          {"missed is a data set"});
  refused(
      [](hid_t id) {  // as many steps as there can be are made
        put_number(id, "step", (std::int64_t{1} << 32) - 2);
        put_missed(id, {1, 1}, {9, 8});
      },
      {"missed/counts says 2 batches after step 4294967294"});
}

TEST_CASE("attributes that are missing or wrong") {
  const auto refused = [](const std::function<void(hid_t)>& how, std::initializer_list<std::string> parts) {
    const Foreign file;
    file.change(how);
    file.check_refused(ExitCode::bad_data, parts);
  };
  for (const char* name :
       {"format", "format_version", "step", "random_seed", "model", "problem", "hparams", "config"}) {
    refused([&](hid_t id) { H5Adelete(id, name); }, {std::string("no attribute ") + name});
  }
  for (const char* name : {"step", "epoch", "consumed", "random_seed", "ema_updates", "optimizer_begun", "replicas"}) {
    const std::string begin = std::string("attribute ") + name;
    refused([&](hid_t id) { put_number(id, name, -1); }, {begin, "whole number"});
    refused([&](hid_t id) { put_text(id, name, "12"); }, {begin, "whole number"});
    refused([&](hid_t id) { put_attribute(id, name, H5T_NATIVE_DOUBLE, kNumbers); }, {begin, "whole number"});
    const hsize_t two = 2;
    const Hdf5Handle array(H5Screate_simple(1, &two, nullptr), H5Sclose);
    const std::int64_t values[2] = {1, 2};
    refused([&](hid_t id) { put_attribute(id, name, H5T_NATIVE_INT64, values, array.id()); }, {begin, "an array"});
  }
  refused([](hid_t id) { put_text(id, "format", "keras"); }, {"'keras'"});
  refused([](hid_t id) { put_number(id, "format", 1); }, {"format", "no text"});
  refused([](hid_t id) { put_number(id, "format_version", 0); }, {"format_version is 0"});
  refused([](hid_t id) { put_number(id, "model", 1); }, {"model", "no text"});
  refused([](hid_t id) { put_text(id, "hparams", "[1]"); }, {"hparams", "JSON object"});
  refused([](hid_t id) { put_text(id, "config", "{\"a\": }"); }, {"config", "JSON object"});
  refused([](hid_t id) { put_number(id, "shape", 1); }, {"shape", "no text"});
  refused([](hid_t id) { put_text(id, "shape", ""); }, {"attribute shape", "JSON"});
  refused([](hid_t id) { put_text(id, "shape", R"({"input":[28]})"); }, {"attribute shape", "'type'"});
  refused([](hid_t id) { put_text(id, "shape", R"({"input":[0]})"); }, {"attribute shape", "'input' is [0]"});
  refused([](hid_t id) { put_text(id, "shape", R"({"input":[4611686018427387904,2]})"); },
          {"attribute shape", "'input' is [4611686018427387904,2]"});
  refused([](hid_t id) { put_number(id, "replicas", 3); }, {"replicas is 3", "the states of 0"});
  refused([](hid_t id) { put_number(id, "replicas", 1LL << 40); }, {"replicas"});
  refused([](hid_t id) { put_number(id, "optimizer_begun", 121); }, {"optimizer_begun is 121", "step 120"});
  refused([](hid_t id) { put_number(id, "ema_updates", 121); }, {"ema_updates is 121", "step 120"});
  const std::uint64_t large = 1ULL << 63;
  refused([&](hid_t id) { put_attribute(id, "step", H5T_NATIVE_UINT64, &large); }, {"step", "9223372036854775808"});
}

TEST_CASE("a checkpoint of another model names both models and what differs") {
  const Foreign file;
  file.change([](hid_t id) {
    put_data(id, "parameters/dense_0/kernel", {2, 3}, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, kNumbers);
    put_data(id, "parameters/dense_0/scale", {1}, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, kNumbers);
    H5Ldelete(id, "parameters/dense_0/bias", H5P_DEFAULT);
  });
  file.check_refused(ExitCode::configuration,
                     {"saved by model 'mlp'", "this run's model 'lenet'",
                      "dense_0/kernel is (2, 3) in the file and (3, 2) in the model", "dense_0/bias is not in the file",
                      "dense_0/scale is in the file alone", "--output_dir"});
}

TEST_CASE("many differences: the first are named, the others counted") {
  const Foreign file;
  file.change([](hid_t id) {
    for (char name = 'a'; name < 'k'; ++name) {
      put_data(id, ("parameters/" + std::string(1, name)).c_str(), {1}, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, kNumbers);
    }
  });
  file.check_refused(ExitCode::configuration, {"a is in the file alone", "and 5 more"});
}

TEST_CASE("another optimizer, or no average") {
  const Foreign file;
  StateLayout other = file.layout();
  other.slots = {"m", "v"};
  CHECK_THROWS_WITH_AS(CheckpointDecoder(file.path()).read(other),
                       ("'" + file.path() +
                        "' was saved with another optimizer: it holds m, and this run's optimizer "
                        "needs m, v. Take the optimizer of that run, or give another --output_dir")
                           .c_str(),
                       Error);
  other.slots = {};  // the file's further slots are ignored
  CHECK(CheckpointDecoder(file.path()).read(other).slots.empty());
  file.change([](hid_t id) { H5Ldelete(id, "ema", H5P_DEFAULT); });
  file.check_refused(ExitCode::configuration, {"no moving average", "--ema"});
}

TEST_CASE("data sets that are wrong") {
  const auto refused = [](const std::function<void(hid_t)>& how, std::initializer_list<std::string> parts) {
    const Foreign file;
    file.change(how);
    file.check_refused(ExitCode::bad_data, parts);
  };
  const char* bias = "parameters/dense_0/bias";
  refused([&](hid_t id) { put_data(id, bias, {2}, H5T_STD_I32LE, H5T_NATIVE_DOUBLE, kNumbers); },
          {bias, "no floating-point numbers", "float32"});
  const double beyond[2] = {1, 1e300};
  refused([&](hid_t id) { put_data(id, bias, {2}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, beyond); },
          {bias, "beyond what float32"});
  refused([](hid_t id) { H5Ldelete(id, "optimizer/m/dense_0/bias", H5P_DEFAULT); },
          {"optimizer/m does not hold", "dense_0/bias is not in the file"});
  refused([](hid_t id) { put_data(id, "ema/dense_0/bias", {3}, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, kNumbers); },
          {"ema does not hold", "dense_0/bias is (3) in the file and (2) in the model"});
  const Hdf5Handle elsewhere(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_external(elsewhere.id(), "/dev/zero", 0, 8);
  refused([&](hid_t id) { put_data(id, bias, {2}, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, nullptr, elsewhere.id()); },
          {bias, "other files"});
  const Hdf5Handle packed(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hsize_t chunk = 2;
  H5Pset_chunk(packed.id(), 1, &chunk);
  H5Pset_deflate(packed.id(), 4);
  const Foreign gzip;  // HDF5 itself unpacks it
  gzip.change([&](hid_t id) { put_data(id, bias, {2}, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, kNumbers, packed.id()); });
  CHECK(gzip.read().parameters[17] == 2);
}

TEST_CASE("links are refused, wherever they lead") {
  const Foreign other;
  const auto refused = [](const std::function<void(hid_t)>& how, std::initializer_list<std::string> parts) {
    const Foreign file;
    file.change([&](hid_t id) {
      H5Ldelete(id, "parameters/dense_0/bias", H5P_DEFAULT);
      how(id);
    });
    file.check_refused(ExitCode::bad_data, parts);
  };
  const char* bias = "parameters/dense_0/bias";
  refused([&](hid_t id) { H5Lcreate_external(other.path().c_str(), bias, id, bias, H5P_DEFAULT, H5P_DEFAULT); },
          {bias, "an external link"});
  refused([&](hid_t id) { H5Lcreate_soft("/ema/dense_0/bias", id, bias, H5P_DEFAULT, H5P_DEFAULT); },
          {bias, "a soft link"});
  refused([&](hid_t id) { H5Lcreate_hard(id, "/ema/dense_0/bias", id, bias, H5P_DEFAULT, H5P_DEFAULT); },
          {"dense_0/bias is another name"});
}

TEST_CASE("groups that are not asked for have the model's variables, too") {
  const auto refused = [](const char* path, std::initializer_list<std::string> parts) {
    const Foreign file;
    file.change([&](hid_t id) {
      const Hdf5Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
      H5Pset_create_intermediate_group(groups.id(), 1);
      const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
      H5Dclose(H5Dcreate2(id, path, H5T_IEEE_F32LE, scalar.id(), groups.id(), H5P_DEFAULT, H5P_DEFAULT));
      if (std::string(path).starts_with("replicas")) put_number(id, "replicas", 1);
    });
    StateLayout weights = file.layout();
    weights.slots = {};
    weights.average = false;
    check_error(ExitCode::bad_data, parts, [&] { CheckpointDecoder(file.path()).read(weights); });
  };
  refused("ema/zz", {"ema does not hold", "zz is in the file alone"});
  refused("optimizer/m/zz", {"optimizer/m does not hold", "zz is in the file alone"});
  refused("optimizer/zz", {"optimizer/zz does not hold"});
  refused("replicas/0/zz/yy", {"replicas/0 has the slots zz, and optimizer has m"});
  refused("replicas/0/m/yy", {"replicas/0/m does not hold"});
}

TEST_CASE("constants that a model divides by are above 0") {
  ParameterTable table;
  table.add_constant("deviation", Shape({3}), /*positive=*/true);
  table.add_constant("mean", Shape({2}));
  const StateLayout layout{.table = &table};
  StateArrays arrays{.parameters = std::vector<float>(32, 0.5F)};
  arrays.parameters[17] = -1;  // in the mean
  const TemporaryFolder folder;
  const std::string path = folder / "model.ckpt-120.h5";
  put_checkpoint(path, some_header(), layout, arrays);
  CHECK_NOTHROW(CheckpointDecoder(path).read(layout));
  for (const float wrong : {0.0F, -2.0F}) {
    arrays.parameters[2] = wrong;
    put_checkpoint(path, some_header(), layout, arrays);
    check_error(ExitCode::bad_data, {"parameters/deviation holds", "above 0"},
                [&] { CheckpointDecoder(path).read(layout); });
  }
}

TEST_CASE("an optimizer's slots are those that it has, and hold what it can have made") {
  const Foreign file;
  StateLayout squares = file.layout();
  squares.non_negative = {"m"};
  file.change([](hid_t id) {
    constexpr double kBelow[2] = {1, -0.5};
    put_data(id, "optimizer/m/dense_0/bias", {2}, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, kBelow);
    put_data(id, "optimizer/m/dense_0/kernel", {3, 2}, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, kNumbers);
  });
  CHECK(file.read().slots[0][17] == -0.5F);
  CHECK_THROWS_WITH_AS(CheckpointDecoder(file.path()).read(squares),
                       ("'" + file.path() +
                        "': optimizer/m/dense_0/bias holds -0.5, and it is made of squares, which are never negative")
                           .c_str(),
                       Error);
  file.change([](hid_t id) { put_data(id, "optimizer/zz", {2}, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, kNumbers); });
  file.check_refused(ExitCode::bad_data, {"optimizer/zz is nothing that this optimizer has; it has m"});
}

}  // namespace lockstep
