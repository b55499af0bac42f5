"""A folder that measures on a host which has little: the programs, the libraries they need, and Open MPI."""
import re
import shutil
import subprocess
from pathlib import Path

PROGRAMS = ["bench/step", "bench/products", "train"]
# Files that not every build has.
FURTHER = ["bench/collective", "lockstep", "tests/test_tensor_cuda", "tests/test_tensor", "lib/liblockstep_cuda.so"]

# Taken from the host: the C library has to match the program's loader, and the driver the kernel's module.
C_LIBRARY = ("ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libutil.so", "libresolv.so",
             "libanl.so")
DRIVER = ("libcuda.so", "libnvidia-")
# CUDA's libraries are large, and present on every host that runs programs on its GPUs.
CUDA = ("libcublas", "libcudart", "libcudnn", "libnccl", "libnvJitLink", "libnvrtc")
# Network libraries, for which Open MPI has plugins: a job on one host does not need them, and they depend on many more.
NETWORKS = ("libfabric", "libibverbs", "libpsm", "librdmacm", "libucp", "libuct")

RUN = '''#!/bin/sh
# Measures the GPU of this host, or runs a program of this folder with the libraries that the folder carries.
#   ./run [--FLAG...]              bench/gpu: --help says what there is
#   ./run PROGRAM [ARGUMENT...]    FOLDER/build/train, or mpirun -np 2 FOLDER/build/train, with this folder's path
case $0 in */*) folder=$(cd "${0%/*}" && pwd) ;; *) folder=$PWD ;; esac
case ${1:---} in --*) exec "${PEER_PYTHON:-python3}" "$folder/bench/gpu" "$@" ;; esac

# CUDA's libraries are the host's: in the loader's own folders, the toolkit's, or those of Python's packages.
packages=$("${PEER_PYTHON:-python3}" -c '
import glob, sysconfig
print(":".join(sorted(glob.glob(sysconfig.get_path("purelib") + "/nvidia/*/lib"))))')
cuda=${CUDA_HOME:-/usr/local/cuda}
export LD_LIBRARY_PATH="$folder/lib:${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$cuda/lib64:$cuda/lib${packages:+:$packages}"
export PATH="$folder/mpi/bin:$PATH"
export OPAL_PREFIX="$folder/mpi" OPAL_PKGLIBDIR="$folder/mpi/plugins" OPAL_PKGDATADIR="$folder/mpi/help"
export PMIX_PREFIX="$folder/mpi/pmix" PMIX_MCA_mca_base_component_path="$folder/mpi/pmix/lib/pmix"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command -v ssh >/dev/null || export OMPI_MCA_plm="${OMPI_MCA_plm:-isolated}"
exec "$@"
'''


class CannotPack(Exception):
    pass


def libraries_of(path):
    """Names and paths of the shared libraries that a file needs, and that these need; None as path: not found."""
    done = subprocess.run(["ldd", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise CannotPack(f"ldd {path}: {done.stderr.strip() or done.stdout.strip()}")
    found = {}
    for line in done.stdout.splitlines():
        if match := re.match(r"\s*(\S+) => (not found|/\S+)", line):
            found[match[1]] = None if match[2] == "not found" else Path(match[2])
    return found


def is_hosts(name, carry):
    carried = tuple(f"lib{part}" for part in carry)
    return name.startswith(C_LIBRARY + DRIVER) or (name.startswith(CUDA) and not name.startswith(carried))


class Packer:
    def __init__(self, build, folder, carry):
        self.build, self.folder, self.carry = build, folder, carry
        self.libraries = folder / "lib"
        self.found = set()  # libraries to pack, found here
        self.hosts = set()  # names of libraries that the host has to provide

    def copy(self, source, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)  # the target of a link

    def copy_libraries(self, path):
        for name, found in libraries_of(path).items():
            if is_hosts(name, self.carry):
                self.hosts.add(name)
            elif found is None:
                raise CannotPack(f"{path} needs {name}, which this host does not have either")
            elif found not in self.found:
                self.found.add(found)
                self.copy(found, self.libraries / name)

    def copy_programs(self):
        for name in PROGRAMS:
            if not (self.build / name).exists():
                raise CannotPack(f"{self.build / name} is not built: cmake --preset cuda && cmake --build --preset cuda")
        for name in PROGRAMS + [name for name in FURTHER if (self.build / name).exists()]:
            # Modules are searched for next to liblockstep.
            target = self.libraries / Path(name).name if name.startswith("lib/") else self.folder / "build" / name
            self.copy(self.build / name, target)
            self.copy_libraries(self.build / name)

    def copy_scripts(self, root):
        bench = self.folder / "bench"
        for name in ["gpu", "gpu_torch"]:
            self.copy(root / "bench" / name, bench / name)
        for module in sorted((root / "bench" / "gpu_measure").glob("*.py")):
            self.copy(module, bench / "gpu_measure" / module.name)
        run = self.folder / "run"
        run.write_text(RUN, encoding="utf-8")
        run.chmod(0o755)

    def copy_open_mpi(self):
        """mpirun, the plugins that Open MPI loads by itself, and the texts of its errors. False: there is none."""
        if shutil.which("mpirun") is None or shutil.which("ompi_info") is None:
            return False
        for name in ["mpirun", "orted"]:
            if program := shutil.which(name):
                self.copy(program, self.folder / "mpi" / "bin" / name)
                self.copy_libraries(Path(program).resolve())
        for plugin in sorted(Path(open_mpi_folder("pkglibdir")).glob("mca_*.so")):
            if not any(name.startswith(NETWORKS) for name in libraries_of(plugin)):
                self.copy(plugin, self.folder / "mpi" / "plugins" / plugin.name)
                self.copy_libraries(plugin)
        for text in sorted(Path(open_mpi_folder("pkgdatadir")).glob("help-*.txt")):
            self.copy(text, self.folder / "mpi" / "help" / text.name)
        self.copy_pmix()
        return True

    def copy_pmix(self):
        """What the library that Open MPI starts processes with loads by itself, where it is one of its own."""
        for library in {path.resolve() for path in self.found if path.name.startswith("libpmix.so")}:
            pmix = self.folder / "mpi" / "pmix"
            for plugin in sorted((library.parent / "pmix").glob("*.so")):
                self.copy(plugin, pmix / "lib" / "pmix" / plugin.name)
                self.copy_libraries(plugin)
            for text in sorted((library.parent.parent / "share" / "pmix").glob("help-*.txt")):
                self.copy(text, pmix / "share" / "pmix" / text.name)


def open_mpi_folder(which):
    done = subprocess.run(["ompi_info", "--parsable", "--path", which], stdout=subprocess.PIPE, text=True, check=False)
    for line in done.stdout.splitlines():
        if line.startswith(f"path:{which}:"):
            return line.split(":", 2)[2]
    raise CannotPack(f"ompi_info --path {which} does not say where Open MPI has its plugins")


def pack(root, build, folder, carry):
    """carry: of CUDA's libraries, those that go along, as "nccl". Throws CannotPack."""
    if folder.exists() and any(folder.iterdir()):
        raise CannotPack(f"{folder} is there already, and not empty")
    packer = Packer(build, folder, carry)
    packer.copy_programs()
    packer.copy_scripts(root)
    has_mpirun = packer.copy_open_mpi()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {size / 1e6:.0f} MB; start {folder}/run there. It takes from the host: a Python 3, and "
          f"{', '.join(sorted(packer.hosts))}")
    if not (packer.libraries / "liblockstep_cuda.so").exists():
        print("This build has no cuda module: the folder measures on the CPU alone")
    if not has_mpirun:
        print("Without Open MPI's mpirun and ompi_info, which are not here: the folder runs one rank alone")
