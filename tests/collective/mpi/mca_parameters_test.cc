#include "collective/mpi/mca_parameters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/fake_environment.h"
#include "support/temporary_folder.h"

namespace lockstep {

using Files = std::vector<std::string>;

TEST_CASE("parameter files are lines of name = value") {
  CHECK(parse_mca_parameters("").empty());
  CHECK(parse_mca_parameters("# pml = ucx\n// btl = tcp\n\n  \t\nno value here\n= nameless\n").empty());
  const McaParameters expected{{"btl", "^uct,openib"}, {"pml", "ob1"}, {"osc", ""}};
  CHECK(parse_mca_parameters("btl = ^uct,openib \n\tpml=ucx\r\nosc=\npml = ob1") == expected);
}

TEST_CASE("the files are the user's own, then the site's") {
  CHECK(mca_parameter_files(fake_environment({{"HOME", "/home/ann"}}), "/opt/openmpi/lib") ==
        Files{"/opt/openmpi/lib/../etc/openmpi-mca-params-override.conf", "/home/ann/.openmpi/mca-params.conf",
              "/opt/openmpi/lib/../etc/openmpi-mca-params.conf"});
  CHECK(mca_parameter_files(fake_environment({{"OPAL_PREFIX", "/opt/moved"}}), "/opt/openmpi/lib") ==
        Files{"/opt/moved/etc/openmpi-mca-params-override.conf", "/opt/moved/etc/openmpi-mca-params.conf"});
  CHECK(mca_parameter_files(fake_environment({{"OPAL_SYSCONFDIR", "/etc/mpi"}, {"OPAL_PREFIX", "/opt/moved"}}), "") ==
        Files{"/etc/mpi/openmpi-mca-params-override.conf", "/etc/mpi/openmpi-mca-params.conf"});
  const Files debian = mca_parameter_files(fake_environment({}), "/usr/lib/x86_64-linux-gnu");
  CHECK(std::ranges::find(debian, "/etc/openmpi/openmpi-mca-params.conf") != debian.end());
  CHECK(mca_parameter_files(fake_environment({}), "").empty());
}

TEST_CASE("a list of files in the environment takes their place") {
  for (const char* name : {"OMPI_MCA_mca_base_param_files", "OMPI_MCA_mca_param_files"}) {
    CAPTURE(name);
    CHECK(mca_parameter_files(fake_environment({{name, "/a.conf,/b.conf:,/c.conf"}, {"HOME", "/home/ann"}}), "") ==
          Files{"/a.conf", "/b.conf", "/c.conf"});
  }
}

TEST_CASE("of files that say different things the first counts, and what cannot be read says nothing") {
  const TemporaryFolder folder;
  std::ofstream(folder / "user") << "pml = ucx\n";
  std::ofstream(folder / "site") << "pml = ob1\nbtl = tcp,self\n";
  std::ofstream(folder / "large") << "mtl = ofi\n" << std::string(2 << 20, '#');
  std::filesystem::create_directory(folder / "a_folder");
  const McaParameters read = read_mca_parameters(
      {folder / "absent", folder / "a_folder", folder / "large", folder / "user", folder / "site", "none", ""});
  CHECK(read == McaParameters{{"pml", "ucx"}, {"btl", "tcp,self"}});
}

}  // namespace lockstep
