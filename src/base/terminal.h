#pragma once

#include "base/descriptor.h"

namespace lockstep {

// A terminal that a person watches. Any thread.
class Terminal {
 public:
  // REQUIRES: isatty(terminal). colours: it may show them.
  Terminal(Descriptor terminal, bool colours) : terminal_(std::move(terminal)), colours_(colours) {}

  // Of a line, at this moment: people resize. 80 if it does not say.
  int columns() const;
  bool colours() const { return colours_; }

 private:
  Descriptor terminal_;
  bool colours_;
};

}  // namespace lockstep
