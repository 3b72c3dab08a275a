//! The address of a web server, and the requests to it.

use selo_tls::station::BASE;

use crate::error::{Error, Result};

/// The address to which readings are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    pub host: String,
    pub port: u16,
    /// The path before the routes; empty, or begins with `/`.
    pub prefix: String,
}

impl Url {
    /// Parses `https://HOST[:PORT][/PREFIX]`.
    pub fn parse(text: &str) -> Result<Url> {
        let bad = || {
            Error::usage(
                format!("'{text}' is not a valid address of a web server"),
                "https://HOST:PORT",
            )
        };
        let rest = text.strip_prefix("https://").ok_or_else(bad)?;
        let (authority, prefix) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().map_err(|_| bad())?),
            _ => (authority, 443),
        };
        let plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic());
        if host.is_empty() || !plain(host) || !plain(prefix) {
            return Err(bad());
        }
        Ok(Url {
            host: host.to_owned(),
            port,
            prefix: prefix.trim_end_matches('/').to_owned(),
        })
    }

    pub(crate) fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// A request to `route` of the server. `close` announces the last request of the connection.
pub fn request(
    url: &Url,
    token: Option<&str>,
    route: &str,
    body: &str,
    close: bool,
) -> zeroize::Zeroizing<String> {
    let token = token.map_or_else(String::new, |token| {
        format!("Authorization: Bearer {token}\r\n")
    });
    zeroize::Zeroizing::new(format!(
        "POST {}{BASE}{route} HTTP/1.1\r\nHost: {}\r\n{}Content-Type: \
         application/json\r\nContent-Length: {}\r\n{}\r\n{body}",
        url.prefix,
        url.address(),
        *zeroize::Zeroizing::new(token),
        body.len(),
        if close { "Connection: close\r\n" } else { "" },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let url = |text| Url::parse(text).map(|url| (url.host, url.port, url.prefix));
        let is = |host: &str, port, prefix: &str| (host.to_owned(), port, prefix.to_owned());
        assert_eq!(url("https://a.b:7380").ok(), Some(is("a.b", 7380, "")));
        assert_eq!(url("https://a.b").ok(), Some(is("a.b", 443, "")));
        assert_eq!(url("https://[::1]:1/x/").ok(), Some(is("[::1]", 1, "/x")));
        for bad in [
            "http://a",
            "https://",
            "https://a:x",
            "a",
            "https://a b",
            "https://a:70000",
        ] {
            assert!(Url::parse(bad).is_err(), "{bad}");
        }
    }
}
