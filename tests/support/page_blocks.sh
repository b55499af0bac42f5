# shellcheck shell=bash
# Sourced by tests that run what a page of docs/ says.

# page_blocks FILE LANGUAGE: the blocks of a page in this language ("" for those that name none), each with a NUL after it.
page_blocks() {
  awk -v fence="\`\`\`$2" '
    /^```/ { if (wanted) printf "%c", 0; inside = !inside; wanted = inside && $0 == fence; next }
    wanted' "$1"
}
