#include "base/terminal.h"

#include <doctest/doctest.h>

#include "support/pseudo_terminal.h"

namespace lockstep {
namespace {

TEST_CASE("a terminal's width is that of the moment; one that does not say has 80 columns") {
  PseudoTerminal window(120);
  const Terminal terminal(window.open(), false);
  CHECK(terminal.columns() == 120);
  window.resize(41);
  CHECK(terminal.columns() == 41);
  window.resize(0);
  CHECK(terminal.columns() == 80);
}

}  // namespace
}  // namespace lockstep
