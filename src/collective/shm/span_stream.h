#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lockstep {

// Consecutive pieces of memory that are read or written in steps of another size. Byte: std::byte or const std::byte.
template <class Byte>
class SpanStream {
 public:
  void add(std::span<Byte> piece) {
    pieces_.push_back(piece);
    bytes_ += piece.size();
  }
  std::size_t bytes() const { return bytes_; }  // total of all pieces

  // Calls use(part, offset) with the parts of the next `bytes` bytes, or of those that are left; offset: where the part
  // begins in this step.
  template <class Use>
  void next(std::size_t bytes, Use use) {
    std::size_t offset = 0;
    while (offset < bytes && piece_ < pieces_.size()) {
      const std::span<Byte> rest = pieces_[piece_].subspan(done_);
      const std::span<Byte> part = rest.first(std::min(rest.size(), bytes - offset));
      if (!part.empty()) use(part, offset);
      offset += part.size();
      done_ += part.size();
      if (part.size() < rest.size()) return;
      ++piece_;
      done_ = 0;
    }
  }

 private:
  std::vector<std::span<Byte>> pieces_;
  std::size_t bytes_ = 0;
  std::size_t piece_ = 0;  // the piece in which the next step begins
  std::size_t done_ = 0;   // bytes of that piece that are behind it
};

}  // namespace lockstep
