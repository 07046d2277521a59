//! Small programs whose symbolic states are known.
