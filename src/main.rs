//! The `litmus` command.

fn main() {}
