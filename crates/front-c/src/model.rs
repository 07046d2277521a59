//! Which data model a preprocessed file was made for: one whose `size_t` is `unsigned int` is ILP32.

use std::collections::HashMap;

use super::lex::token::{Kind, Token, spelling};
use super::types::DataModel;

/// Names of types that are followed on the way from `size_t`.
const LONGEST_CHAIN: usize = 10;

/// The data model that the tokens of a file speak of, if they do.
pub fn detect(text: &str, tokens: &[Token]) -> Option<DataModel> {
    let mut definitions: HashMap<&str, Vec<&str>> = HashMap::new();
    for (at, token) in tokens.iter().enumerate() {
        if word(text, token) != "typedef" {
            continue;
        }
        let words: Vec<&str> = tokens[at + 1..].iter().take(8).map(|token| word(text, token)).collect();
        let Some(end) = words.iter().position(|word| *word == ";") else { continue };
        if let Some((name, base)) = words[..end].split_last() {
            definitions.entry(name).or_insert_with(|| base.to_vec());
        }
    }
    let mut name = "size_t";
    for _ in 0..LONGEST_CHAIN {
        let base = definitions.get(name)?;
        match base[..] {
            ["unsigned"] | ["unsigned", "int"] | ["int", "unsigned"] => return Some(DataModel::Ilp32),
            [single] if definitions.contains_key(single) => name = single,
            _ => return Some(DataModel::Lp64),
        }
    }
    None
}

fn word<'a>(text: &'a str, token: &Token) -> &'a str {
    match token.kind {
        Kind::Fixed(index) => spelling(index),
        Kind::Name => &text[token.start as usize..token.end as usize],
        _ => "",
    }
}
