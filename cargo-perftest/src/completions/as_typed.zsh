
# `cargo perftest ..` as typed: the completion of cargo asks a function `_cargo-perftest`. Where nothing
# completes cargo, this does.
_cargo_perftest_as_typed() {
    if [[ $words[2] == +* ]]; then
        words=("$words[1]" "${(@)words[3,-1]}")
        (( CURRENT-- ))
    fi
    if [[ $words[2] == perftest ]] && (( CURRENT > 2 )); then
        words=("cargo-perftest" "${(@)words[3,-1]}")
        (( CURRENT-- ))
        _cargo-perftest
    else
        compadd perftest
    fi
}

if (( $+functions[compdef] )) && [[ -z $_comps[cargo] ]]; then
    compdef _cargo_perftest_as_typed cargo
fi
