# Sourced by program tests that make their own data: .npy files of version 1.0 (magic, length of the header, header).
# shellcheck shell=bash

# npy TYPE SHAPE: writes such an array to the standard output; its elements, or too few of them, come from the standard
# input.
npy() {
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
  cat
}

zeros() { head -c "$1" /dev/zero; }  # zeros BYTES
