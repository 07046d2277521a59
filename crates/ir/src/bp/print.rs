//! The canonical text of a program.
