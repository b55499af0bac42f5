// No changed byte of a checkpoint, and no truncation, goes unnoticed.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "base/error.h"
#include "base/input_file.h"
#include "checkpoint/decoder.h"
#include "checkpoint_states.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

CheckpointHeader header_with_missed() {
  CheckpointHeader header = some_header();
  header.cursor.missed = {{5, 3, 1}, {2}};
  return header;
}

// A small checkpoint whose bytes can be changed in place.
class Damaged {
 public:
  Damaged() : path_(folder_ / "model.ckpt-120.h5") {
    put_checkpoint(path_, header_with_missed(), layout_, arrays_);
    bytes_ = read_file(path_);
    file_ = ::open(path_.c_str(), O_WRONLY);
    REQUIRE(file_ >= 0);
  }
  ~Damaged() { ::close(file_); }
  Damaged(const Damaged&) = delete;
  Damaged& operator=(const Damaged&) = delete;

  std::size_t size() const { return bytes_.size(); }

  void put(std::size_t at, char byte) const { REQUIRE(::pwrite(file_, &byte, 1, static_cast<off_t>(at)) == 1); }
  void flip(std::size_t at, int bits) const { put(at, static_cast<char>(bytes_[at] ^ bits)); }
  void mend(std::size_t at) const { put(at, bytes_[at]); }
  void cut_to(std::size_t size) const { REQUIRE(::ftruncate(file_, static_cast<off_t>(size)) == 0); }

  // Returns whether the file is refused as damaged, by name.
  bool is_refused() const {
    try {
      CheckpointDecoder(path_).read(layout_);
    } catch (const Error& error) {
      return error.code() == ExitCode::bad_data && std::string(error.what()).find(path_) != std::string::npos;
    }
    return false;
  }
  bool is_whole() const {
    const CheckpointDecoder reader(path_);
    return equal(reader.header(), header_with_missed()) && equal(reader.read(layout_), arrays_);
  }

 private:
  TemporaryFolder folder_;
  ParameterTable table_ = small_table();
  StateLayout layout_{.table = &table_, .slots = {"m"}, .average = true};
  StateArrays arrays_ = some_arrays(layout_);
  std::string path_;
  std::string bytes_;
  int file_ = -1;
};

}  // namespace

TEST_CASE("every byte of a checkpoint, and a bit of every byte, changed in turn is refused") {
  const Damaged file;
  CHECK(file.is_whole());
  std::size_t missed = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const int bits : {0xFF, 1 << (at % 8)}) {
      file.flip(at, bits);
      if (!file.is_refused()) ++missed;
    }
    file.mend(at);
  }
  CHECK(missed == 0);
  CHECK(file.is_whole());
}

TEST_CASE("a checkpoint cut off at any length is refused") {
  const Damaged file;
  std::size_t missed = 0;
  for (std::size_t size = file.size(); size-- > 0;) {
    file.cut_to(size);
    if (!file.is_refused()) ++missed;
  }
  CHECK(missed == 0);
}

TEST_CASE("a checkpoint with bytes after its end is refused") {
  const Damaged file;
  file.put(file.size(), '\0');
  CHECK(file.is_refused());
  file.cut_to(file.size());
  CHECK(file.is_whole());
}

TEST_CASE("a file without a seal is refused before its bytes are read, however many there are") {
  constexpr std::size_t kMoreThanCanBeRead = std::size_t{1} << 42;
  const Damaged file;
  file.cut_to(kMoreThanCanBeRead);
  CHECK(file.is_refused());
}

}  // namespace lockstep
