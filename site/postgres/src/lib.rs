//! PostgreSQL for the parts of a site.
//!
//! | module | contents |
//! |---|---|
//! | [`tls`] | TLS as `sslmode` and `sslrootcert` in the connection string request it |
//! | [`client`] | a client that waits for each answer for a limited time |
//! | [`connection`] | a connection that is replaced when it breaks, and the meaning of errors |
//! | [`problem`] | errors while a connection is used |
//! | [`server`] | the servers that a connection string names |
//! | [`registry`] | the registry of devices, for several gateways |
//! | [`status`] | what an onlooker may read of a server and of a registry |

pub mod client;
pub mod connection;
pub mod problem;
pub mod registry;
pub mod server;
pub mod status;
pub mod tls;

mod device;
mod schema;

pub use registry::{InPostgres, is_url};
pub use server::without_password;
