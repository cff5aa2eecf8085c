//! What the tests start before it has changed.

fn main() {
    methods::work(200_000);
}
