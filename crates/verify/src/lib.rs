//! Load, prepare, run, lift, confirm.

pub mod translate;
