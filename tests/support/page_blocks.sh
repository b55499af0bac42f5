# shellcheck shell=bash
# Sourced by tests that run the commands of a page of docs/.

# page_blocks FILE LANGUAGE: prints the page's blocks in this language ("" for those that name none), a NUL after each.
page_blocks() {
  awk -v fence="\`\`\`$2" '
    /^```/ { if (wanted) printf "%c", 0; inside = !inside; wanted = inside && $0 == fence; next }
    wanted' "$1"
}
