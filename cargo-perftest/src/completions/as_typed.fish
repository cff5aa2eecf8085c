
# `cargo perftest ..` as typed: what `cargo-perftest ..` would be completed with.
function __cargo_perftest_as_typed
    set -l words (commandline -opc)
    set -l name (contains -i -- perftest $words)
    complete -C (string join ' ' -- cargo-perftest (string escape -- $words[(math $name + 1)..-1]) (commandline -ct))
end

complete -c cargo -n 'test (count (commandline -opc)) -eq 1' -a perftest -d 'Performance tests'
complete -c cargo -n 'contains -- perftest (commandline -opc)[2..3]' -f -a '(__cargo_perftest_as_typed)'
