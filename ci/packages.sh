# shellcheck shell=bash
# shellcheck disable=SC2034
# To be sourced.

# The packages of the tests and their features: with every kind of remote. All who name them like this share one build.
# Examples and our own performance tests are built optimised, each with one set of features.
features=cargo-perftest/clickhouse-tls,cargo-perftest/postgres-tls
packages=(--workspace --exclude perftest-examples --exclude perftest-performance --features "$features" --locked)

# The packages that are published, in the order of publishing.
published=(perftest-core perftest-macros perftest-analysis perftest-store perftest-process perftest-machine perftest
    cargo-perftest)
