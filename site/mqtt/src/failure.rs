//! Reasons why a server cannot be reached, with a hint that says what to do: a broker here, a NATS
//! server in `selo-stream`.

use std::error::Error as _;
use std::io;

use rumqttc::v5::mqttbytes;
use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, DisconnectReasonCode};
use rumqttc::v5::{ConnectionError, StateError};
use rustls::{AlertDescription, CertificateError};

use crate::client::BrokerUrl;
use crate::error::Error;

/// Kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The broker does not answer, or the connection ended. It may recover by itself.
    Away,
    /// The host name does not resolve.
    UnknownHost,
    CertificateExpired,
    /// The broker's certificate is signed by an untrusted authority.
    UnknownAuthority,
    /// The broker's certificate is for other names.
    WrongName,
    /// Another TLS error.
    Tls,
    /// The broker requires a client certificate, or refuses the one that was sent.
    ClientCertificate,
    /// Wrong user name or password.
    Password,
    /// The broker's access list forbids the operation.
    NotAllowed,
    /// Another client with the same client id has connected, or has taken what this one had.
    TakenOver,
    /// The server has no place for readings: none yet, a full one, or one that would lose them.
    NoPlace,
    /// A local file is unusable.
    Configuration,
}

/// Reason why the server cannot be reached, or takes or gives nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: Kind,
    pub what: String,
    pub hint: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; hint: {}", self.what, self.hint)
    }
}

impl std::error::Error for Failure {}

impl Failure {
    pub fn new(kind: Kind, what: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure {
            kind,
            what: what.into(),
            hint: hint.into(),
        }
    }

    pub fn configuration(error: &Error) -> Failure {
        let hint = error.hint().unwrap_or_else(|| "correct the file".into());
        Failure::new(Kind::Configuration, error.to_string(), hint)
    }

    /// The broker refuses a topic.
    pub(crate) fn refused_topic(broker: &BrokerUrl, what: &str, topic: &str, why: &str) -> Failure {
        let user = broker.user.as_deref().unwrap_or("without a name");
        Failure::new(
            Kind::NotAllowed,
            format!("the broker {broker} does not let user {user} {what} {topic} ({why})"),
            "allow it in the broker's access list (docs/operator/mqtt.md), or check --site and \
            --gateway-name",
        )
    }

    pub(crate) fn of(broker: &BrokerUrl, error: &ConnectionError) -> Failure {
        if let Some(tls) = tls_error(error) {
            return of_tls(broker, tls);
        }
        let user = broker.user.as_deref().unwrap_or("without a name");
        let away = |what: String| {
            let hint = format!("is a TLS broker running at {broker}?");
            Failure::new(Kind::Away, what, hint)
        };
        match error {
            ConnectionError::ConnectionRefused(code) => match code {
                ConnectReturnCode::BadUserNamePassword | ConnectReturnCode::NotAuthorized => {
                    Failure::new(
                        Kind::Password,
                        format!("the broker {broker} refuses user {user}: wrong name or password"),
                        "check the name in --mqtt and the file of --mqtt-password-file",
                    )
                }
                code => away(format!(
                    "the broker {broker} refuses the connection: {code:?}"
                )),
            },
            ConnectionError::Timeout(_) => away(format!("{broker} does not answer")),
            ConnectionError::MqttState(StateError::ServerDisconnect { reason_code, .. })
                if *reason_code == DisconnectReasonCode::SessionTakenOver =>
            {
                Failure::new(
                    Kind::TakenOver,
                    format!("another client with the same client id has connected to {broker}"),
                    "give every gateway its own --gateway-name",
                )
            }
            ConnectionError::MqttState(StateError::ServerDisconnect { reason_code, .. })
                if *reason_code == DisconnectReasonCode::NotAuthorized =>
            {
                Failure::refused_topic(broker, "do", "this", "not authorised")
            }
            ConnectionError::MqttState(StateError::ServerDisconnect { reason_code, .. }) => away(
                format!("the broker {broker} ended the connection: {reason_code:?}"),
            ),
            error => match io_error(error) {
                Some(io) if io.kind() == io::ErrorKind::ConnectionRefused => {
                    away(format!("no server is listening at {broker}"))
                }
                Some(io) if is_lookup(io) => Failure::new(
                    Kind::UnknownHost,
                    format!("there is no host named {}", broker.host),
                    "check the name in --mqtt, and this machine's network",
                ),
                Some(io) => away(format!("the connection to {broker} failed: {io}")),
                None => away(format!("the connection to {broker} was lost: {error}")),
            },
        }
    }
}

fn is_lookup(error: &io::Error) -> bool {
    error.to_string().contains("failed to lookup address")
}

/// Finds the I/O error inside another error.
fn io_error(error: &ConnectionError) -> Option<&io::Error> {
    match error {
        ConnectionError::Io(io)
        | ConnectionError::MqttState(
            StateError::Io(io) | StateError::Deserialization(mqttbytes::Error::Io(io)),
        ) => return Some(io),
        _ => {}
    }
    let mut cause = error.source();
    while let Some(next) = cause {
        if let Some(io) = next.downcast_ref::<io::Error>() {
            return Some(io);
        }
        cause = next.source();
    }
    None
}

/// Finds the TLS error inside another error. It is wrapped in an I/O error.
fn tls_error(error: &ConnectionError) -> Option<&rustls::Error> {
    if let Some(found) = io_error(error).and_then(|io| io.get_ref()?.downcast_ref()) {
        return Some(found);
    }
    let mut cause = error.source();
    while let Some(next) = cause {
        if let Some(found) = next.downcast_ref() {
            return Some(found);
        }
        cause = next.source();
    }
    None
}

/// The failure that an error of TLS means.
fn of_tls(broker: &BrokerUrl, error: &rustls::Error) -> Failure {
    let known = match error {
        rustls::Error::InvalidCertificate(reason) => of_certificate(broker, reason, "--mqtt"),
        _ => None,
    };
    if let Some(failure) = known {
        return failure;
    }
    match error {
        rustls::Error::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::AccessDenied
            | AlertDescription::HandshakeFailure,
        ) => Failure::new(
            Kind::ClientCertificate,
            format!(
                "the broker {broker} requires a client certificate, or refuses the one that was \
                sent: {error}"
            ),
            "pass one that it trusts with --mqtt-certificate FILE and --mqtt-key FILE",
        ),
        error => Failure::new(
            Kind::Tls,
            format!("TLS with {broker} failed: {error}"),
            "is it a TLS broker at this port?",
        ),
    }
}

/// The failure that an invalid certificate of a server means, if its reason has a name here. `option`
/// is that with the server's address.
pub fn of_certificate(
    server: &BrokerUrl,
    reason: &CertificateError,
    option: &str,
) -> Option<Failure> {
    let host = &server.host;
    let failure = match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => Failure::new(
            Kind::CertificateExpired,
            format!("the certificate of {server} has expired"),
            "renew it there (`selo setup DIR` renews its own), and check that this machine's clock \
            is right",
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            Failure::new(
                Kind::CertificateExpired,
                format!("the certificate of {server} is not valid yet"),
                "check that this machine's clock is right",
            )
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => Failure::new(
            Kind::UnknownAuthority,
            format!(
                "the certificate of {server} is signed by an authority that this machine does \
                not trust; the connection may be intercepted"
            ),
            format!(
                "name the authority that signed it with {option}-ca FILE (ca.pem of `selo setup`)"
            ),
        ),
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names: Vec<_> = presented.iter().map(|name| plain_name(name)).collect();
            Failure::new(
                Kind::WrongName,
                format!(
                    "the certificate of {server} is not for '{host}', but for {}",
                    names.join(", ")
                ),
                format!(
                    "use one of these names in {option}, or give the server a certificate with this \
                    name (`selo setup DIR --name NAME`)"
                ),
            )
        }
        CertificateError::NotValidForName => Failure::new(
            Kind::WrongName,
            format!("the certificate of {server} is not for '{host}'"),
            format!("use a name from the certificate in {option}"),
        ),
        _ => return None,
    };
    Some(failure)
}

/// Turns `DnsName("localhost")` into `localhost`.
fn plain_name(name: &str) -> &str {
    name.split_once("(\"")
        .and_then(|(_, rest)| rest.strip_suffix("\")"))
        .or_else(|| {
            name.split_once('(')
                .and_then(|(_, rest)| rest.strip_suffix(')'))
        })
        .unwrap_or(name)
}
