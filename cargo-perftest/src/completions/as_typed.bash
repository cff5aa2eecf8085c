
complete -F _cargo_perftest -o bashdefault -o default cargo-perftest

# `cargo perftest ..` as typed: cargo's own completion knows nothing behind the name of the tool.
_cargo_perftest_as_typed() {
    local name=1
    # A toolchain stands before the subcommand: `cargo +nightly perftest`.
    [[ ${COMP_WORDS[1]} == +* ]] && name=2
    if [[ ${COMP_WORDS[name]} == perftest ]] && ((COMP_CWORD > name)); then
        COMP_WORDS=(cargo-perftest "${COMP_WORDS[@]:name+1}")
        COMP_CWORD=$((COMP_CWORD - name))
        _cargo_perftest cargo-perftest "$2" "${COMP_WORDS[COMP_CWORD - 1]}"
        return
    fi
    # Everything else is for whoever completed cargo before: where nobody did, bash may know a file for it.
    if [[ -z ${_cargo_perftest_before+set} ]]; then
        complete -r cargo
        if declare -F _comp_load >/dev/null; then
            _comp_load cargo
        elif declare -F __load_completion >/dev/null; then
            __load_completion cargo
        elif declare -F _completion_loader >/dev/null; then
            _completion_loader cargo
        fi
        _cargo_perftest_remember
    fi
    if [[ -n $_cargo_perftest_before ]]; then
        "$_cargo_perftest_before" "$@"
    elif ((COMP_CWORD == name)); then
        COMPREPLY=($(compgen -W perftest -- "$2"))
    fi
}

# Takes over from the function that completes cargo now, if any.
_cargo_perftest_remember() {
    local words word
    _cargo_perftest_before=
    read -ra words < <(complete -p cargo 2>/dev/null)
    for word in "${!words[@]}"; do
        if [[ ${words[word]} == -F ]]; then
            _cargo_perftest_before=${words[word + 1]}
        fi
    done
    complete -F _cargo_perftest_as_typed -o bashdefault -o default cargo
}

_cargo_perftest_remember
# Nobody yet: asked again at the first completion.
[[ -n $_cargo_perftest_before && $_cargo_perftest_before != _cargo_perftest_as_typed ]] || unset _cargo_perftest_before
