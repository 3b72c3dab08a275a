//! Reasons why the stream cannot be used, with a hint that says what to do.

use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::{Error as Answer, ErrorCode};
use async_nats::{ConnectError, ConnectErrorKind};
use selo_mqtt::client::BrokerUrl;
use selo_mqtt::failure::of_certificate;
pub use selo_mqtt::failure::{Failure, Kind};

pub(crate) fn away(server: &BrokerUrl, what: &str) -> Failure {
    Failure::new(
        Kind::Away,
        format!("the NATS server {server} {what}"),
        format!("is nats-server with JetStream running at {server}?"),
    )
}

/// The consumer of a partition is gone, or is of a later owner.
pub(crate) fn taken(partition: u16) -> Failure {
    Failure::new(
        Kind::TakenOver,
        format!("another collector has taken partition {partition} of the stream"),
        "this collector continues with its other partitions",
    )
}

/// The server refused a subject.
pub(crate) fn refused(server: &BrokerUrl, what: &str) -> Failure {
    let user = server.user.as_deref().unwrap_or("without a name");
    Failure::new(
        Kind::NotAllowed,
        format!("the NATS server {server} refuses user {user}: {what}"),
        "allow it in the permissions of the server (docs/operator/stream.md), or check --site \
        and --gateway-name",
    )
}

pub(crate) fn no_stream(server: &BrokerUrl, name: &str) -> Failure {
    Failure::new(
        Kind::NoPlace,
        format!("the NATS server {server} has no stream {name}"),
        "start `selo collect --stream` with the same --site, which makes it; JetStream must \
        be on (nats-server -js)",
    )
}

pub(crate) fn connect(server: &BrokerUrl, error: &ConnectError) -> Failure {
    let user = server.user.as_deref().unwrap_or("without a name");
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            Failure::new(
                Kind::Password,
                format!("the NATS server {server} refuses user {user}"),
                "check the user in --stream and the file of --stream-password-file or \
                --stream-credentials",
            )
        }
        ConnectErrorKind::TimedOut => away(server, "does not answer"),
        ConnectErrorKind::Dns => {
            let what = format!("the host name of {server} does not resolve");
            Failure::new(Kind::Away, what, "check --stream, and the network")
        }
        _ => of_cause(server, error),
    }
}

pub(crate) fn publish(server: &BrokerUrl, stream: &str, error: &PublishError) -> Failure {
    match error.kind() {
        PublishErrorKind::StreamNotFound => no_stream(server, stream),
        PublishErrorKind::TimedOut | PublishErrorKind::BrokenPipe => {
            away(server, "does not acknowledge readings")
        }
        _ => match cause::<Answer>(error) {
            Some(answer) => answered(server, stream, answer),
            None => away(server, &format!("takes no readings: {error}")),
        },
    }
}

/// What a JetStream server answered.
pub(crate) fn answered(server: &BrokerUrl, stream: &str, answer: &Answer) -> Failure {
    let code = answer.error_code();
    let full = [
        ErrorCode::STREAM_STORE_FAILED,
        ErrorCode::STREAM_MESSAGE_EXCEEDS_MAXIMUM,
        ErrorCode::STORAGE_RESOURCES_EXCEEDED,
        ErrorCode::INSUFFICIENT_RESOURCES,
    ];
    let text = answer.to_string();
    if code == ErrorCode::STREAM_NOT_FOUND {
        return no_stream(server, stream);
    }
    if full.contains(&code) || text.contains("maximum") {
        return Failure::new(
            Kind::NoPlace,
            format!("the stream {stream} at {server} takes no readings: {text}"),
            "start more collectors, or raise max_bytes of the stream",
        );
    }
    away(server, &format!("refuses a request: {text}"))
}

/// Finds an error among the causes of another.
fn cause<'a, E: std::error::Error + 'static>(
    error: &'a (dyn std::error::Error + 'static),
) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // An error of input and output hides the one that it wraps.
        let inner = error.downcast_ref::<std::io::Error>();
        let wrapped = inner.and_then(|error| error.get_ref());
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

fn of_cause(server: &BrokerUrl, error: &ConnectError) -> Failure {
    let found = cause::<rustls::Error>(error);
    if let Some(rustls::Error::InvalidCertificate(why)) = found
        && let Some(failure) = of_certificate(server, why, "--stream")
    {
        return failure;
    }
    match found {
        Some(rustls::Error::AlertReceived(alert)) => Failure::new(
            Kind::ClientCertificate,
            format!("the NATS server {server} ends the TLS connection: {alert:?}"),
            "if it wants a certificate of its clients, pass --stream-certificate and --stream-key",
        ),
        Some(other) => Failure::new(
            Kind::Tls,
            format!("TLS with the NATS server {server} fails: {other}"),
            "check that the server has TLS, or use nats:// on this machine",
        ),
        None => away(
            server,
            &format!("is unreachable: {}", selo_base::report::chain(error)),
        ),
    }
}
