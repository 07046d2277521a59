//! Prints a generated program: `cargo run -p selvedge-testing --example c -- sequential 7`.

use testing::c::{concurrent, sequential};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = arguments.get(1).and_then(|it| it.parse().ok());
    match (arguments.first().map(String::as_str), seed) {
        (Some("sequential"), Some(seed)) => print!("{}", sequential(seed)),
        (Some("concurrent"), Some(seed)) => print!("{}", concurrent(seed)),
        _ => eprintln!("usage: c sequential|concurrent SEED"),
    }
}
