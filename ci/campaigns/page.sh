# shellcheck shell=bash
# To be sourced, without arguments, in the root of the repository. Takes `--write` off the front of the script's own.

writes=false
if [ "${1:-}" = --write ]; then
    writes=true
    shift
fi

# Prints standard input, or puts it into a part of a page with `--write`: the page, the part.
show() {
    if $writes; then bash ci/replace.sh "$@"; else cat; fi
}
