//! Compares the C library with independent implementations over random inputs.
//!
//! Every property is a function that passes the answers of Selo to a [`Tap`]. The harness then
//! alters each answer once and requires that the property fails. `cargo test -p selo-sys` tests
//! the code for PCs, `--features bytewise` the code for 8-bit chips.

mod aead;
mod blocks;
mod cbc;
mod ciphers;
mod ecb_ctr;
mod harness;
mod hashes;
mod hkdf;
mod hmac;
mod memory;
mod mlkem;
mod pieces;
mod reference;
mod x25519;
