//! `selo exchange key`.

use std::path::PathBuf;

use clap::Args;

use crate::error::Result;
use crate::key::Key;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selo exchange key out/exchange/key          a new key, mode 0600; copy it by a safe way
  selo exchange key --id out/exchange/key     a name of the key, to compare two files")]
pub struct KeyArgs {
    /// File of the key
    file: PathBuf,
    /// Make nothing; print the name of the key that the file holds
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
