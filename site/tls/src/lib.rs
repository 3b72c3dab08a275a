//! What a web server and the stations that post to it agree on: the suites and key exchanges
//! of TLS 1.3, and the bodies of the posts.
//!
//! | module | is |
//! |---|---|
//! | [`suite`] | suites and key exchanges by name, and a provider that offers some of them |
//! | [`hybrid`] | X25519MLKEM768 |
//! | [`station`] | a reading with its place, and a time that a station measured: read, checked, written |

pub mod hybrid;
pub mod station;
pub mod suite;

pub use suite::{Group, Suite, provider};
