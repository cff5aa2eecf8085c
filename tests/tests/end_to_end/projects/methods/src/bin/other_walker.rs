//! What stands in its place when it has other code and is as fast.

fn main() {
    methods::work(200_001);
}
