//! Requests to the servers of ntfy, Telegram and webhooks.
//!
//! Nothing of a server is trusted: a request ends after a deadline, redirects are not followed
//! (they may lead into this network), and of an answer only the status and a short piece are read.
//! [`super::reach`] says which addresses a channel may reach.

use std::io::Read;
use std::time::Duration;

use hmac::{Hmac, Mac};
use serde_json::{Value as Json, json};
use sha2::Sha256;
use ureq::unversioned::transport::DefaultConnector;

use super::reach::Reach;
use super::text::Letter;
use super::{Channel, Kind};
use crate::alarm::Severity;

/// Deadline of a request, from the look-up of the name to the end of the answer's head.
const PATIENCE: Duration = Duration::from_secs(15);
/// Piece of an answer that explains an error.
const ANSWER_MAX: u64 = 512;

/// Sends requests.
#[derive(Debug, Clone)]
pub struct Poster(ureq::Agent);

impl Default for Poster {
    fn default() -> Self {
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent("selo-collector")
            .build();
        let connector = DefaultConnector::default();
        Poster(ureq::Agent::with_parts(agent, connector, Reach::default()))
    }
}

impl Poster {
    fn post(&self, url: &str, headers: &[(&str, &str)], body: &str) -> Result<(), Refused> {
        let mut request = self.0.post(url).header("Content-Type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let refused = |why: String| Refused { why, told: None };
        let answer = request
            .send(body)
            .map_err(|error| refused(error.to_string()))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let why = format!("it answered {status}");
        if status.is_redirection() {
            return Err(refused(format!("{why}: redirects are not followed")));
        }
        let mut piece = Vec::new();
        let _ = answer
            .into_body()
            .into_reader()
            .take(ANSWER_MAX)
            .read_to_end(&mut piece);
        // Telegram and ntfy explain an error in one of these members.
        let told: Json = serde_json::from_slice(&piece).unwrap_or_default();
        let told = told["description"]
            .as_str()
            .or_else(|| told["error"].as_str());
        let told = told.map(str::to_string);
        Err(Refused { why, told })
    }
}

/// Why a server did not take a request: in our words, and in those of the server.
#[derive(Debug)]
struct Refused {
    why: String,
    told: Option<String>,
}

impl Refused {
    fn with_words(self) -> String {
        match self.told {
            Some(told) => format!("{}: {told}", self.why),
            None => self.why,
        }
    }
}

/// Posts a notice to a webhook, with the notice's number and a signature.
pub fn post_signed(
    poster: &Poster,
    url: &str,
    secret: &str,
    (id, body): (i64, &str),
    now: i64,
) -> Result<(), String> {
    let (id, time) = (id.to_string(), (now / 1000).to_string());
    let mut headers = vec![
        ("X-Selo-Delivery", id.as_str()),
        ("X-Selo-Timestamp", &time),
    ];
    let signed = signature(secret, &time, body);
    if !secret.is_empty() {
        headers.push(("X-Selo-Signature", &signed));
    }
    // A webhook's server explains errors in no known form, and may be anybody's: its words are not
    // shown.
    poster
        .post(url, &headers, body)
        .map_err(|refused| refused.why)
}

/// Sends a message by ntfy or Telegram.
pub(super) fn post_letter(
    poster: &Poster,
    channel: &Channel,
    letter: &Letter,
) -> Result<(), String> {
    let server = channel.server.trim_end_matches('/');
    if channel.kind == Kind::Telegram {
        let url = format!("{server}/bot{}/sendMessage", channel.secret.reveal());
        let text = match letter.text.lines().count() {
            1 => letter.title.clone(),
            _ => format!("{}\n{}", letter.title, letter.text),
        };
        let text: String = text.chars().take(4000).collect();
        let silent = letter.severity == Severity::Info;
        let body = json!({"chat_id": channel.topic, "text": text, "disable_notification": silent});
        let done = poster.post(&url, &[], &body.to_string());
        return done.map_err(Refused::with_words);
    }
    let (priority, tag) = match letter.severity {
        Severity::Info => (2, "information_source"),
        Severity::Warning => (4, "warning"),
        Severity::Critical => (5, "rotating_light"),
    };
    let text: String = letter.text.chars().take(3500).collect();
    let body = json!({
        "topic": channel.topic, "title": letter.title, "message": text,
        "priority": priority, "tags": [tag],
    });
    let bearer = format!("Bearer {}", channel.secret.reveal());
    let headers = [("Authorization", bearer.as_str())];
    let headers = if channel.secret.is_empty() {
        &headers[..0]
    } else {
        &headers[..]
    };
    let done = poster.post(server, headers, &body.to_string());
    done.map_err(Refused::with_words)
}

/// HMAC-SHA-256 [FIPS198-1] of `time "." body`, formatted as `sha256=HEX`.
pub fn signature(secret: &str, time: &str, body: &str) -> String {
    // HMAC accepts a key of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return String::new();
    };
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body.as_bytes());
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_signature_is_what_others_compute() {
        // printf '1.{}' | openssl dgst -sha256 -hmac key
        assert_eq!(super::signature("key", "1", "{}"), SIGNATURE);
    }

    const SIGNATURE: &str =
        "sha256=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224";
}
