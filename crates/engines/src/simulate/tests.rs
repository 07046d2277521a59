//! What the search keeps and how large it grows.
