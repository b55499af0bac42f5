// Part of liblockstep in the address sanitizer's build only. Open MPI unloads its components before the process ends;
// their leaks would then have no name that lsan.supp could match. This dlclose takes the place of the C library's and
// unloads nothing.
extern "C" int dlclose(void* /*handle*/) noexcept;
extern "C" int dlclose(void* /*handle*/) noexcept { return 0; }
