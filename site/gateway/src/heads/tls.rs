//! TLS 1.3 between heads and gateways. Each end accepts the certificates it was given, byte for byte.
//! Nothing here reads the clock, so a head without a clock connects.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::NoServerSessionStorage;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, ServerConfig,
    SignatureScheme,
};
use selo_tls::{Group, Suite, provider};

use super::identity::{Identity, NAME, certificate};
use crate::error::{Error, Result};

fn our_provider() -> Arc<CryptoProvider> {
    provider(&Suite::ALL, &[Group::X25519MlKem768, Group::X25519])
}

fn unusable(error: rustls::Error) -> Error {
    Error::Invalid(format!(
        "a key or certificate of a head is not usable: {error}"
    ))
}

/// A head that may connect.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub(super) name: String,
    pub(super) number: u16,
    /// DER.
    pub(super) certificate: Vec<u8>,
    pub(super) knock: String,
}

/// The heads that may connect.
#[derive(Debug, Default)]
pub(super) struct Known(RwLock<Lists>);

#[derive(Debug, Default)]
struct Lists {
    by_certificate: HashMap<Vec<u8>, (String, u16)>,
    by_knock: HashMap<String, u16>,
}

impl Known {
    pub(super) fn set(&self, heads: Vec<Expected>) {
        let mut lists = Lists::default();
        for head in heads {
            lists.by_knock.insert(name_of(&head.knock), head.number);
            lists
                .by_certificate
                .insert(head.certificate, (head.name, head.number));
        }
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = lists;
    }

    /// Name and number of the head with this certificate.
    pub(super) fn find(&self, certificate: &[u8]) -> Option<(String, u16)> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.by_certificate.get(certificate).cloned()
    }

    /// The number of the head that asks for this name.
    pub(super) fn knocks(&self, name: &str) -> Option<u16> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.by_knock.get(name).copied()
    }
}

/// The name that a head asks for in its first bytes: its knock. An eavesdropper sees it, and can then
/// hold up this head's handshakes; others cannot.
fn name_of(knock: &str) -> String {
    format!("{knock}.{NAME}")
}

/// The gateway's side.
pub(super) fn server(identity: &Identity, known: Arc<Known>) -> Result<Arc<ServerConfig>> {
    let provider = our_provider();
    let (certificate, key) = identity
        .parts()
        .ok_or_else(|| unusable(rustls::Error::NoCertificatesPresented))?;
    let verifier = Arc::new(KnownHeads {
        known,
        provider: provider.clone(),
    });
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(unusable)?
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![certificate], key)
        .map_err(unusable)?;
    // A resumed session would not present its certificate, and a removed head could come back.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}

/// The head's side, for the gateway with this certificate.
pub(crate) fn client(identity: &Identity, gateway: &str) -> Result<Arc<ClientConfig>> {
    let provider = our_provider();
    let damaged = || unusable(rustls::Error::NoCertificatesPresented);
    let (own, key) = identity.parts().ok_or_else(damaged)?;
    let verifier = Arc::new(OneGateway {
        certificate: certificate(gateway).ok_or_else(damaged)?,
        provider: provider.clone(),
    });
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_client_auth_cert(vec![own], key)
        .map_err(unusable)?;
    Ok(Arc::new(config))
}

/// The name that a head with this knock asks for.
pub(crate) fn server_name(knock: &str) -> Option<ServerName<'static>> {
    ServerName::try_from(name_of(knock)).ok()
}

fn stranger() -> rustls::Error {
    rustls::Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)
}

fn only_13() -> rustls::Error {
    rustls::Error::General("only TLS 1.3 is offered".into())
}

/// Both ends check signatures alike: those of TLS 1.3, by the algorithms of the provider.
macro_rules! signatures_by_the_provider {
    () => {
        fn verify_tls12_signature(
            &self,
            _: &[u8],
            _: &CertificateDer<'_>,
            _: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, rustls::Error> {
            Err(only_13())
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signed: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, rustls::Error> {
            let algorithms = &self.provider.signature_verification_algorithms;
            verify_tls13_signature(message, certificate, signed, algorithms)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.provider
                .signature_verification_algorithms
                .supported_schemes()
        }
    };
}

#[derive(Debug)]
struct OneGateway {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for OneGateway {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match *end_entity == self.certificate {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(stranger()),
        }
    }

    signatures_by_the_provider! {}
}

#[derive(Debug)]
struct KnownHeads {
    known: Arc<Known>,
    provider: Arc<CryptoProvider>,
}

impl ClientCertVerifier for KnownHeads {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        match self.known.find(end_entity) {
            Some(_) => Ok(ClientCertVerified::assertion()),
            None => Err(stranger()),
        }
    }

    signatures_by_the_provider! {}
}
