//! placeholder while dependencies build
fn main() {}
