// Part of liblockstep in the address sanitizer's build only. Open MPI unloads its components before the process ends;
// leaks of theirs would then have no name left that lsan.supp could match. So nothing is unloaded: this dlclose comes
// before the C library's.
extern "C" int dlclose(void* /*handle*/) noexcept;
extern "C" int dlclose(void* /*handle*/) noexcept { return 0; }
