//! What a source of readings may say: an operator and the broker's gateways everything, a
//! token of the role `device` only what its own stations measured.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::message::{Message, is_name, parts_of};

/// The site of readings over HTTP if nobody says which.
pub const SITE: &str = "site";
/// In place of stations: all of the site.
const ALL: &str = "*";
/// Stations that one token may name.
const STATIONS_MAX: usize = 1000;

/// Stations of one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    pub site: String,
    stations: BTreeSet<String>,
}

impl Scope {
    pub fn new(site: &str, stations: impl IntoIterator<Item = String>) -> Result<Scope> {
        if !is_name(site, 32) {
            return Err(Error::Invalid("site is not [A-Za-z0-9._-]{1,32}".into()));
        }
        let stations: BTreeSet<String> = stations.into_iter().collect();
        if stations.is_empty() || stations.len() > STATIONS_MAX {
            return Err(Error::Invalid(format!(
                "a token has 1 to {STATIONS_MAX} stations"
            )));
        }
        if stations.iter().any(|one| one != ALL && !is_name(one, 32)) {
            return Err(Error::Invalid(
                "a station is [A-Za-z0-9._-]{1,32}, or * for all of the site".into(),
            ));
        }
        Ok(Scope {
            site: site.into(),
            stations,
        })
    }

    /// As the database keeps it, if it says anything: names with a blank between them. What
    /// says nothing, or nothing sensible, allows the station of the token's name.
    pub fn kept(site: Option<&str>, stations: Option<&str>, name: &str) -> Scope {
        let words = stations.unwrap_or(name).split_whitespace();
        let own = || Scope {
            site: SITE.into(),
            stations: [name.to_owned()].into(),
        };
        Scope::new(site.unwrap_or(SITE), words.map(str::to_owned)).unwrap_or_else(|_| own())
    }

    pub fn stations(&self) -> Vec<&str> {
        self.stations.iter().map(String::as_str).collect()
    }

    /// For [`Scope::kept`].
    pub fn to_text(&self) -> String {
        self.stations().join(" ")
    }

    fn has(&self, site: &str, device: &str) -> bool {
        site == self.site && (self.stations.contains(ALL) || self.stations.contains(device))
    }
}

/// The rights of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum May {
    /// Readings and names of every station.
    #[default]
    All,
    /// Readings of these stations, and no names.
    Own(Arc<Scope>),
}

impl May {
    /// Takes out of a message what its source may not say; an error if it may say nothing.
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
        // A station's name is its operator's, and its gateway is none of the broker's.
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
        // It was parsed before: this is not reached, and says nothing if it is.
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
