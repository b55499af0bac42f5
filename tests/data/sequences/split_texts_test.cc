#include "data/sequences/split_texts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/sequences/text_folder.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

PerSplit<std::string> read(const TextFolder& folder, const TokenizerKind& kind, std::optional<Split> only = {}) {
  return read_split_texts(find_text_files({.data_dir = folder.path(), .only = only}, "texts"), kind, only);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Returns the text's end from last_tenth() on.
std::string end_of(const std::string& text, const TokenizerKind& kind = character_tokenizer()) {
  return text.substr(last_tenth(text, kind));
}

}  // namespace

TEST_CASE("files are joined as they are, with a line end where one lacks it") {
  const TextFolder folder;
  folder.write("train-0.txt", "one\r\n\n");
  folder.write("train-1.txt.gz", "two");
  folder.write("train-2.txt", "\nthree");
  folder.write("test.txt", "four");
  for (const TokenizerKind& kind : {character_tokenizer(), word_tokenizer(), byte_tokenizer()}) {
    const auto texts = read(folder, kind);
    CHECK(texts[Split::train] == "one\r\n\ntwo\n\nthree");
    CHECK(texts[Split::dev].empty());
    CHECK(texts[Split::test] == "four");
  }
}

TEST_CASE("a byte order mark at the beginning of a file is no character, but bytes") {
  const TextFolder folder;
  folder.write("train-0.txt", "\xEF\xBB\xBFone\n");
  folder.write("train-1.txt", "\xEF\xBB\xBFtwo\xEF\xBB\xBF\n");
  CHECK(read(folder, character_tokenizer())[Split::train] == "one\ntwo\xEF\xBB\xBF\n");
  CHECK(read(folder, word_tokenizer())[Split::train] == "one\ntwo\xEF\xBB\xBF\n");
  CHECK(read(folder, byte_tokenizer())[Split::train].size() == 4 + 4 + 3 * 3);
  folder.write("train-1.txt", "\xEF\xBB\xBF");
  check_error(ExitCode::bad_data, {"train-1.txt', line 1"}, [&] { read(folder, character_tokenizer()); });
}

TEST_CASE("a text of several pieces of the reader is read whole, plain and packed") {
  const TextFolder folder;
  const std::string text = repeated("line of \xE2\x82\xAC\n", 1 << 18);  // 3 MiB
  folder.write("a.txt", text);
  folder.write("b.txt.gz", text);
  folder.write("c.txt", text.substr(0, 1 << 20) + "\n");
  for (const char* name : {"a.txt", "b.txt.gz"}) CHECK((read_text({folder / name}, character_tokenizer()) == text));
  CHECK(read_text({folder / "c.txt"}, byte_tokenizer()).size() == (1 << 20) + 1);
}

TEST_CASE("what is not UTF-8 is named by file, line and byte, unless bytes are read") {
  const TextFolder folder;
  folder.write("train-0.txt", "one\ntwo\n");
  folder.write("train-1.txt", "drei\r\nvier f\xFCnf\nsechs\n");
  for (const TokenizerKind& kind : {character_tokenizer(), word_tokenizer()}) {
    check_error(ExitCode::bad_data,
                {"'" + (folder / "train-1.txt") + "', line 2: its byte 7, '\\xfc'", "not UTF-8", "iconv",
                 "--hparams=text_unit=byte"},
                [&] { read(folder, kind); });
  }
  CHECK(read(folder, byte_tokenizer())[Split::train] == "one\ntwo\ndrei\r\nvier f\xFCnf\nsechs\n");
  folder.write("train-1.txt", "\xFF\xFEt\0");
  check_error(ExitCode::bad_data, {"train-1.txt', line 1: its byte 1, '\\xff'"},
              [&] { read(folder, character_tokenizer()); });
  folder.write("train-1.txt", "\n\nthree\n\xE2\x82");
  check_error(ExitCode::bad_data, {"train-1.txt', line 4: its byte 1, '\\xe2'"},
              [&] { read(folder, character_tokenizer()); });
}

TEST_CASE("a file without a symbol is bad data, by name") {
  const TextFolder folder;
  folder.write("train-0.txt", "one");
  folder.write("train-1.txt", "");
  for (const TokenizerKind& kind : {character_tokenizer(), word_tokenizer(), byte_tokenizer()}) {
    check_error(ExitCode::bad_data, {folder / "train-1.txt", "line 1: the file is empty", "take it out"},
                [&] { read(folder, kind); });
  }
  folder.write("train-1.txt", "  \r");
  check_error(ExitCode::bad_data, {folder / "train-1.txt", "no word"}, [&] { read(folder, word_tokenizer()); });
  CHECK(read(folder, character_tokenizer())[Split::train] == "one\n  \r");
  folder.write("train-1.txt", "\n");
  CHECK(read(folder, word_tokenizer())[Split::train] == "one\n\n");
  folder.write("dev.txt.gz", "");
  check_error(ExitCode::bad_data, {folder / "dev.txt.gz", "the file is empty"},
              [&] { read(folder, character_tokenizer()); });
}

TEST_CASE("the last tenth begins with a line where one begins in it") {
  CHECK(end_of(repeated("a\n", 50)) == repeated("a\n", 5));                        // at the start of the tenth
  CHECK(end_of(repeated("a", 92) + "\n" + repeated("b", 7)) == repeated("b", 7));  // within it
  CHECK(end_of(repeated("a", 89) + "\n" + repeated("b", 10)) == repeated("b", 10));
  CHECK(end_of(repeated("a", 88) + "\n" + repeated("b", 11)) == repeated("b", 10));  // before it: no line begins in it
  CHECK(end_of(repeated("a", 99) + "\n") == repeated("a", 9) + "\n");                // no line begins at the end
  CHECK(end_of(repeated("a", 92) + "\r\n\r\n" + "bcde") == "\r\nbcde");
}

TEST_CASE("without a line the last tenth begins after a blank, without a blank by its characters") {
  CHECK(end_of(repeated("a", 92) + " " + repeated("b", 7)) == repeated("b", 7));
  CHECK(end_of(repeated("a", 105)) == repeated("a", 10));
  CHECK(end_of("123456789").empty());
  CHECK(end_of("1234567890") == "0");
  CHECK(end_of("").empty());
}

TEST_CASE("a tenth is counted in characters, of bytes in bytes") {
  const std::string text = repeated("a", 50) + repeated("\xF0\x9F\x98\x80", 50);  // 100 characters of 250 bytes
  for (const TokenizerKind& kind : {character_tokenizer(), word_tokenizer()}) {
    CHECK(end_of(text, kind) == repeated("\xF0\x9F\x98\x80", 10));
  }
  CHECK(end_of(text, byte_tokenizer()).size() == 25);
  CHECK(end_of("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", byte_tokenizer()) == "\x80");
}

TEST_CASE("the dev split is the last tenth of files without names of splits, and only what is asked for is kept") {
  const TextFolder folder;
  folder.write("a.txt", repeated("abcd\n", 10));
  folder.write("b.txt", repeated("efgh\n", 10));
  const std::string end = repeated("efgh\n", 2);
  const auto all = read(folder, character_tokenizer());
  CHECK(all[Split::train] + all[Split::dev] == repeated("abcd\n", 10) + repeated("efgh\n", 10));
  CHECK(all[Split::dev] == end);
  CHECK(all[Split::test].empty());
  const auto train = read(folder, character_tokenizer(), Split::train);
  CHECK(train[Split::train] == all[Split::train]);
  CHECK(train[Split::dev].empty());
  const auto dev = read(folder, character_tokenizer(), Split::dev);
  CHECK(dev[Split::train].empty());
  CHECK(dev[Split::dev] == end);
}

TEST_CASE("files of a split that is not asked for are not opened") {
  const TextFolder folder;
  folder.write("train.txt", "\xFF");
  folder.write("dev.txt", "dev");
  folder.write("test.txt", "");
  CHECK(read(folder, character_tokenizer(), Split::dev)[Split::dev] == "dev");
}

}  // namespace lockstep
