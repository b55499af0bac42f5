#pragma once

#include <string>
#include <string_view>

#include "data/idx_files.h"
#include "support/temporary_folder.h"

namespace lockstep {

// A folder to which a test writes texts.
class TextFolder {
 public:
  std::string path() const { return folder_.path(); }
  std::string operator/(const std::string& name) const { return folder_ / name; }

  void write(const std::string& name, std::string_view text) const {
    const Bytes bytes(text.begin(), text.end());
    write_file(folder_ / name, name.ends_with(".gz") ? packed(bytes) : bytes);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace lockstep
