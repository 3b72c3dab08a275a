//! Official test vectors as typed cases.
