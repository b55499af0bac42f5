#include "base/csv.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

using Fields = std::vector<std::string>;

}  // namespace

TEST_CASE("a field is quoted where it has to be, and comes back as it was") {
  CHECK(csv_field("") == "");
  CHECK(csv_field("a b") == "a b");
  CHECK(csv_field(",") == R"(",")");
  CHECK(csv_field(R"(")") == R"("""")");
  CHECK(csv_field(R"("a",)") == R"("""a"",")");
  for (const Fields& fields : {Fields{""}, Fields{"a"}, Fields{"", ""}, Fields{",", R"(")", "", "b"},
                               Fields{"1", R"(a",")", R"("",)"}, Fields{"\\n", " ", "\xff"}}) {
    std::string line;
    for (const std::string& field : fields) line += (&field == fields.data() ? "" : ",") + csv_field(field);
    CAPTURE(line);
    CHECK(csv_fields(line) == fields);
  }
}

TEST_CASE("a line whose quotes do not end is read to its end") {
  CHECK(csv_fields(R"("a,b)") == Fields{"a,b"});
  CHECK(csv_fields(R"("a"b,c)") == Fields{"ab", "c"});
  CHECK(csv_fields(R"(a"b",c)") == Fields{R"(a"b")", "c"});
  CHECK(csv_fields(R"(")") == Fields{""});
  CHECK(csv_fields(R"("a",)") == Fields{"a", ""});
}

}  // namespace lockstep
