//! What the tests start: other programs take its place.

fn main() {
    methods::work(1_000_000);
}
