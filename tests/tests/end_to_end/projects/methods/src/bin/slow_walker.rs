//! What stands in its place when it has become slower.

fn main() {
    methods::work(2_000_000);
}
