//! TLS to PostgreSQL, requested by `sslmode` and `sslrootcert` in the connection string, with
//! libpq's semantics [POSTGRESQL, 34.19].

use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use selo_mqtt::client::certificates;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// A connection string, or a certificate authority, that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Invalid(String),
    #[error(transparent)]
    Certificate(#[from] selo_mqtt::Error),
}

/// The result of reading TLS parameters.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Required protection of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Never use TLS.
    Disable,
    /// Use TLS if the server offers it. An attacker in the middle can remove it.
    Prefer,
    /// Encrypt. Verify the certificate only if an authority is named.
    Require,
    /// Verify that the server's certificate is signed by the authority.
    VerifyCa,
    /// Also verify the server's name.
    VerifyFull,
}

/// The TLS parameters of a connection string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Security {
    /// Required protection of the connection.
    pub mode: Mode,
    /// PEM file of the authority. Without one, verification uses the system's authorities.
    pub root: Option<PathBuf>,
}

impl Security {
    /// Extracts the TLS parameters from a connection string. The rest is for the client.
    pub fn of_url(url: &str) -> Result<(String, Security)> {
        let mut security = Security {
            mode: Mode::Prefer,
            root: None,
        };
        let Some((base, query)) = url.split_once('?') else {
            return Ok((url.into(), security));
        };
        let mut rest = Vec::new();
        for parameter in query.split('&') {
            match parameter.split_once('=') {
                Some(("sslmode", mode)) => {
                    security.mode = match mode {
                        "disable" => Mode::Disable,
                        "prefer" => Mode::Prefer,
                        "require" => Mode::Require,
                        "verify-ca" => Mode::VerifyCa,
                        "verify-full" => Mode::VerifyFull,
                        other => {
                            return Err(Error::Invalid(format!(
                                "sslmode={other} is not one of disable, prefer, require, \
                                verify-ca, verify-full"
                            )));
                        }
                    }
                }
                Some(("sslrootcert", "system")) => security.root = None,
                Some(("sslrootcert", file)) => security.root = Some(unescaped(file)?.into()),
                _ => rest.push(parameter),
            }
        }
        let mut url = base.to_owned();
        if !rest.is_empty() {
            url = format!("{base}?{}", rest.join("&"));
        }
        Ok((url, security))
    }

    /// The TLS mode in the terms of the client.
    pub(crate) fn ssl_mode(&self) -> SslMode {
        match self.mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        }
    }

    /// Reads the authority. `None`: without TLS.
    pub(crate) fn rustls(&self) -> Result<Option<MakeRustlsConnect>> {
        let internal = |error: &dyn std::fmt::Display| {
            Error::Certificate(selo_mqtt::Error::Internal(error.to_string()))
        };
        let provider = Arc::new(default_provider());
        let verify = match self.mode {
            Mode::Disable => return Ok(None),
            Mode::Prefer => None,
            Mode::Require => self.root.is_some().then_some(false),
            Mode::VerifyCa => Some(false),
            Mode::VerifyFull => Some(true),
        };
        let verifier = match verify {
            None => None,
            Some(_) => {
                let roots = Arc::new(self.roots()?);
                let built =
                    WebPkiServerVerifier::builder_with_provider(roots, provider.clone()).build();
                Some(built.map_err(|error| internal(&error))?)
            }
        };
        let check = Check {
            inner: verifier,
            name: verify == Some(true),
            provider: provider.clone(),
        };
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| internal(&error))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(check))
            .with_no_client_auth();
        Ok(Some(MakeRustlsConnect::new(tls)))
    }

    fn roots(&self) -> Result<RootCertStore> {
        let mut roots = RootCertStore::empty();
        let Some(path) = &self.root else {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                return Err(Error::Invalid(
                    "this machine has no certificate authorities; name the authority of \
                    PostgreSQL's certificate with sslrootcert=FILE"
                        .into(),
                ));
            }
            return Ok(roots);
        };
        for certificate in certificates(path)? {
            roots
                .add(certificate)
                .map_err(|error| selo_mqtt::Error::File {
                    path: path.clone(),
                    why: format!("not a valid CA certificate: {error}"),
                    hint: "the PEM file of the authority that signed PostgreSQL's certificate"
                        .into(),
                })?;
        }
        Ok(roots)
    }
}

/// Decodes percent escapes, such as `%2F` to `/`.
fn unescaped(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || {
            let digit = char::from(rest.next()?).to_digit(16)?;
            u8::try_from(digit).ok()
        };
        bytes.push(match byte {
            b'%' => match (digit(), digit()) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => {
                    return Err(Error::Invalid(
                        "the connection string has a % that is not followed by two hexadecimal \
                        digits"
                            .into(),
                    ));
                }
            },
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|error| Error::Invalid(error.to_string()))
}

/// The certificate checks of a mode. Every mode verifies that the server holds the certificate's
/// private key.
#[derive(Debug)]
struct Check {
    /// `None` accepts any certificate.
    inner: Option<Arc<WebPkiServerVerifier>>,
    /// True if the certificate must match the server's name.
    name: bool,
    provider: Arc<rustls::crypto::CryptoProvider>,
}

impl ServerCertVerifier for Check {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(inner) = &self.inner else {
            return Ok(ServerCertVerified::assertion());
        };
        let verified =
            inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // rustls checks the name last, so this error means that all other checks passed.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.name => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// Explains an error that has a TLS cause, and says what to do. Returns `None` for other errors.
pub fn why(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(tls) = find_tls(error) {
            return Some(match tls {
                rustls::Error::InvalidCertificate(
                    CertificateError::UnknownIssuer | CertificateError::BadSignature,
                ) => "its certificate is signed by an authority that this machine does not \
                    trust; name that authority with sslrootcert=FILE"
                    .into(),
                rustls::Error::InvalidCertificate(
                    CertificateError::Expired | CertificateError::ExpiredContext { .. },
                ) => "its certificate has expired; renew it on the server, and check this \
                    machine's clock"
                    .into(),
                rustls::Error::InvalidCertificate(
                    CertificateError::NotValidForName
                    | CertificateError::NotValidForNameContext { .. },
                ) => "its certificate is for another name; connect by a name in the \
                    certificate, or set sslmode=verify-ca"
                    .into(),
                other => format!("TLS: {other}"),
            });
        }
        if error.to_string().contains("server does not support TLS") {
            return Some(
                "it does not offer TLS, but sslmode requires it; set ssl = on in its \
                postgresql.conf"
                    .into(),
            );
        }
        cause = error.source();
    }
    None
}

/// rustls errors are wrapped in I/O errors.
fn find_tls<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    error.downcast_ref::<rustls::Error>().or_else(|| {
        error
            .downcast_ref::<std::io::Error>()?
            .get_ref()?
            .downcast_ref()
    })
}
