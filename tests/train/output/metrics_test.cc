#include "train/output/metrics.h"

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

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
