# shellcheck shell=bash
# Which tests that failed may run once more: those that Open MPI itself has ended, by a crash known by its signature. A hang,
# a wrong result or a time-out is final. Defines: crash_lines, known_crash.

# crash_lines FILE-OR-FOLDER...: the lines in which a stack trace, as Open MPI prints one, shows a crash inside MPI_Init:
# [node07:123] [ 7] /lib/libmpi.so.40(PMPI_Init_thread+0x69)[0x7f0012345678]
crash_lines() { grep -rhaE '\[[^] ]+\] \[ *[0-9]+\] [^ ]*libmpi\.so[^ (]*\(P?MPI_Init(_thread)?\+0x' "$@" 2>/dev/null; }

# known_crash FILE: the reason for a second try that a test's output gives; fails where it gives none.
known_crash() {
  crash_lines "$1" >/dev/null || return 1
  echo "a crash inside MPI_Init"
}
