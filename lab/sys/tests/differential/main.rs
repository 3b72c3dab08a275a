//! The C library against implementations that others wrote, over random inputs.
//!
//! Every property is a function that shows what Selo answered to a [`Tap`]; the harness then
//! alters each answer once and demands that the property notices. `cargo test -p selo-sys`
//! tests the code for PCs, `--features bytewise` the code for 8-bit chips.

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
mod reference;
mod x25519;
