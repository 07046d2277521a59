//! Transcripts: what the binary says, on which stream and with which exit code. Scripts rely on all of it.

mod abstraction;
mod c;
mod checks;
mod evidence;
mod explore;
mod formats;
mod input;
mod leftovers;
mod library;
mod limits;
mod messages;
mod mislead;
mod opinion;
mod page;
mod places;
mod projects;
mod properties;
mod support;
mod system;
mod texts;
mod undefined;
mod usage;
mod verdicts;
