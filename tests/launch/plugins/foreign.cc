// A shared library that knows nothing of Lockstep.
extern "C" int answer() { return 42; }
