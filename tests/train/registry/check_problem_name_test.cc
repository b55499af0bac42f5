#include "train/registry/check_problem_name.h"

#include <doctest/doctest.h>

#include <string>

#include "support/check_error.h"
#include "train/registry/registry.h"

namespace lockstep {

TEST_CASE("problems of tensor2tensor that there are not are refused with their kind") {
  const Registry registry = builtin_registry();
  const auto refused = [&](const std::string& name, const std::string& part) {
    CAPTURE(name);
    check_error(ExitCode::usage, {"no problem '" + name + "': in tensor2tensor that is ", part},
                [&] { check_problem_name(name, registry.problems); });
  };
  for (const char* name : {"translate_ende_wmt32k", "translate_enzh_wmt8k", "translate_ende_wmt32k_rev"}) {
    refused(name, "pairs of texts in subwords, which there are not yet; the nearest are algorithmic_*");
  }
  for (const char* name :
       {"lm1b32k", "languagemodel_lm1b32k", "languagemodel_ptb10k", "languagemodel_wiki_xml_v8k_l1k"}) {
    refused(name, "the nearest is languagemodel_text");
  }
  for (const char* name :
       {"image_cifar10", "cifar10", "image_imagenet224", "image_celeba", "image_ms_coco_characters"}) {
    refused(name, "the nearest are image_mnist");
  }
}

TEST_CASE("problems that are there, and slips of their names") {
  const Registry registry = builtin_registry();
  const auto suggested = [&](const std::string& name, const std::string& meant) {
    CAPTURE(name);
    check_error(ExitCode::usage, {"(did you mean '" + meant + "'?)"},
                [&] { check_problem_name(name, registry.problems); });
  };
  for (const std::string& name : registry.problems.names()) CHECK_NOTHROW(check_problem_name(name, registry.problems));
  suggested("image_mnits", "image_mnist");
  suggested("image_fashion", "image_fashion_mnist");
  suggested("languagemodel_ptb_characters", "languagemodel_text");
  suggested("language_model_text", "languagemodel_text");
}

}  // namespace lockstep
