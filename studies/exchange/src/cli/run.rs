//! `selo exchange run`: the client of the first experiment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::shared::{Repetitions, load, named, say};
use crate::cipher::Cipher;
use crate::client::Exchange;
use crate::error::{Error, Result};
use crate::implementation::Implementation;
use crate::key::Key;
use crate::payload::Payload;
use crate::row::{Experiment, Stamps, Unit};
use crate::run::Measured;

#[derive(Debug, Args)]
#[command(after_help = "\
The experiment of ferreira2020 (docs/researcher/exchange.md). Both ends compare the decrypted
message with the sent one. CBC is not authenticated, and labelled so; every message has a new random IV.

Examples:
  selo exchange run --key key --cipher aes-128-cbc,aes-192-cbc,aes-256-cbc \\
      --payload string,image --repeat 100
  selo exchange run --key key --to raspberrypi:7390 --cipher all --scenario pc-pi
  selo exchange run --key key --implementation selo,openssl,mbedtls,wolfcrypt:small

Exit codes: 0 all exchanges succeeded, 1 an exchange failed, 2 wrong usage or data, 4 machine error.")]
pub struct RunArgs {
    /// The server
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7390")]
    to: String,
    /// File of the pre-shared key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Ciphers, or all
    #[arg(long, value_delimiter = ',', default_value = "all")]
    cipher: Vec<String>,
    /// Payloads: string (1,215 bytes), image (2 MB), a number of bytes, or a file
    #[arg(long, value_delimiter = ',', default_value = "string")]
    payload: Vec<String>,
    /// Implementation of the client: see `selo exchange list`. A library may be followed by :VARIANT
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "selo",
        value_name = "NAME"
    )]
    implementation: Vec<String>,
    /// Folder for the decrypted replies
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    #[command(flatten)]
    repetitions: Repetitions,
}

impl RunArgs {
    pub(super) fn run(&self, project: Option<&Path>) -> Result<()> {
        let key = Key::read(&self.key)?;
        let ciphers = named(&self.cipher, &Cipher::ALL, Cipher::by_name, "cipher")?;
        let payloads: Vec<Payload> = self
            .payload
            .iter()
            .map(|text| Payload::parse(text))
            .collect::<Result<_>>()?;
        if let Some(folder) = &self.store {
            std::fs::create_dir_all(folder).map_err(|error| Error::File {
                path: folder.clone(),
                why: error.to_string(),
                hint: "check that --store DIR can be created".into(),
            })?;
        }
        let implementations = self
            .implementation
            .iter()
            .map(|spec| Implementation::named(spec, &ciphers, || load(project), say))
            .collect::<Result<Vec<_>>>()?;
        let units = self.units(&payloads, &implementations, &ciphers)?;
        let ends = Ends {
            key,
            payloads,
            implementations,
        };
        let mut number = 0;
        self.repetitions.perform(units, BTreeMap::new(), |unit| {
            number += 1;
            self.exchange(&ends, unit, number)
        })
    }

    /// Every requested combination. `all` selects the ciphers that an implementation offers; a
    /// cipher that the user names must be offered.
    fn units(
        &self,
        payloads: &[Payload],
        implementations: &[Implementation],
        ciphers: &[Cipher],
    ) -> Result<Vec<Unit>> {
        let all = self.cipher.iter().any(|word| word == "all");
        let mut units = Vec::new();
        for payload in payloads {
            for implementation in implementations {
                for cipher in ciphers {
                    if implementation.offers(*cipher) {
                        units.push(self.unit(payload, implementation, *cipher));
                    } else if !all {
                        return Err(Error::usage(
                            format!("{} does not offer {}", implementation.name(), cipher.name()),
                            "`selo exchange list` shows the ciphers of each implementation",
                        ));
                    }
                }
            }
        }
        Ok(units)
    }

    fn unit(&self, payload: &Payload, implementation: &Implementation, cipher: Cipher) -> Unit {
        Unit {
            experiment: Experiment::Symmetric,
            scenario: self.repetitions.scenario.clone(),
            implementation: implementation.name().into(),
            device: None,
            cipher: cipher.name().into(),
            group: None,
            handshake: None,
            payload: payload.name.clone(),
            bytes: payload.bytes.len() as u64,
        }
    }

    /// Runs one exchange of a unit. `number` counts the exchanges, for the names of stored files.
    fn exchange(&self, ends: &Ends, unit: &Unit, number: u32) -> Result<Measured> {
        let unknown = || Error::Protocol("a unit of another run".into());
        let cipher = Cipher::by_name(&unit.cipher).ok_or_else(unknown)?;
        let implementation = ends
            .implementations
            .iter()
            .find(|one| one.name() == unit.implementation)
            .ok_or_else(unknown)?;
        let payload = ends
            .payloads
            .iter()
            .find(|payload| payload.name == unit.payload)
            .ok_or_else(unknown)?;
        let store = self
            .store
            .as_ref()
            .map(|folder| folder.join(format!("client-{number:06}-{}.bin", cipher.name())));
        let done = Exchange {
            to: &self.to,
            key: &ends.key,
            cipher,
            implementation,
            payload: &payload.bytes,
            timeout: Duration::from_secs(self.repetitions.timeout),
            store: store.as_deref(),
        }
        .run()?;
        Ok(Measured {
            server: done.machine,
            authenticated: cipher.authenticated(),
            sent: done.sent,
            received: done.received,
            stamps: Some(Stamps {
                connect: done.connect,
                t1: done.sealed,
                t6: done.came,
                t7: done.opened,
                t3_less_t2: done.server.opened,
                t4_less_t2: done.server.began,
                t5_less_t2: done.server.sealed,
                instructions: None,
            }),
            tls: None,
            caution: None,
        })
    }
}

/// The ends that the units of a run need.
struct Ends {
    key: Key,
    payloads: Vec<Payload>,
    implementations: Vec<Implementation>,
}
