# shellcheck shell=bash
# What the scripts share. Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root
# shellcheck disable=SC2034 # for those that source this file
readonly scripts="$root/scripts"

say() {
  printf '== %s\n' "$*"
}

# Ends the script; the text says what to do.
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# The comment at the top of the calling script is its help.
print_help() {
  awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
}

# Fails unless $2, the argument of option $1, is a number of at least 1.
require_number() {
  [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number, such as: $1 20"
}
