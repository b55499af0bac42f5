#include "base/hparams.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"

using lockstep::Error;
using lockstep::ExitCode;
using lockstep::HParams;
using lockstep::Scope;

namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;
using Booleans = std::vector<bool>;
using Texts = std::vector<std::string>;

HParams sample_set() {
  HParams hparams;
  hparams.set("steps", std::int64_t{100})
      .set("rate", 0.5)
      .set("name.of", std::string("adam"))
      .set("gpu", false)
      .set("sizes", Integers{64, 32})
      .set("rates", Numbers{0.1})
      .set("flags", Booleans{true})
      .set("words", Texts{"a"})
      .set("product", std::string("x*y"));
  return hparams;
}

HParams parsed(const std::string& overrides) {
  HParams hparams = sample_set();
  hparams.parse(overrides);
  return hparams;
}

// Returns the message that refuses overrides; checks that nothing was applied.
std::string refusal(const std::string& overrides, HParams::Words words = HParams::Words::tensor2tensor) {
  HParams hparams = sample_set();
  try {
    hparams.parse(overrides, words);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK(error.scope() == Scope::every_rank);
    CHECK(hparams.values() == sample_set().values());
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("hparams: getters of each type") {
  const HParams hparams = sample_set();
  CHECK(hparams.integer("steps") == 100);
  CHECK(hparams.number("rate") == 0.5);
  CHECK(hparams.number("steps") == 100.0);
  CHECK(hparams.boolean("gpu") == false);
  CHECK(hparams.text("name.of") == "adam");
  CHECK(hparams.has("rate"));
  CHECK_FALSE(hparams.has("rat"));
}

TEST_CASE("hparams: a missing name and a wrong type say what is there and what is needed") {
  const HParams hparams = sample_set();
  CHECK_THROWS_WITH_AS(
      hparams.integer("step"),
      "hparam 'step' is missing from this set of hparams (did you mean 'steps'?); name the set's model "
      "with --model, or give another set with --hparams_set",
      Error);
  CHECK_THROWS_WITH_AS(hparams.integer("rate"),
                       "hparam 'rate' is a number in this set of hparams, but an integer is needed; choose another "
                       "one with --hparams_set",
                       Error);
  CHECK_THROWS_AS(hparams.number("gpu"), Error);
  CHECK_THROWS_AS(hparams.boolean("steps"), Error);
  CHECK_THROWS_AS(static_cast<void>(hparams.text("sizes")), Error);
}

TEST_CASE("hparams: set() replaces value and type") {
  HParams hparams = sample_set();
  hparams.set("steps", 1.5);
  CHECK(hparams.number("steps") == 1.5);
}

TEST_CASE("hparams: one override of each type") {
  CHECK(parsed("steps=7").integer("steps") == 7);
  CHECK(parsed("rate=1e-3").number("rate") == 1e-3);
  CHECK(parsed("rate=3").number("rate") == 3.0);
  CHECK(parsed("name.of=a=b/c \"d\"").text("name.of") == "a=b/c \"d\"");
  CHECK(parsed("name.of=").text("name.of").empty());
  CHECK(parsed("gpu=True").boolean("gpu"));
  CHECK(parsed("gpu=-2").boolean("gpu"));
  CHECK(parsed("gpu=99999999999999999999").boolean("gpu"));
  CHECK_FALSE(parsed("gpu=0").boolean("gpu"));
  CHECK(std::isnan(parsed("rate=nan").number("rate")));
  CHECK(parsed("rate=-Infinity").number("rate") == -std::numeric_limits<double>::infinity());
  CHECK(parsed("steps=-9223372036854775808").integer("steps") == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("hparams: lists") {
  CHECK(parsed("sizes=[1, 2 3,]").values().at("sizes") == HParams::Value(Integers{1, 2, 3}));
  CHECK(parsed("sizes=[]").values().at("sizes") == HParams::Value(Integers{}));
  CHECK(parsed("rates=[1,inf]").values().at("rates") ==
        HParams::Value(Numbers{1, std::numeric_limits<double>::infinity()}));
  CHECK(parsed("flags=[false 3]").values().at("flags") == HParams::Value(Booleans{false, true}));
  CHECK(parsed("words=[x y,z]").values().at("words") == HParams::Value(Texts{"x", "y", "z"}));
}

TEST_CASE("hparams: several overrides, blanks and the comma at the end") {
  const HParams hparams = parsed("steps = 5 , rate\t=2,  sizes= [9],");
  CHECK(hparams.integer("steps") == 5);
  CHECK(hparams.number("rate") == 2);
  CHECK(hparams.values().at("sizes") == HParams::Value(Integers{9}));
  CHECK(parsed("").values() == sample_set().values());
}

TEST_CASE("hparams: what is no clause is Malformed, from there on") {
  for (const std::string text : {" steps=1", "steps", "=5", ",", "1a=2", "_a=2", "steps 5", "sizes=[1", "sizes=[1]2",
                                 "name.of=a[b", "sizes=[[1]]", "sizes [1]=2", "sizes[x]=2", "sizes[]=2"}) {
    CHECK(refusal(text) == "Malformed hyperparameter value: " + text);
  }
  CHECK(refusal("steps=1,,rate=2") == "Malformed hyperparameter value: ,rate=2");
  CHECK(refusal("steps=1, rate") == "Malformed hyperparameter value: rate");
  CHECK(refusal("sizes=[1]\n") == "Malformed hyperparameter value: \n");
}

TEST_CASE("hparams: values that cannot be read") {
  const auto check_refused = [](const std::string& name, const char* type, const std::string& value) {
    const std::string text = fmt::format("{}={}", name, value);
    CHECK(refusal(text) ==
          fmt::format("Could not parse hparam '{}' of type '{}' with value '{}' in {}", name, type, value, text));
  };
  for (const char* value : {"", "1.0", "0x10", "1__0", "_1", "1_", "--5", "+-5", "1 000", "ten"}) {
    check_refused("steps", "int", value);
  }
  for (const char* value : {"", "1._0", "0x1p3", "nan(1)", "1e", "."}) check_refused("rate", "float", value);
  for (const char* value : {"", "TRUE", "yep", "1.0"}) check_refused("gpu", "bool", value);
  CHECK(refusal("sizes=[1,x]") == "Could not parse hparam 'sizes' of type 'int' with value '1,x' in sizes=[1,x]");
  CHECK(refusal("flags=[yep]") == "Could not parse hparam 'flags' of type 'bool' with value 'yep' in flags=[yep]");
  // The whole text follows "in", not only the clause.
  CHECK(refusal("steps=1,rate=x,gpu=1") ==
        "Could not parse hparam 'rate' of type 'float' with value 'x' in steps=1,rate=x,gpu=1");
}

TEST_CASE("hparams: an integer beyond 64 bits is refused with T2T's words and the reason") {
  CHECK(
      refusal("steps=9223372036854775808") ==
      "Could not parse hparam 'steps' of type 'int' with value '9223372036854775808' in steps=9223372036854775808 (an "
      "integer here lies between -9223372036854775808 and 9223372036854775807)");
}

TEST_CASE("hparams: an unknown name keeps T2T's message in front of the suggestion") {
  CHECK(refusal("stepps=1") == "Unknown hyperparameter type for stepps (did you mean 'steps'?)");
  CHECK(refusal("momentum=1") == "Unknown hyperparameter type for momentum");
}

TEST_CASE("hparams: names twice, lists and scalars mixed up, indices") {
  CHECK(refusal("steps=1,steps=2") == "Multiple assignments to variable 'steps' in steps=1,steps=2");
  CHECK(refusal("steps=1,steps=x") == "Could not parse hparam 'steps' of type 'int' with value 'x' in steps=1,steps=x");
  CHECK(refusal("sizes=[1],sizes=[x]") == "Multiple assignments to variable 'sizes' in sizes=[1],sizes=[x]");
  CHECK(refusal("sizes=1") == "Must pass a list for multi-valued parameter: sizes.");
  CHECK(refusal("steps=[1]") == "Must not pass a list for single-valued parameter: steps");
  CHECK(refusal("sizes[0]=1") == "Must pass a list for multi-valued parameter: sizes.");
  CHECK(refusal("sizes[0]=[1]") == "Assignment of a list to a list index.");
  CHECK(refusal("steps[ 01 ]=5,steps[2]=6") ==
        "Could not cast hparam 'steps' of type '<class 'int'>' from value {1: 5, 2: 6}");
  CHECK(refusal("rate[0]=5") == "Could not cast hparam 'rate' of type '<class 'float'>' from value {0: 5.0}");
  CHECK(refusal("gpu[0]=1") == "Could not cast hparam 'gpu' of type '<class 'bool'>' from value {0: True}");
  CHECK(refusal("name.of[0]=it's") ==
        "Could not cast hparam 'name.of' of type '<class 'str'>' from value {0: \"it's\"}");
  CHECK(refusal("steps[1]=5,steps[01]=6") == "Multiple assignments to variable 'steps[1]' in steps[1]=5,steps[01]=6");
  CHECK(refusal("steps=1,steps[1]=5") == "Multiple assignments to variable 'steps' in steps=1,steps[1]=5");
}

TEST_CASE("hparams: all or none is applied") {
  // refusal() compares the whole set after each of these.
  CHECK_FALSE(refusal("steps=1,rate=2,nonsense=3").empty());
  CHECK_FALSE(refusal("steps=1,rate=2,sizes=3").empty());
}

TEST_CASE("hparams: in our own words, what cannot be read or has no such name is refused with the cure") {
  const auto refused = [](const std::string& text) { return refusal(text, HParams::Words::own); };
  CHECK(refused("stepz=1") ==
        "--hparams: unknown hyperparameter 'stepz' (did you mean 'steps'?); --print_hparams shows all names");
  CHECK(refused("steps=1,momentum=1") ==
        "--hparams: unknown hyperparameter 'momentum'; --print_hparams shows all names");
  CHECK(refused("rate") == "--hparams: rate is given no value; write --hparams=rate=VALUE, and commas between several");
  CHECK(refused("steps=1,rate,gpu=1").starts_with("--hparams: rate is given no value; "));
  CHECK(refused("steps=1,,rate=2") ==
        "--hparams: ',rate=2' cannot be read; write --hparams=NAME=VALUE,NAME=VALUE without blanks, and lists as "
        "NAME=[VALUE,VALUE]");
  CHECK(refused("name.of=adam,sgd").starts_with("--hparams: 'sgd' cannot be read; write --hparams=NAME=VALUE"));
  CHECK(refused("steps=1,product=a,b,c,rate=1") ==
        "--hparams: 'b,c,rate=1' cannot be read; the factors of a schedule are joined by *: product=a*b");
  CHECK(refused("sizes=[1\x1b").starts_with("--hparams: 'sizes=[1\\x1b' cannot be read; "));
  CHECK(refused("steps=x") == "Could not parse hparam 'steps' of type 'int' with value 'x' in steps=x");
  CHECK(refused("steps=1").empty());
}

TEST_CASE("hparams: values of another set, types stay") {
  HParams hparams = sample_set();
  HParams values;
  values.set("steps", std::int64_t{7}).set("rate", std::int64_t{2}).set("name.of", std::string("sgd"));
  values.set("sizes", Integers{}).set("rates", Integers{1, 2}).set("words", Integers{}).set("flags", Booleans{false});
  hparams.override_with(values, "file");
  CHECK(hparams.integer("steps") == 7);
  CHECK(std::get<double>(hparams.values().at("rate")) == 2.0);
  CHECK(hparams.text("name.of") == "sgd");
  CHECK_FALSE(hparams.boolean("gpu"));
  CHECK(std::get<Integers>(hparams.values().at("sizes")).empty());
  CHECK(std::get<Numbers>(hparams.values().at("rates")) == Numbers{1, 2});
  CHECK(std::get<Booleans>(hparams.values().at("flags")) == Booleans{false});
  CHECK(std::get<Texts>(hparams.values().at("words")).empty());

  hparams.override_with(HParams().set("rate", std::string("-inf")), "file");
  CHECK(hparams.number("rate") == -std::numeric_limits<double>::infinity());
  hparams.override_with(HParams().set("rate", std::string("nan")), "file");
  CHECK(std::isnan(hparams.number("rate")));
}

TEST_CASE("hparams: values of another set that do not fit are refused, all of them") {
  const auto overridden = [](const std::string& name, HParams::Value value) -> std::string {
    HParams hparams = sample_set();
    try {
      hparams.override_with(HParams().set("gpu", true).set(name, std::move(value)), "file");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::usage);
      CHECK(error.scope() == Scope::every_rank);
      CHECK(hparams.values() == sample_set().values());
      return error.what();
    }
    return "";
  };
  CHECK(overridden("stepz", std::int64_t{1}) ==
        "file: this set of hparams has no 'stepz' (did you mean 'steps'?); --print_hparams shows what it has");
  CHECK(overridden("steps", 1.0) == "file: hparam 'steps' is a number, but an integer is needed");
  CHECK(overridden("rate", true) == "file: hparam 'rate' is true or false, but a number is needed");
  CHECK(overridden("rate", std::string("fast")) == "file: hparam 'rate' is a text, but a number is needed");
  CHECK(overridden("name.of", std::int64_t{1}) == "file: hparam 'name.of' is an integer, but a text is needed");
  CHECK(overridden("sizes", std::int64_t{1}) == "file: hparam 'sizes' is an integer, but a list of integers is needed");
  CHECK(overridden("sizes", Numbers{1}) ==
        "file: hparam 'sizes' is a list of numbers, but a list of integers is needed");
  CHECK(overridden("steps", Integers{1}) == "file: hparam 'steps' is a list of integers, but an integer is needed");
  CHECK(overridden("words", std::string("a")) == "file: hparam 'words' is a text, but a list of texts is needed");
}
