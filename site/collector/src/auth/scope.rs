//! Scope of a source of readings. Operators and the broker's gateways may send for every station;
//! a token with the role `device` may send only for its own stations.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::message::{Message, is_name, parts_of};

/// Default site of readings over HTTP.
pub const SITE: &str = "site";
/// Stands for all stations of the site.
const ALL: &str = "*";
/// Maximum number of stations of one token.
const STATIONS_MAX: usize = 1000;

/// A set of stations of one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    pub site: String,
    stations: BTreeSet<String>,
}

impl Scope {
    /// Checks a scope: the site name, and 1 to 1000 station names or `*`.
    pub fn new(site: &str, stations: impl IntoIterator<Item = String>) -> Result<Scope> {
        if !is_name(site, 32) {
            return Err(Error::Invalid(
                "site does not match [A-Za-z0-9._-]{1,32}".into(),
            ));
        }
        let stations: BTreeSet<String> = stations.into_iter().collect();
        if stations.is_empty() || stations.len() > STATIONS_MAX {
            return Err(Error::Invalid(format!(
                "a token must name 1 to {STATIONS_MAX} stations"
            )));
        }
        if stations.iter().any(|one| one != ALL && !is_name(one, 32)) {
            return Err(Error::Invalid(
                "a station must match [A-Za-z0-9._-]{1,32}, or be * for all stations of the site"
                    .into(),
            ));
        }
        Ok(Scope {
            site: site.into(),
            stations,
        })
    }

    /// Parses the database form: names separated by spaces. If it is absent or invalid, the scope
    /// is the station that has the token's name.
    pub fn kept(site: Option<&str>, stations: Option<&str>, name: &str) -> Scope {
        let words = stations.unwrap_or(name).split_whitespace();
        let own = || Scope {
            site: SITE.into(),
            stations: [name.to_owned()].into(),
        };
        Scope::new(site.unwrap_or(SITE), words.map(str::to_owned)).unwrap_or_else(|_| own())
    }

    /// The station names, sorted.
    pub fn stations(&self) -> Vec<&str> {
        self.stations.iter().map(String::as_str).collect()
    }

    /// The inverse of [`Scope::kept`].
    pub fn to_text(&self) -> String {
        self.stations().join(" ")
    }

    fn has(&self, site: &str, device: &str) -> bool {
        site == self.site && (self.stations.contains(ALL) || self.stations.contains(device))
    }
}

/// Rights of a source of readings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum May {
    /// Readings and names of every station.
    #[default]
    All,
    /// Readings of these stations, without names.
    Own(Arc<Scope>),
}

impl May {
    /// Removes the parts of a message that its source may not set. Returns an error if the source
    /// may not send for this station at all.
    pub fn admit(&self, mut message: Message) -> Result<Message> {
        let May::Own(scope) = self else {
            return Ok(message);
        };
        let (site, device) = parts_of(&message.identity.station);
        if !scope.has(site, device) {
            return Err(Error::Scope {
                device: device.to_string(),
                site: site.into(),
            });
        }
        // Only the operator names a station, and its gateway is not one of the broker's.
        message.names = false;
        message.name = None;
        message.gateway = None;
        message.line = without_names(&message.line).into();
        Ok(message)
    }
}

/// A message's line as live listeners may see it.
fn without_names(line: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(line) {
        Ok(serde_json::Value::Object(mut message)) => {
            message.remove("name");
            message.remove("gateway");
            serde_json::Value::from(message).to_string()
        }
        // Unreachable, because the line was parsed before. An empty object reveals nothing.
        _ => "{}".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_nothing_means_the_own_name() {
        let scope = Scope::new("north", ["b".into(), "a".into()]).expect("good");
        assert_eq!(
            Scope::kept(Some("north"), Some(&scope.to_text()), "t"),
            scope
        );
        for (site, stations) in [(None, None), (Some(""), Some("a")), (Some("x"), Some(" "))] {
            let scope = Scope::kept(site, stations, "roof");
            assert!(scope.has(SITE, "roof") && !scope.has(SITE, "a"));
        }
        let all = Scope::kept(Some("x"), Some("*"), "roof");
        assert!(all.has("x", "a") && !all.has("y", "a"));
    }
}
