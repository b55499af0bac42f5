#include "launch/flags/command_line.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"

using lockstep::CommandLine;
using lockstep::Error;
using lockstep::ExitCode;
using lockstep::Flag;
using lockstep::Scope;
using Args = std::vector<std::string>;

namespace {

constexpr Flag kFlags[] = {
    {"Food", "meal_name", "NAME", "soup", "What to eat", "dish"},
    {"Food", "spoons", "N", "2", "How many"},
    {"Food", "salt", "G", "0.5", "How much"},
    {"Guests", "loud", "", "", "Whether they sing"},
};

// Explains flags of other programs, here a menu's.
std::string explain(std::string_view name, const std::optional<std::string>& value) {
  return name == "menu" ? "nobody reads menus here; name a --meal_name=" + value.value_or("NAME") : "";
}

CommandLine line_of(const Args& args) { return CommandLine("eat", kFlags, args, explain); }

// Returns the message with which work is refused.
template <class Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK(error.scope() == Scope::every_rank);
    return error.what();
  }
  return "";
}

std::string refusal(const Args& args) {
  return refusal_of([&] { line_of(args); });
}

}  // namespace

TEST_CASE("command line: defaults, both ways to write a value, dashes and underscores, aliases") {
  CHECK(line_of({}).text("meal_name") == "soup");
  CHECK_FALSE(line_of({}).given("meal_name"));
  for (const Args& args : {Args{"--meal_name=rice"}, Args{"--meal-name=rice"}, Args{"--meal_name", "rice"},
                           Args{"--dish=rice"}, Args{"--dish", "rice"}}) {
    CHECK(line_of(args).text("meal_name") == "rice");
    CHECK(line_of(args).given("meal_name"));
  }
  CHECK(line_of({"--meal_name=a=b --c"}).text("meal_name") == "a=b --c");
  CHECK(line_of({"--meal_name="}).text("meal_name").empty());
  CHECK(line_of({"--meal_name", ""}).text("meal_name").empty());
}

TEST_CASE("command line: boolean flags") {
  CHECK_FALSE(line_of({}).on("loud"));
  for (const char* on : {"--loud", "--loud=true", "--loud=True"}) CHECK(line_of({on}).on("loud"));
  for (const char* off : {"--loud=false", "--loud=False", "--noloud", "--no_loud", "--no-loud"}) {
    CHECK_FALSE(line_of({off}).on("loud"));
    CHECK(line_of({off}).given("loud"));
  }
  CHECK(line_of({"--loud", "--spoons=3"}).integer("spoons", 0, 9) == 3);
  CHECK(refusal({"--loud=1"}) == "--loud=1: expected true or false");
  CHECK(refusal({"--loud="}) == "--loud=: expected true or false");
  CHECK(refusal({"--loud", "false"}) ==
        "'--loud false': the value of a boolean flag is written with '=': --loud=false");
  CHECK(refusal({"--noloud=false"}) == "--noloud=false: write either --noloud or --loud=true|false");
  CHECK(refusal({"--nospoons"}).starts_with("unknown flag --nospoons"));
}

TEST_CASE("command line: a flag is never taken for a value, a negative number is one") {
  CHECK(refusal({"--meal_name", "--loud"}) ==
        "--meal_name needs a value, and '--loud' looks like the next flag; if it is the value, write "
        "--meal_name=--loud");
  CHECK(refusal({"--meal_name", "-x"}).starts_with("--meal_name needs a value"));
  CHECK(refusal({"--meal_name"}) == "--meal_name needs a value: --meal_name=NAME");
  CHECK(line_of({"--spoons", "-3"}).integer("spoons", -5, 5) == -3);
  CHECK(line_of({"--meal_name=--loud"}).text("meal_name") == "--loud");
}

TEST_CASE("command line: what is no flag is refused with the nearest one") {
  CHECK(refusal({"--spons=2"}) == "unknown flag --spons (did you mean --spoons?); eat --help lists the flags");
  CHECK(refusal({"--dich=2"}) == "unknown flag --dich (did you mean --dish?); eat --help lists the flags");
  CHECK(refusal({"--train_steps=2"}) == "unknown flag --train_steps; eat --help lists the flags");
  CHECK(refusal({"rice"}) == "'rice' belongs to no flag; values are written --name=value, and eat takes nothing else");
  CHECK(refusal({"--loud", "rice"}).starts_with("'rice' belongs to no flag"));
  CHECK(refusal({"-loud"}) == "'-loud': flags begin with two dashes, as in --loud");
  CHECK(refusal({"-meal_name=rice"}) == "'-meal_name=rice': flags begin with two dashes, as in --meal_name=rice");
  const std::string list = "; flags begin with two dashes, and eat --help lists them";
  CHECK(refusal({"-l"}) == "'-l' is no flag (did you mean --loud?)" + list);
  CHECK(refusal({"-q"}) == "'-q' is no flag" + list);
  CHECK(refusal({"-"}) == "'-' is no flag" + list);
  CHECK(refusal({"-menu=long"}) == "'-menu=long' is no flag: nobody reads menus here; name a --meal_name=NAME");
  for (const char* empty : {"--", "--=3"}) CHECK(refusal({empty}).starts_with("unknown flag --;"));
}

TEST_CASE("command line: a flag of somebody else's is refused with what to use instead, and proposed to nobody") {
  CHECK(refusal({"--menu=long"}) == "unknown flag --menu: nobody reads menus here; name a --meal_name=long");
  CHECK(refusal({"--menu", "long"}) == "unknown flag --menu: nobody reads menus here; name a --meal_name=long");
  CHECK(refusal({"--menu", "--loud"}) == "unknown flag --menu: nobody reads menus here; name a --meal_name=NAME");
  CHECK(refusal({"--menus=long"}) == "unknown flag --menus; eat --help lists the flags");
}

TEST_CASE("command line: what comes from outside is escaped and cut") {
  CHECK(refusal({"--\x1b[31mred=1"}) == "unknown flag --\\x1b[31mred; eat --help lists the flags");
  CHECK(refusal({"ri\nce"}).starts_with("'ri\\nce' belongs to no flag;"));
  CHECK(refusal({"--loud=\x1b"}) == "--loud=\\x1b: expected true or false");
  CHECK(refusal({"--" + std::string(1'000'000, 'x')}).size() < 400);
  CHECK(refusal({"--spoons=1", "--spoons=" + std::string(1'000'000, '2')}).size() < 400);
  CHECK(refusal_of([] { line_of({"--spoons=\x1b"}).integer("spoons", 0, 5); }) ==
        "--spoons=\\x1b: expected a whole number from 0 to 5");
}

TEST_CASE("command line: a flag given twice is refused, however it is spelled") {
  CHECK(refusal({"--spoons=1", "--spoons", "2"}) == "--spoons is given twice, as '1' and as '2'; keep one of them");
  CHECK(refusal({"--meal-name=a", "--dish=b"}) ==
        "--meal_name is given twice, as 'a' and as 'b' (--dish is another name for it); keep one of them");
  CHECK(refusal({"--loud", "--noloud"}).starts_with("--loud is given twice"));
}

TEST_CASE("command line: numbers are read strictly") {
  for (const char* text : {"", "x", "1x", "1.0", "1e1", "+1", " 1", "0x1", "6", "-1", "99999999999999999999"}) {
    CAPTURE(text);
    const CommandLine line = line_of({std::string("--spoons=") + text});
    CHECK(refusal_of([&] { line.integer("spoons", 0, 5); }) ==
          std::string("--spoons=") + text + ": expected a whole number from 0 to 5");
  }
  CHECK(refusal_of([] { line_of({"--spoons=0"}).integer("spoons", 1, std::numeric_limits<std::int64_t>::max()); }) ==
        "--spoons=0: expected a whole number of at least 1");
  CHECK(line_of({"--salt=1e-3"}).number_above_zero("salt", 9) == 1e-3);
  CHECK(line_of({}).number_above_zero("salt", 9) == 0.5);
  for (const char* text : {"", "x", "1e-3x", "0", "-1", "nan", "inf", "9.5", "1e400"}) {
    CAPTURE(text);
    const CommandLine line = line_of({std::string("--salt=") + text});
    CHECK(refusal_of([&] { line.number_above_zero("salt", 9); }) ==
          std::string("--salt=") + text + ": expected a number above 0 and up to 9");
  }
}

TEST_CASE("command line: one of several words") {
  const std::array<std::string, 2> dishes = {"rice", "soup"};
  CHECK(line_of({}).choice("meal_name", dishes) == 1);
  CHECK(refusal_of([&] { line_of({"--dish=rise"}).choice("meal_name", dishes); }) ==
        "--meal_name=rise: expected rice or soup (did you mean 'rice'?)");
}

TEST_CASE("command line: help and version are asked for by flags, not by values") {
  CHECK(lockstep::asks_for_help(Args{"--foo", "--help"}));
  CHECK(lockstep::asks_for_help(Args{"-h"}));
  CHECK_FALSE(lockstep::asks_for_help(Args{"--dish=--help", "help"}));
  CHECK(lockstep::asks_for_version(Args{"--version"}));
  CHECK_FALSE(lockstep::asks_for_version(Args{}));
}

TEST_CASE("command line: the help has every flag under its group, within 100 columns") {
  const std::string text = lockstep::flags_help(kFlags);
  CHECK(text.starts_with("Food:\n"));
  CHECK(text.find("\nGuests:\n") != std::string::npos);
  CHECK(text.find("--meal_name NAME  What to eat (default: soup)\n") != std::string::npos);
  CHECK(text.find("--loud  Whether they sing\n") != std::string::npos);
}

TEST_CASE("command line: the help in full: topics in order, breaks between words, long names on a line of their own") {
  constexpr Flag kFlagsOfHelp[] = {
      {"Food", "meal", "NAME", "soup",
       "What to eat: soup, which is there every day, or what the cook thought of this morning on the market"},
      {"Guests", "loud", "", "", "Whether they sing"},
      {"Food", "portions_of_every_guest", "COUNT", "", "How many a guest gets, or as many as there are"},
      {"Food", "drink", "NAME", "water", "What to drink (default: beer with soup, else water)"},
      {"Guests", "from", "HOUSE", "",
       "An_address_that_is_far_too_long_to_fit_into_what_is_left_of_a_line_of_a_hundred_columns_is_not_broken "
       "(default: "
       "the one next door)"},
  };
  CHECK(lockstep::flags_help(kFlagsOfHelp) ==
        "Food:\n"
        "      --meal NAME               What to eat: soup, which is there every day, or what the cook\n"
        "                                thought of this morning on the market (default: soup)\n"
        "      --portions_of_every_guest COUNT\n"
        "                                How many a guest gets, or as many as there are\n"
        "      --drink NAME              What to drink (default: beer with soup, else water)\n"
        "\n"
        "Guests:\n"
        "      --loud        Whether they sing\n"
        "      --from HOUSE  "
        "An_address_that_is_far_too_long_to_fit_into_what_is_left_of_a_line_of_a_hundred_columns_is_not_broken\n"
        "                    (default: the one next door)\n");
  CHECK(lockstep::flags_help({}).empty());
}

TEST_CASE("command line: a line of the help has at most 99 columns") {
  // 84 columns are left from column 15 on.
  const std::string fits = std::string(41, 'a') + " " + std::string(42, 'b');
  const std::string too_wide = fits + "b";
  const Flag flags[] = {{"All", "one", "N", "", fits}, {"All", "two", "N", "", too_wide}};
  CHECK(lockstep::flags_help(flags) == "All:\n      --one N  " + fits + "\n      --two N  " + std::string(41, 'a') +
                                           "\n               " + std::string(43, 'b') + "\n");
}

TEST_CASE("command line: operands between flags, in their order, as many as the program takes") {
  const auto operands = [](const Args& args) {
    return CommandLine("eat", kFlags, args, {}, {.placeholder = "GUEST", .least = 1, .most = 2}).operands();
  };
  CHECK(operands({"ann", "--loud"}) == Args{"ann"});
  CHECK(operands({"--spoons", "3", "ann", "--meal_name=rice", "a-b"}) == Args{"ann", "a-b"});
  CHECK(refusal_of([&] { operands({"--loud"}); }) == "eat needs a GUEST; eat --help shows examples");
  CHECK(refusal_of([&] { operands({"ann", "bob", "eve"}); }) == "'eve' is one GUEST too many; eat takes 2");
  CHECK(refusal_of([&] { operands({""}); }) == "eat: a GUEST is empty; is a variable unset?");
}
