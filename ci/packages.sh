# shellcheck shell=bash
# To be sourced.

# The packages of the tests and their features: with every kind of remote. All who name them like this share one build.
# Examples and our own performance tests are built optimised, each with one set of features.
features=cargo-perftest/clickhouse-tls,cargo-perftest/postgres-tls
# shellcheck disable=SC2034
packages=(--workspace --exclude perftest-examples --exclude perftest-performance --features "$features" --locked)
