#include "base/python_name.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("names of Python programs are compared by their letters") {
  CHECK(letters_of_python_name("tf.distribute.experimental.MultiWorkerMirroredStrategy") ==
        "multiworkermirroredstrategy");
  CHECK(letters_of_python_name("multi_worker-mirrored") == "multiworkermirrored");
  CHECK(letters_of_python_name("V2") == "v2");
  CHECK(letters_of_python_name("module.").empty());
  CHECK(letters_of_python_name("").empty());
}

}  // namespace lockstep
