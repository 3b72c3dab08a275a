//! `selo exchange serve`: the server of the first experiment.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::shared::{Limits, load, say, until_stopped};
use crate::cipher::Cipher;
use crate::error::Result;
use crate::implementation::Implementation;
use crate::key::Key;
use crate::server;

#[derive(Debug, Args)]
#[command(after_help = "\
Prints one line, `listening ADDR:PORT`, and runs until it is stopped.

Examples:
  selo exchange serve --key out/exchange/key
  selo exchange serve --key key --listen 0.0.0.0:7390 --store received")]
pub struct ServeArgs {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7390")]
    listen: String,
    /// File of the pre-shared key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Implementation: see `selo exchange list`. A library may be followed by :VARIANT
    #[arg(long, default_value = "selo", value_name = "NAME")]
    implementation: String,
    /// Folder for the decrypted messages
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Largest payload in bytes
    #[arg(long, value_name = "N", default_value_t = 16 << 20, value_parser = clap::value_parser!(u32).range(0..=i64::from(crate::wire::MAX_PAYLOAD)))]
    max_payload: u32,
    #[command(flatten)]
    limits: Limits,
    /// Mark the rows: this machine is an emulator
    #[arg(long)]
    emulated: bool,
}

impl ServeArgs {
    pub(super) fn run(&self, project: Option<&Path>) -> Result<()> {
        let implementation =
            Implementation::named(&self.implementation, &Cipher::ALL, || load(project), say)?;
        let options = server::Options {
            implementation,
            max_payload: self.max_payload,
            timeout: Duration::from_secs(self.limits.timeout),
            max_clients: self.limits.max_clients as usize,
            store: self.store.clone(),
            emulated: self.emulated,
        };
        let server = server::start(&self.listen, Key::read(&self.key)?, options, say)?;
        println!("listening {}", server.address);
        until_stopped();
        Ok(())
    }
}
