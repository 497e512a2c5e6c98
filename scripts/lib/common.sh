# shellcheck shell=bash
# Where is the repository, how do scripts print messages, and how do they find the tools?
# Sourced by the others; sets `root` and `target`.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)"
# shellcheck disable=SC2034  # read by the scripts that source this file
target="$(cd "$root" && realpath -m "${CARGO_TARGET_DIR:-target}")"

say() { printf '%s\n' "$*" >&2; }

die() {
    say "error: $*"
    exit 1
}

# A Rust that has just been installed is not on the PATH of a shell started earlier.
if ! command -v cargo >/dev/null && [[ -x ${CARGO_HOME:-$HOME/.cargo}/bin/cargo ]]; then
    PATH+=":${CARGO_HOME:-$HOME/.cargo}/bin"
fi

# Installs what is missing, then sets the locations of the tools in this shell.
load_tools() {
    local assignments
    assignments="$("$root/scripts/setup" --print-env)" || exit 1
    eval "$assignments"
}
