//! The device library of `src/`, bound to Rust.
//!
//! The host programs use it to be a thousand virtual devices, and its tests hold the C code to
//! independent implementations. The API is that of `selo.h`, which is its manual: keys are
//! types of their own, a status is a [`Result`], and what holds a secret is wiped when dropped.
//! A node of the link, of any suite, is a [`node::Node`].
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
#![warn(missing_docs)]

mod error;
mod ffi;

pub use error::Error;
pub(crate) use error::status;
pub use ffi::*;
