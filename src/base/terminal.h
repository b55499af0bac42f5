#pragma once

#include "base/descriptor.h"

namespace lockstep {

// A terminal that a person watches. Any thread.
class Terminal {
 public:
  // REQUIRES: isatty(terminal). colours: it may show them.
  Terminal(Descriptor terminal, bool colours) : terminal_(std::move(terminal)), colours_(colours) {}

  // Columns of a line at this moment, as people resize windows; 80 if unknown.
  int columns() const;
  bool colours() const { return colours_; }

 private:
  Descriptor terminal_;
  bool colours_;
};

}  // namespace lockstep
