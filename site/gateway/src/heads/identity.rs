//! The key of a head or of a gateway, with its certificate. Each end knows the other's certificate and
//! accepts no other: there is no authority, and no date that a wrong clock could miss.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertificateParams, DnType, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// The name of every certificate. Nothing depends on it.
pub(super) const NAME: &str = "selo";

/// A private key with its certificate, in base64.
#[derive(Clone, Serialize, Deserialize)]
pub struct Identity {
    /// PKCS #8.
    pub(super) key: Zeroizing<String>,
    pub(super) certificate: String,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}

impl Identity {
    /// Draws a key.
    pub fn new() -> Result<Identity> {
        let failed = |error: rcgen::Error| Error::Random(error.to_string());
        let key = KeyPair::generate().map_err(failed)?;
        let mut params = CertificateParams::new(vec![NAME.to_owned()]).map_err(failed)?;
        params.distinguished_name.push(DnType::CommonName, NAME);
        let certificate = params.self_signed(&key).map_err(failed)?;
        let der = Zeroizing::new(key.serialize_der());
        Ok(Identity {
            key: Zeroizing::new(STANDARD.encode(&*der)),
            certificate: STANDARD.encode(certificate.der()),
        })
    }

    /// The certificate in base64.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// For TLS. `None` if a text is not base64.
    pub(super) fn parts(&self) -> Option<(CertificateDer<'static>, PrivateKeyDer<'static>)> {
        let key = STANDARD.decode(&*self.key).ok()?;
        let key = PrivatePkcs8KeyDer::from(key);
        Some((certificate(&self.certificate)?, key.into()))
    }
}

/// A certificate from base64.
pub(super) fn certificate(text: &str) -> Option<CertificateDer<'static>> {
    Some(STANDARD.decode(text).ok()?.into())
}
