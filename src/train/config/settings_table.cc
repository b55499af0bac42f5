// The table of settings: the rows of settings/, one file per topic, in the order of the help.
#include <algorithm>
#include <array>
#include <cstddef>

#include "train/config/settings/cluster_tasks.h"
#include "train/config/settings/how_long.h"
#include "train/config/settings/how_ranks_agree.h"
#include "train/config/settings/results.h"
#include "train/config/settings/saved_models.h"
#include "train/config/settings/tensor2tensor.h"
#include "train/config/settings/what_is_learned.h"
#include "train/config/settings/what_is_shown.h"
#include "train/config/settings/what_to_train.h"
#include "train/config/settings/where_it_runs.h"
#include "train/config/train_setting.h"

namespace lockstep {
namespace {

struct SettingTopic {
  std::string_view title;
  std::span<const TrainSetting> settings;
  bool seldom = false;  // true: all of them are
};

constexpr SettingTopic kSettingTopics[] = {
    {"What to train", kWhatToTrainSettings},
    {"How long", kHowLongSettings},
    {"Initial and averaged weights", kWhatIsLearnedSettings},
    {"What is evaluated or predicted", kSavedModelSettings},
    {"Distribution", kHowRanksAgreeSettings},
    {"Where it runs", kWhereItRunsSettings},
    {"Tasks of the job (the same as TF_CONFIG)", kClusterTaskSettings, true},
    {"Where results go", kResultSettings},
    {"What is shown", kWhatIsShownSettings},
    {"Accepted for scripts of tensor2tensor", kTensor2TensorSettings, true},
};

constexpr std::size_t kSettingCount = [] {
  std::size_t count = 0;
  for (const SettingTopic& topic : kSettingTopics) count += topic.settings.size();
  return count;
}();

constexpr std::array<TrainSetting, kSettingCount> kSettings = [] {
  std::array<TrainSetting, kSettingCount> settings{};
  auto* next = settings.begin();
  for (const SettingTopic& topic : kSettingTopics) {
    for (const TrainSetting& setting : topic.settings) {
      *next = setting;
      next->topic = topic.title;
      next->seldom |= topic.seldom;
      ++next;
    }
  }
  return settings;
}();

}  // namespace

std::span<const TrainSetting> train_settings() { return kSettings; }

}  // namespace lockstep
