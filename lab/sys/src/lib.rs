//! Rust bindings of the device library in `src/`.
//!
//! The host programs use it to run a thousand virtual devices. Its tests compare the C code with
//! independent implementations. The API is that of `selo.h`, which documents it: each key has
//! its own type, a status is a [`Result`], and types with secrets are wiped when dropped.
//! A [`node::Node`] is a node of the link in any suite.
//!
//! ```
//! use selo_sys::{Aes128Fast, cbc_decrypt, cbc_encrypt, cbc_size};
//!
//! # fn main() -> Result<(), selo_sys::Error> {
//! let key = Aes128Fast::new(&[7; 16]);
//! let message = b"23.5 C";
//! let mut sealed = [0; cbc_size(6)];
//! # let random = |out: &mut [u8]| { out.fill(9); Ok(()) };
//! cbc_encrypt(&key, random, &mut sealed, message)?;
//!
//! let mut opened = [0; cbc_size(6) - 16];
//! let size = cbc_decrypt(&key, &mut opened, &sealed)?;
//! assert_eq!(&opened[..size], message);
//! # Ok(())
//! # }
//! ```
//!
//! A message that does not fit into memory is sealed or opened in pieces:
//!
//! ```
//! use selo_sys::{Aead, AeadKey, AeadSealing};
//!
//! # fn main() -> Result<(), selo_sys::Error> {
//! let key = AeadKey::new(Aead::AsconAead128, &[7; 16])?;
//! let mut message = AeadSealing::start(&key, &[9; 16], b"header", 16, 6)?;
//! let mut sealed = [0; 6];
//! message.update(&mut sealed[..4], b"23.5")?;
//! message.update(&mut sealed[4..], b" C")?;
//! let mut tag = [0; 16];
//! message.finish(&mut tag)?;
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

mod error;
mod ffi;

pub use error::Error;
pub(crate) use error::status;
pub use ffi::*;
