//! `selo exchange tls`: runs the clients of the second experiment.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use selo_tls::station::Reading;

use super::shared::{Repetitions, load, named, say};
use crate::embedded::Embedded;
use crate::error::{Error, Result};
use crate::row::{Experiment, Unit};
use crate::run::Measured;
use crate::tls::client::{Client, Options};
use crate::tls::library::{self, Ask, Features};
use crate::tls::url::{Url, request};
use crate::tls::{self, Group, Suite};

#[derive(Debug, Args)]
#[command(after_help = "\
The experiment of ferreira2021 (docs/researcher/exchange.md). The handshake is timed from its first
message until the client may send, the exchange from the request until the complete answer.

Examples:
  selo exchange tls --to https://localhost:7391 --ca tls/ca.pem --suite all
  selo exchange tls --ca tls/ca.pem --client wolfssl,wolfssl@esp8266,mbedtls@esp8266 --repeat 5
  selo exchange tls --ca tls/ca.pem --client wolfssl@esp8266 --group x25519,x25519mlkem768 \
      --handshake full,resumed --repeat 3
  selo exchange tls --to https://station.example:7380 --ca ca.pem --token-file token \\
      --group x25519,x25519mlkem768 --handshake full,resumed --repeat 100

Exit codes: 0 all exchanges succeeded, 1 an exchange failed, 2 wrong usage or data, 4 machine error.")]
pub struct TlsArgs {
    /// The web server
    #[arg(long, value_name = "URL", default_value = "https://localhost:7391")]
    to: String,
    /// Authority that signed the server's certificate (PEM)
    #[arg(long, value_name = "FILE")]
    ca: PathBuf,
    /// Client: rustls, or an embedded library (wolfssl, mbedtls) on this machine or, with @BOARD,
    /// on a board's emulator
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "rustls",
        value_name = "NAME[@BOARD]"
    )]
    client: Vec<String>,
    /// Suites, or all
    #[arg(long, value_delimiter = ',', default_value = "all")]
    suite: Vec<String>,
    /// Key exchanges, or all
    #[arg(long, value_delimiter = ',', default_value = "x25519")]
    group: Vec<String>,
    /// Handshakes: full, resumed
    #[arg(long, value_delimiter = ',', default_value = "full")]
    handshake: Vec<String>,
    /// The reading to send
    #[arg(long, value_name = "LAT,LON,SPEED", default_value = "-23.185100,-50.649700,12.50", value_parser = reading, allow_hyphen_values = true)]
    reading: Reading,
    /// Send the measured times to the server
    #[arg(long)]
    report_times: bool,
    /// File with the token that the server requires, mode 0600
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    repetitions: Repetitions,
}

fn reading(text: &str) -> std::result::Result<Reading, String> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|number| number.trim().parse().unwrap_or(f64::NAN))
        .collect();
    match numbers[..] {
        [latitude, longitude, speed] => {
            let reading = Reading {
                latitude,
                longitude,
                speed,
            };
            reading.check().map(|()| reading)
        }
        _ => Err("give degrees north, degrees east and speed, separated by commas".into()),
    }
}

/// The client of one unit.
enum Asking<'a> {
    Rustls(Box<Client>),
    Library(library::Client<'a>),
}

impl TlsArgs {
    pub(super) fn run(&self, project: Option<&Path>) -> Result<()> {
        let url = Url::parse(&self.to)?;
        let authorities = tls::certificates(&self.ca)?;
        let combinations = self.combinations()?;
        let token = self.token_file.as_deref().map(token).transpose()?;
        let built = self.built(project, &combinations)?;
        let request = request(
            &url,
            token.as_ref().map(|token| token.as_str()),
            "reading",
            &self.reading.body(),
            true,
        );
        let mut asking = Vec::new();
        for name in &self.client {
            for &combination in &combinations {
                let Combination {
                    suite,
                    group,
                    resumed,
                } = combination;
                let timeout = Duration::from_secs(self.repetitions.timeout);
                let embedded = built.get(&(name, combination.features()));
                let client = match embedded {
                    Some(embedded) => {
                        let ask = Ask {
                            url: &url,
                            authorities: &authorities,
                            suite,
                            group,
                            resumed,
                            request: &request,
                            timeout,
                        };
                        Asking::Library(library::Client::new(embedded, ask))
                    }
                    None => Asking::Rustls(Box::new(Client::new(Options {
                        url: url.clone(),
                        authorities: &authorities,
                        suite,
                        group,
                        resumed,
                        timeout,
                        token: token.clone(),
                    })?)),
                };
                asking.push((self.unit(combination, embedded), client));
            }
        }
        self.perform(asking, &built)
    }

    /// Every requested combination of suite, key exchange and handshake.
    fn combinations(&self) -> Result<Vec<Combination>> {
        let suites = named(&self.suite, &Suite::ALL, Suite::by_name, "suite")?;
        let groups = named(&self.group, &Group::ALL, Group::by_name, "key exchange")?;
        let resumed = |word: &str| match word {
            "full" => Some(false),
            "resumed" => Some(true),
            _ => None,
        };
        let handshakes = named(&self.handshake, &[false, true], resumed, "handshake")?;
        let mut combinations = Vec::new();
        for &suite in &suites {
            for &group in &groups {
                for &resumed in &handshakes {
                    combinations.push(Combination {
                        suite,
                        group,
                        resumed,
                    });
                }
            }
        }
        Ok(combinations)
    }

    /// The unit of a combination. `embedded` is the client, or `None` for rustls.
    fn unit(&self, combination: Combination, embedded: Option<&Embedded>) -> Unit {
        let handshake = match combination.resumed {
            true => "resumed",
            false => "full",
        };
        Unit {
            experiment: Experiment::Tls,
            scenario: self.repetitions.scenario.clone(),
            implementation: embedded
                .map_or_else(|| "rustls".to_owned(), |one| one.implementation.clone()),
            device: embedded.map(|client| client.device().to_owned()),
            cipher: combination.suite.name().into(),
            group: Some(combination.group.name().into()),
            handshake: Some(handshake.into()),
            payload: "reading".into(),
            bytes: self.reading.body().len() as u64,
        }
    }

    fn perform(&self, mut asking: Vec<(Unit, Asking<'_>)>, built: &Built<'_>) -> Result<()> {
        let units = asking.iter().map(|(unit, _)| unit.clone()).collect();
        let machines = built
            .values()
            .map(|client| (client.device().to_owned(), client.machine.clone()))
            .collect();
        self.repetitions.perform(units, machines, |unit| {
            let (_, client) = asking
                .iter_mut()
                .find(|(known, _)| known == unit)
                .ok_or_else(|| Error::Protocol("a unit of another run".into()))?;
            let done = match client {
                Asking::Rustls(client) => client.exchange(&self.reading, self.report_times)?,
                Asking::Library(client) => client.exchange()?,
            };
            Ok(Measured {
                server: self.to.clone(),
                authenticated: true,
                sent: done.sent,
                received: done.received,
                stamps: None,
                tls: Some(done.times),
                caution: built
                    .values()
                    .find(|client| Some(client.device()) == unit.device.as_deref())
                    .and_then(|client| client.caution.clone()),
            })
        })
    }

    /// Builds the clients in C, once for each set of features.
    fn built(&self, project: Option<&Path>, combinations: &[Combination]) -> Result<Built<'_>> {
        let groups: Vec<Group> = combinations.iter().map(|one| one.group).collect();
        let mut built = BTreeMap::new();
        for spec in self.client.iter().filter(|client| *client != "rustls") {
            if self.report_times {
                return Err(Error::usage(
                    format!("{spec} cannot send its times to the server"),
                    "leave --report-times out",
                ));
            }
            let project = load(project)?;
            library::check(&project, spec, &groups)?;
            for combination in combinations {
                let features = combination.features();
                if let Entry::Vacant(place) = built.entry((spec, features)) {
                    place.insert(library::build(&project, spec, features, say)?);
                }
            }
        }
        Ok(built)
    }
}

/// Clients in C, by their name on the command line and their features.
type Built<'a> = BTreeMap<(&'a String, Features), Embedded>;

/// One suite, one key exchange and one handshake.
#[derive(Clone, Copy)]
struct Combination {
    suite: Suite,
    group: Group,
    resumed: bool,
}

impl Combination {
    /// The features that a client in C needs for this combination.
    fn features(self) -> Features {
        Features::of(self.group, self.resumed)
    }
}

/// Reads a secret of one line.
fn token(path: &Path) -> Result<zeroize::Zeroizing<String>> {
    use std::os::unix::fs::MetadataExt;
    let wrong = |why: String, hint: &str| Error::File {
        path: path.to_owned(),
        why,
        hint: hint.into(),
    };
    let hint = "give a file of mode 0600 that contains the token in one line";
    let metadata = std::fs::metadata(path).map_err(|error| wrong(error.to_string(), hint))?;
    if metadata.mode() & 0o077 != 0 {
        return Err(wrong("other users can read this token".into(), "chmod 600"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string(), hint))?;
    let token = zeroize::Zeroizing::new(text.trim().to_owned());
    if token.is_empty() || !token.chars().all(|c| c.is_ascii_graphic()) {
        return Err(wrong(
            "the file does not contain a valid token".into(),
            hint,
        ));
    }
    Ok(token)
}
