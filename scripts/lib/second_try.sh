# shellcheck shell=bash
# Decides which failed tests may run once more: those that Open MPI itself ended, by a crash with a known signature. A
# hang, a wrong result or a time-out is final. Defines: crash_lines, known_crash.

# crash_lines FILE-OR-FOLDER...: the lines of Open MPI's stack traces that show a crash inside MPI_Init:
# [node07:123] [ 7] /lib/libmpi.so.40(PMPI_Init_thread+0x69)[0x7f0012345678]
crash_lines() { grep -rhaE '\[[^] ]+\] \[ *[0-9]+\] [^ ]*libmpi\.so[^ (]*\(P?MPI_Init(_thread)?\+0x' "$@" 2>/dev/null; }

# known_crash FILE: prints the reason for a second try that a test's output gives; fails if there is none.
known_crash() {
  crash_lines "$1" >/dev/null || return 1
  echo "a crash inside MPI_Init"
}
