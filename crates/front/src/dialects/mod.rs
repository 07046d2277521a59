//! One module for each family of input languages.

pub mod bp;
