//! The agreement between web servers and the stations that post to them: suites and key
//! exchanges of TLS 1.3, and the bodies of the posts.
//!
//! | module | contents |
//! |---|---|
//! | [`suite`] | suites and key exchanges by name, and a provider that offers a selection |
//! | [`hybrid`] | X25519MLKEM768 |
//! | [`station`] | posted readings and measured times: parsed, checked, written |

pub mod hybrid;
pub mod station;
pub mod suite;

use rustls::RootCertStore;

pub use suite::{Group, Suite, provider};

/// The certificate authorities that this machine trusts. It may be empty. Reads files.
pub fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}
