#!/usr/bin/env bash
# Makes the package of the sampler's tests in a directory: a workspace of its own, with line tables.
#
#   ci/campaigns/sampled_package.sh DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/../.."
package=$1
mkdir -p "$package/src"
cp -R cargo-perftest/tests/sampler/package/tests Cargo.lock "$package"
echo "//! Nothing." >"$package/src/lib.rs"
cat >"$package/Cargo.toml" <<TOML
[package]
name = "sampled"
version = "0.1.0"
edition = "2024"
[dev-dependencies]
perftest = { path = "$PWD/perftest" }
[[test]]
name = "perf"
harness = false
[profile.release]
debug = "limited"
[workspace]
TOML
