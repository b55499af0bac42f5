#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/input_file.h"

struct z_stream_s;  // zlib.h's

namespace lockstep {

// The bytes of a file, read once from front to end; a gzip file (RFC 1952, known by its first two bytes, whatever its
// name) is unpacked on the way and its checksums are verified. Holds the file open; one thread at a time.
//
// Errors name the file: missing_input if it is not there, is not a file or may not be read; bad_data if
// packed data are cut off, damaged, or followed by something else.
class UnpackedFile {
 public:
  explicit UnpackedFile(const std::string& path);

  // Fills `into`; returns how many bytes, fewer than asked for only at the end of the file.
  std::size_t read(std::span<std::uint8_t> into);

  const std::string& path() const { return file_.path(); }
  bool packed() const { return unpacker_ != nullptr; }
  // An upper bound on the number of all its bytes, known before they are read: exact if not packed.
  std::int64_t most_bytes() const;

 private:
  std::size_t copy(std::span<std::uint8_t> into);
  std::size_t unpack(std::span<std::uint8_t> into);
  bool refill();       // reads the next piece if none is left; false at the end of the file
  bool next_member();  // a gzip file is one or more packed pieces in a row
  [[noreturn]] void damaged(const std::string& how) const;

  struct FreeUnpacker {
    void operator()(z_stream_s* stream) const;
  };

  InputFile file_;
  std::array<std::uint8_t, 1 << 16> piece_;
  std::span<std::uint8_t> left_;  // the part of piece_ not yet used
  std::unique_ptr<z_stream_s, FreeUnpacker> unpacker_;
  bool member_ended_ = false;
};

}  // namespace lockstep
