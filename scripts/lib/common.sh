# shellcheck shell=bash
# Where is the repository, how do the scripts speak, and how do they come by the tools?
# Sourced by the others; sets `root` and `target`.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)"
# shellcheck disable=SC2034  # read by the scripts that source this file
target="$(cd "$root" && realpath -m "${CARGO_TARGET_DIR:-target}")"

say() { printf '%s\n' "$*" >&2; }

die() {
    say "error: $*"
    exit 1
}

# A Rust installed a minute ago is not on the PATH of a shell that was there before.
if ! command -v cargo >/dev/null && [[ -x ${CARGO_HOME:-$HOME/.cargo}/bin/cargo ]]; then
    PATH+=":${CARGO_HOME:-$HOME/.cargo}/bin"
fi

# Sets up what is missing, then takes the places of the tools into this shell.
load_tools() {
    local assignments
    assignments="$("$root/scripts/setup" --print-env)" || exit 1
    eval "$assignments"
}
