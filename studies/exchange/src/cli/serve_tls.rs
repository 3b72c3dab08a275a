//! `selo exchange serve-tls`: the web server of the second experiment.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::shared::{Limits, named, say, until_stopped};
use crate::error::Result;
use crate::tls::{self, Group, Suite};

#[derive(Debug, Args)]
#[command(after_help = "\
Accepts readings at /api/v1/exchange/reading, and the times that stations report at .../handshake
and .../exchange. Prints one line, `listening ADDR:PORT`, and runs until it is stopped.

Examples:
  selo setup tls
  selo exchange serve-tls --cert tls/server.pem --cert-key tls/server.key
  selo exchange serve-tls --cert tls/server.pem --cert-key tls/server.key \\
      --suite TLS_CHACHA20_POLY1305_SHA256 --group x25519mlkem768")]
pub struct ServeTlsArgs {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7391")]
    listen: String,
    /// Certificate chain (PEM)
    #[arg(long, value_name = "FILE")]
    cert: PathBuf,
    /// Its private key, mode 0600
    #[arg(long, value_name = "FILE")]
    cert_key: PathBuf,
    /// Suites to offer, or all
    #[arg(long, value_delimiter = ',', default_value = "all")]
    suite: Vec<String>,
    /// Key exchanges to offer, or all
    #[arg(long, value_delimiter = ',', default_value = "all")]
    group: Vec<String>,
    /// Send no tickets: no client can resume, and clients need not understand tickets
    #[arg(long)]
    without_tickets: bool,
    /// File for the received readings, one JSON object per line
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
}

impl ServeTlsArgs {
    pub(super) fn run(&self) -> Result<()> {
        let options = tls::server::Options {
            chain: tls::certificates(&self.cert)?,
            key: tls::private_key(&self.cert_key)?,
            suites: named(&self.suite, &Suite::ALL, Suite::by_name, "suite")?,
            groups: named(&self.group, &Group::ALL, Group::by_name, "key exchange")?,
            timeout: Duration::from_secs(self.limits.timeout),
            max_clients: self.limits.max_clients as usize,
            tickets: !self.without_tickets,
        };
        let server = tls::server::start(&self.listen, options, self.store.as_deref(), say)?;
        println!("listening {}", server.address);
        until_stopped();
        Ok(())
    }
}
