//! What the tests start: other programs take its place.

fn main() {
    methods::work(200_000);
}
