//! What one of the tests measures.

fn main() {
    methods::work(1_000_000);
}
