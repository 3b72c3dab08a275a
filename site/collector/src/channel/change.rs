//! A request to add or change a channel, and its checks.

use std::net::IpAddr;

use selo_codec::Language;
use serde::Deserialize;
use ureq::http::Uri;

use super::quiet::Span;
use super::secret::Secret;
use super::{Channel, Kind, Security};
use crate::alarm::Severity;
use crate::error::{Error, Result};

const TEXT_MAX: usize = 256;
/// Maximum recipients of an e-mail.
const TO_MAX: usize = 20;
/// Longest wait for an acknowledgement: a day.
const AFTER_MAX: u32 = 1440;

/// The members of a channel that a request sets.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    name: Option<String>,
    kind: Option<Kind>,
    active: Option<bool>,
    severity: Option<Severity>,
    after_minutes: Option<u32>,
    /// An empty `from` removes the quiet hours.
    quiet: Option<Span>,
    language: Option<Language>,
    server: Option<String>,
    port: Option<u16>,
    security: Option<Security>,
    user: Option<String>,
    from: Option<String>,
    to: Option<Vec<String>>,
    topic: Option<String>,
    url: Option<Secret>,
    secret: Option<Secret>,
}

fn wrong(what: impl Into<String>) -> Error {
    Error::Invalid(what.into())
}

impl Change {
    /// A new channel.
    pub(super) fn make(self, id: i64) -> Result<Channel> {
        let kind = self.kind.ok_or_else(|| wrong("a channel needs a kind"))?;
        let server = match kind {
            Kind::Ntfy => "https://ntfy.sh",
            Kind::Telegram => "https://api.telegram.org",
            Kind::Email | Kind::Webhook => "",
        };
        let empty = Channel {
            id,
            name: String::new(),
            kind,
            active: true,
            severity: Severity::Warning,
            after_minutes: 0,
            quiet: None,
            language: Language::English,
            server: server.into(),
            port: 465,
            security: Security::Tls,
            user: String::new(),
            from: String::new(),
            to: Vec::new(),
            topic: String::new(),
            url: Secret::default(),
            secret: Secret::default(),
        };
        self.apply(&empty)
    }

    /// The channel with the changes. A secret stays with the server that it was typed for: with
    /// another server it must be typed again, or a stolen token would have it sent elsewhere.
    pub(super) fn apply(self, old: &Channel) -> Result<Channel> {
        if self.kind.is_some_and(|kind| kind != old.kind) {
            return Err(wrong("a channel's kind cannot be changed"));
        }
        let retyped = self.secret.is_some();
        let channel = self.merged(old);
        let elsewhere = channel.server != old.server
            || channel.port != old.port
            || channel.security != old.security
            || channel.url != old.url;
        if elsewhere && !retyped && !old.secret.is_empty() {
            return Err(wrong("another server needs the secret again: type it"));
        }
        check(&channel)?;
        Ok(channel)
    }

    fn merged(self, old: &Channel) -> Channel {
        let text = |new: Option<String>, old: &str| new.map_or(old.into(), |new| new.trim().into());
        Channel {
            id: old.id,
            kind: old.kind,
            name: text(self.name, &old.name),
            active: self.active.unwrap_or(old.active),
            severity: self.severity.unwrap_or(old.severity),
            after_minutes: self.after_minutes.unwrap_or(old.after_minutes),
            quiet: match self.quiet {
                Some(span) if span.from.is_empty() => None,
                Some(span) => Some(span),
                None => old.quiet.clone(),
            },
            language: self.language.unwrap_or(old.language),
            server: text(self.server, &old.server),
            port: self.port.unwrap_or(old.port),
            security: self.security.unwrap_or(old.security),
            user: text(self.user, &old.user),
            from: text(self.from, &old.from),
            to: self.to.unwrap_or_else(|| old.to.clone()),
            topic: text(self.topic, &old.topic),
            url: self.url.unwrap_or_else(|| old.url.clone()),
            secret: self.secret.unwrap_or_else(|| old.secret.clone()),
        }
    }
}

fn check(channel: &Channel) -> Result<()> {
    let texts = [
        &channel.name,
        &channel.server,
        &channel.user,
        &channel.from,
        &channel.topic,
    ];
    let secrets = [channel.url.reveal(), channel.secret.reveal()];
    let all = texts.iter().map(|text| text.as_str()).chain(secrets);
    for text in all.chain(channel.to.iter().map(String::as_str)) {
        if text.len() > 4 * TEXT_MAX || text.chars().any(char::is_control) {
            return Err(wrong("a text is too long, or has control characters"));
        }
    }
    if channel.name.is_empty() || channel.name.chars().count() > 64 {
        return Err(wrong("a channel's name must have 1 to 64 characters"));
    }
    if channel.after_minutes > AFTER_MAX {
        return Err(wrong("after_minutes must be from 0 to 1440"));
    }
    if channel
        .quiet
        .as_ref()
        .is_some_and(|span| span.times().is_none())
    {
        return Err(wrong(
            "quiet hours must be two different times, such as 22:00 and 06:00",
        ));
    }
    match channel.kind {
        Kind::Email => check_mail(channel),
        Kind::Ntfy => {
            check_server(channel)?;
            let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
            let topic = channel.topic.as_bytes();
            if !(1..=64).contains(&topic.len()) || !topic.iter().all(|b| good(*b)) {
                return Err(wrong("a topic of ntfy matches [A-Za-z0-9_-]{1,64}"));
            }
            Ok(())
        }
        Kind::Telegram => {
            check_server(channel)?;
            let token = channel.secret.reveal();
            let good = |b: u8| b.is_ascii_alphanumeric() || b":_-".contains(&b);
            if token.is_empty() || !token.bytes().all(good) {
                return Err(wrong("the bot's token looks like 123456:ABC-def"));
            }
            if channel.topic.is_empty() {
                return Err(wrong(
                    "Telegram needs a chat: its number, or @name of a channel",
                ));
            }
            Ok(())
        }
        Kind::Webhook => host_of(channel.url.reveal()).map(|_| ()),
    }
}

/// The host of a URL, without the port.
fn host_of(url: &str) -> Result<String> {
    let none = || wrong("a URL must begin with https:// or http://, and name a host");
    let uri: Uri = url.parse().map_err(|_| none())?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    match uri.host() {
        Some(host) if is_http && !host.is_empty() => {
            Ok(host.trim_matches(['[', ']']).to_lowercase())
        }
        _ => Err(none()),
    }
}

/// Returns true if a name or an address is that of this machine.
fn is_this_machine(host: &str) -> bool {
    let is_loopback = |address: IpAddr| address.to_canonical().is_loopback();
    host == "localhost" || host.parse().is_ok_and(is_loopback)
}

/// Checks the server of ntfy or Telegram. It is shown on the page, so it must contain no secret.
fn check_server(channel: &Channel) -> Result<()> {
    let server = channel.server.as_str();
    let host = host_of(server)?;
    if server.contains(['@', '?', '#', '\\']) {
        return Err(wrong(
            "a server is https://HOST, without a login or a query; the secret has its own field",
        ));
    }
    let is_clear = server
        .get(..7)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http://"));
    if is_clear && !channel.secret.is_empty() && !is_this_machine(&host) {
        return Err(wrong(
            "a secret is sent over https:// only, except to this machine",
        ));
    }
    Ok(())
}

fn check_mail(channel: &Channel) -> Result<()> {
    let host = channel.server.as_bytes();
    let good = |b: &u8| b.is_ascii_alphanumeric() || b".-:".contains(b);
    if host.is_empty() || !host.iter().all(good) || channel.port == 0 {
        return Err(wrong(
            "an e-mail needs the host and the port of a mail server",
        ));
    }
    let is_local = is_this_machine(&channel.server);
    if channel.security == Security::None && !channel.secret.is_empty() && !is_local {
        return Err(wrong(
            "a password is sent over TLS only, except to this machine",
        ));
    }
    if channel.to.is_empty() || channel.to.len() > TO_MAX {
        return Err(wrong(format!("an e-mail needs 1 to {TO_MAX} recipients")));
    }
    for address in std::iter::once(&channel.from).chain(&channel.to) {
        super::mail::mailbox(address)
            .map_err(|_| wrong(format!("'{address}' is not an address")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn made(kind: &str, server: &str, secret: &str) -> Result<Channel> {
        let asked = json!({"name": "duty", "kind": kind, "topic": "desk", "server": server,
            "secret": secret});
        let change: Change = serde_json::from_value(asked).expect("a change");
        change.make(1)
    }

    #[test]
    fn a_secret_goes_over_tls_or_to_this_machine() {
        for (server, good) in [
            ("https://ntfy.example.org", true),
            ("https://ntfy.example.org:8443/base", true),
            ("http://127.0.0.1:8080", true),
            ("http://localhost", true),
            ("http://[::1]:80", true),
            ("http://ntfy.example.org", false),
            ("HTTP://ntfy.example.org", false),
            ("http://192.168.1.2", false),
            // These look like this machine and are not.
            ("http://127.0.0.1@ntfy.example.org", false),
            ("http://localhost:80@ntfy.example.org", false),
            ("http://localhost.example.org", false),
            ("http://localhost\\@ntfy.example.org", false),
        ] {
            for kind in ["ntfy", "telegram"] {
                assert_eq!(made(kind, server, "tk_1").is_ok(), good, "{kind} {server}");
            }
        }
        assert!(made("ntfy", "http://ntfy.example.org", "").is_ok());
        // The page shows the server, so it has no login.
        for server in [
            "https://desk:pw@ntfy.example.org",
            "https://ntfy.example.org?auth=pw",
            "https://ntfy.example.org#pw",
            "https://",
            "https:///x",
            "ftp://ntfy.example.org",
            "ntfy.example.org",
        ] {
            assert!(made("ntfy", server, "").is_err(), "{server}");
        }
    }
}
