//! `selo exchange key`.

use std::path::PathBuf;

use clap::Args;

use crate::error::Result;
use crate::key::Key;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selo exchange key out/exchange/key          a new key, mode 0600; copy it over a secure channel
  selo exchange key --id out/exchange/key     the key's id, to compare two files")]
pub struct KeyArgs {
    /// File of the key
    file: PathBuf,
    /// Create nothing; print the id of the key in the file
    #[arg(long)]
    id: bool,
}

impl KeyArgs {
    pub(super) fn run(&self) -> Result<()> {
        let key = if self.id {
            Key::read(&self.file)?
        } else {
            let key = Key::generate()?;
            key.write(&self.file)?;
            key
        };
        println!("{}", hex::encode(key.id()));
        Ok(())
    }
}
