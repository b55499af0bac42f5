#include "train/output/metrics.h"

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace lockstep {

TEST_CASE("a line is one JSON object whose numbers read back as they were") {
  const double third = 1.0 / 3;
  const TemporaryFolder folder;
  MetricsFile(folder / "metrics.jsonl", "")
      .write(Json::Object{{"kind", "train"},
                          {"step", 7},
                          {"loss", third},
                          {"whole", 1.0},
                          {"large", 1e16},
                          {"local", true},
                          {"note", "a \"b\"\\\n"},
                          {"nan", NAN},
                          {"inf", -INFINITY}});
  std::stringstream text;
  text << std::ifstream(folder / "metrics.jsonl").rdbuf();
  CHECK(
      text.str() ==
      R"({"kind": "train", "step": 7, "loss": 0.3333333333333333, "whole": 1, "large": 1e+16, "local": true, "note": "a \"b\"\\\n", "nan": null, "inf": null})"
      "\n");
  CHECK(std::stod("0.3333333333333333") == third);
  CHECK(*parse_json(text.str()).find("loss")->as<double>() == third);
}

TEST_CASE("a metrics file begins with what is kept and holds whole lines") {
  const TemporaryFolder folder;
  const std::string path = folder / "metrics.jsonl";
  std::ofstream(path) << "of an earlier run\n";
  {
    MetricsFile file(path, "");
    file.write(Json::Object{{"kind", "train"}, {"step", 1}});
    file.write(Json::Object{{"kind", "end"}});
  }
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  CHECK(text.str() == "{\"kind\": \"train\", \"step\": 1}\n{\"kind\": \"end\"}\n");
  { const MetricsFile file(path, "kept\n"); }
  std::stringstream again;
  again << std::ifstream(path).rdbuf();
  CHECK(again.str() == "kept\n");
}

TEST_CASE("a metrics file that is removed or replaced underneath goes on under its name, and says so once") {
  const TemporaryFolder folder;
  const std::string path = folder / "metrics.jsonl";
  std::vector<std::string> said;
  int checks = 0;
  MetricsFile file(
      path, "kept\n", [&checks] { ++checks; }, [&said](const std::string& text) { said.push_back(text); });
  const auto write = [&file](int step) { file.write(Json::Object{{"step", step}}); };
  const auto lines = [&path] {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  write(1);
  CHECK(said.empty());
  std::filesystem::remove(path);
  write(2);
  CHECK(lines() == "kept\n{\"step\": 1}\n{\"step\": 2}\n");
  write(3);
  CHECK(said == std::vector{path + " was removed: it is there again, with all its lines"});
  // Replaces the file as editors do; the new file ends within a line.
  std::ofstream(path + ".new") << "edited";
  std::filesystem::rename(path + ".new", path);
  const int before = checks;
  write(4);
  CHECK(checks == before + 1);
  write(5);
  CHECK(lines() == "edited\n{\"step\": 4}\n{\"step\": 5}\n");
  CHECK(said.size() == 2);
  CHECK(said.back() == path + " was replaced by another file, which the lines from here on are added to");
  // Removed at the end, when no line follows.
  std::filesystem::remove(path);
  file.stay_in_place();
  CHECK(lines() == "edited\n{\"step\": 4}\n{\"step\": 5}\n");
  // The file is not given up if something that is not a file takes its place.
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  write(6);
  write(7);
  CHECK(said.size() == 4);
}

TEST_CASE("a metrics file that belongs to another job by now is left alone") {
  const TemporaryFolder folder;
  const std::string path = folder / "metrics.jsonl";
  bool lost = false;
  MetricsFile file(path, "", [&lost] {
    if (lost) throw Error(ExitCode::configuration, "taken over");
  });
  lost = true;
  std::ofstream(path + ".new") << "of the other job\n";
  std::filesystem::rename(path + ".new", path);
  CHECK_THROWS_WITH_AS(file.write(Json::Object{{"step", 1}}), "taken over", Error);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  CHECK(text.str() == "of the other job\n");
}

TEST_CASE("a file that cannot be written is an error that names it") {
  CHECK_THROWS_WITH_AS(MetricsFile("/no/such/folder/metrics.jsonl", ""), doctest::Contains("/no/such/folder"), Error);
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const TemporaryFolder folder;
  MetricsFile full(folder / "metrics.jsonl", "");
  const struct rlimit tight {
    10, before.rlim_max
  };
  ::setrlimit(RLIMIT_FSIZE, &tight);
  std::string message;
  try {
    full.write(Json::Object{{"kind", "end"}, {"step", 1}});
  } catch (const Error& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  CHECK(message.find("metrics.jsonl") != std::string::npos);
  CHECK(std::filesystem::file_size(folder / "metrics.jsonl") == 0);  // not half a line
}

}  // namespace lockstep
