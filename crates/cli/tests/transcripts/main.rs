//! Transcripts: what the binary says, on which stream and with which exit code. Scripts rely on all of it.

mod abstraction;
mod c;
mod evidence;
mod input;
mod limits;
mod messages;
mod mislead;
mod opinion;
mod properties;
mod support;
mod undefined;
mod usage;
mod verdicts;
