//! Client configuration: the broker's address, the user, and TLS.

use std::net::IpAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rumqttc::v5::MqttOptions;
use rumqttc::v5::mqttbytes::v5::ConnectProperties;
use rumqttc::{TlsConfiguration, Transport};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// Standard ports of MQTT over TLS and of MQTT without TLS.
pub const TLS_PORT: u16 = 8883;
pub const PLAIN_PORT: u16 = 1883;

/// Ping interval. A broker that does not answer is considered unreachable.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// Connection timeout in seconds.
const CONNECT_SECONDS: u64 = 10;
/// Maximum packet size in bytes.
const PACKET_MAX: u32 = 1 << 20;
/// Maximum unacknowledged messages to the broker. Each has at most a few kilobytes.
const OUTSTANDING: u16 = 512;

/// `mqtts://user@host:8883`. A URL with a password is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerUrl {
    pub host: String,
    pub port: u16,
    pub user: Option<String>,
    /// False: without TLS, allowed to this machine only.
    pub tls: bool,
}

/// How a protocol writes the address of its server.
#[derive(Debug)]
pub struct Scheme {
    /// The schemes with and without TLS, and their standard ports.
    pub tls: (&'static str, u16),
    pub plain: (&'static str, u16),
    /// What is expected, with an example.
    pub form: &'static str,
    /// What to do with a password, and with an address that would send it unencrypted.
    pub password: &'static str,
    pub clear: &'static str,
}

/// Addresses of MQTT brokers.
const MQTT: Scheme = Scheme {
    tls: ("mqtts", TLS_PORT),
    plain: ("mqtt", PLAIN_PORT),
    form: "expected mqtts://USER@HOST:PORT, for example mqtts://gateway@broker.example:8883",
    password: "other users can read the command line; put the password into a file with mode \
        0600 and pass --mqtt-password-file FILE",
    clear: "use mqtts://; mqtt:// is allowed to localhost only",
};

impl FromStr for BrokerUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<BrokerUrl> {
        BrokerUrl::read(text, &MQTT)
    }
}

impl BrokerUrl {
    /// Reads an address of a protocol.
    pub fn read(text: &str, scheme: &Scheme) -> Result<BrokerUrl> {
        let wrong = |why: &str| {
            // The URL may contain a password, so do not repeat it.
            Err(Error::Invalid(
                format!("invalid server address: {why}"),
                scheme.form,
            ))
        };
        let (tls, rest) = match text.split_once("://") {
            Some((name, rest)) if name == scheme.tls.0 => (true, rest),
            Some((name, rest)) if name == scheme.plain.0 => (false, rest),
            _ => return wrong(&format!("it must begin with {}://", scheme.tls.0)),
        };
        let (user, place) = match rest.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, rest),
        };
        if user.is_some_and(|user| user.contains(':')) {
            return Err(Error::Invalid(
                "the server's address contains a password".into(),
                scheme.password,
            ));
        }
        if user.is_some_and(|user| user.is_empty() || user.chars().any(char::is_control)) {
            return wrong("the user name is empty");
        }
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) => match port.parse() {
                Ok(port) if port > 0 => (host, port),
                _ => return wrong("the port is not a number from 1 to 65535"),
            },
            None if tls => (place, scheme.tls.1),
            None => (place, scheme.plain.1),
        };
        let fits = |char: char| char.is_ascii_alphanumeric() || "-._".contains(char);
        if host.is_empty() || !host.chars().all(fits) {
            return wrong("the host must be a name or an IPv4 address");
        }
        let local = host == "localhost"
            || host
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback());
        if !tls && !local {
            return Err(Error::Invalid(
                format!(
                    "{}://{host} would send passwords and readings unencrypted",
                    scheme.plain.0
                ),
                scheme.clear,
            ));
        }
        Ok(BrokerUrl {
            host: host.into(),
            port,
            user: user.map(Into::into),
            tls,
        })
    }
}

impl std::fmt::Display for BrokerUrl {
    /// Formats the broker as host and port.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Configuration of a connection to a broker.
#[derive(Clone)]
pub struct ClientConfig {
    pub broker: BrokerUrl,
    pub password: Option<Zeroizing<String>>,
    /// Authorities that are trusted instead of the system's: a PEM file, read at every
    /// connection.
    pub ca: Option<PathBuf>,
    /// Client certificate chain and key, PEM files.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// MQTT client id. A second client with the same id disconnects the first.
    pub client_id: String,
}

impl std::fmt::Debug for ClientConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientConfig")
            .field("broker", &self.broker)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

impl ClientConfig {
    /// A configuration without a password that trusts the system's authorities.
    pub fn new(broker: BrokerUrl, client_id: impl Into<String>) -> ClientConfig {
        ClientConfig {
            broker,
            password: None,
            ca: None,
            certificate: None,
            client_id: client_id.into(),
        }
    }

    /// Builds the options of a connection. Reads the files.
    pub(crate) fn options(&self) -> Result<MqttOptions> {
        let broker = &self.broker;
        let mut options = MqttOptions::new(&self.client_id, &broker.host, broker.port);
        options.set_keep_alive(KEEP_ALIVE);
        options.set_connection_timeout(CONNECT_SECONDS);
        options.set_outgoing_inflight_upper_limit(OUTSTANDING);
        // TCP_NODELAY: with Nagle's algorithm, each acknowledgement would wait 40 ms for the
        // previous one to be acknowledged.
        let mut network = options.network_options();
        network.set_tcp_nodelay(true);
        options.set_network_options(network);
        options.set_connect_properties(ConnectProperties {
            max_packet_size: Some(PACKET_MAX),
            ..ConnectProperties::new()
        });
        if broker.user.is_some() || self.password.is_some() {
            let user = broker.user.clone().unwrap_or_default();
            let password = self.password.as_ref().map_or("", |text| text.as_str());
            options.set_credentials(user, password);
        }
        if broker.tls {
            let tls = Arc::new(self.tls()?);
            options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(tls)));
        }
        Ok(options)
    }

    /// Builds the TLS of a connection. Reads the files.
    pub fn tls(&self) -> Result<rustls::ClientConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::Internal(error.to_string()))?
            .with_root_certificates(self.roots()?);
        let Some((chain, key)) = &self.certificate else {
            return Ok(builder.with_no_client_auth());
        };
        check_private(key)?;
        let bad_key = |why: String| Error::File {
            path: key.clone(),
            why,
            hint: "pass the certificate's private key in PEM format".into(),
        };
        let private =
            PrivateKeyDer::from_pem_file(key).map_err(|error| bad_key(error.to_string()))?;
        builder
            .with_client_auth_cert(certificates(chain)?, private)
            .map_err(|error| bad_key(error.to_string()))
    }

    fn roots(&self) -> Result<RootCertStore> {
        let mut roots = RootCertStore::empty();
        let Some(path) = &self.ca else {
            let system = rustls_native_certs::load_native_certs();
            let (taken, _) = roots.add_parsable_certificates(system.certs);
            if taken == 0 {
                return Err(Error::Invalid(
                    "this machine has no certificate authorities".into(),
                    "install the package ca-certificates, or pass the broker's authority with \
                    --mqtt-ca FILE (of a stream: --stream-ca FILE)",
                ));
            }
            return Ok(roots);
        };
        for certificate in certificates(path)? {
            roots.add(certificate).map_err(|error| Error::File {
                path: path.clone(),
                why: format!("not a valid CA certificate: {error}"),
                hint: "pass the PEM file of the authority that signed the broker's certificate"
                    .into(),
            })?;
        }
        Ok(roots)
    }
}

/// Reads the certificates of a PEM file, at least one.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let text = std::fs::read(path).map_err(Error::read(path))?;
    let wrong = |why: String| Error::File {
        path: path.into(),
        why,
        hint: "the file must contain certificates in PEM format: -----BEGIN CERTIFICATE-----"
            .into(),
    };
    let certificates = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| wrong(error.to_string()))?;
    if certificates.is_empty() {
        return Err(wrong("the file contains no certificate".into()));
    }
    Ok(certificates)
}

/// Returns an error if other users may read a file with a secret.
pub fn check_private(path: &Path) -> Result<()> {
    let metadata = std::fs::metadata(path).map_err(Error::read(path))?;
    let mode = metadata.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(Error::Permissions {
            path: path.into(),
            mode,
        });
    }
    Ok(())
}

/// Reads a password from a file that only its owner may read. A trailing line break is removed.
pub fn read_password(path: &Path) -> Result<Zeroizing<String>> {
    check_private(path)?;
    let text = Zeroizing::new(std::fs::read_to_string(path).map_err(Error::read(path))?);
    let password = text.strip_suffix('\n').unwrap_or(&text);
    let password = password.strip_suffix('\r').unwrap_or(password);
    if password.is_empty() || password.contains('\n') {
        return Err(Error::File {
            path: path.into(),
            why: "the file is not one line with a password".into(),
            hint: "write only the password into the file".into(),
        });
    }
    Ok(Zeroizing::new(password.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn an_address_is_read() {
        let url = |text: &str| text.parse::<BrokerUrl>().expect(text);
        let full = url("mqtts://gateway@broker.example:1234");
        assert_eq!(
            (&*full.host, full.port, full.tls),
            ("broker.example", 1234, true)
        );
        assert_eq!(full.user.as_deref(), Some("gateway"));
        assert_eq!(url("mqtts://10.0.0.1").port, 8883);
        assert_eq!(url("mqtt://localhost").port, 1883);
        assert_eq!(full.to_string(), "broker.example:1234");
    }

    #[test]
    fn an_address_that_is_none_is_refused_and_no_password_repeated() {
        for (text, words) in [
            ("broker.example", "begin with mqtts://"),
            ("mqtts://", "host"),
            ("mqtts://h:0", "port"),
            ("mqtts://h:99999", "port"),
            ("mqtts://@h", "user name"),
            ("mqtts://a:secret@h", "contains a password"),
            ("mqtt://broker.example", "unencrypted"),
            ("mqtt://192.0.2.1", "unencrypted"),
            ("mqtts://a/b", "host"),
        ] {
            let error = text.parse::<BrokerUrl>().expect_err(text);
            let said = format!("{error} {}", error.hint().expect("a hint"));
            assert!(said.contains(words), "{text}: {said}");
            assert!(!said.contains("secret"), "{said}");
        }
    }

    #[test]
    fn a_password_comes_from_a_private_file_of_one_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("password");
        let write = |text: &str, mode| {
            std::fs::write(&path, text).expect("writes");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("chmod");
        };
        write("p w\u{e9}\n", 0o600);
        assert_eq!(read_password(&path).expect("read").as_str(), "p w\u{e9}");
        write("secret", 0o640);
        let error = read_password(&path).expect_err("refused");
        assert!(matches!(error, Error::Permissions { mode: 0o640, .. }));
        assert!(error.hint().expect("a hint").starts_with("chmod 600"));
        for text in ["", "\n", "a\nb\n"] {
            write(text, 0o600);
            assert!(matches!(read_password(&path), Err(Error::File { .. })));
        }
    }
}
