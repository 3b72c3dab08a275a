//! A certificate authority, a certificate that it signs, and servers that use it.

use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use selo_exchange::serving::Server;
use selo_exchange::tls::server::{self, Options};
use selo_exchange::tls::{Group, Suite};

pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::new([]).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key");
        Authority(CertifiedIssuer::self_signed(params, key).expect("an authority"))
    }

    pub fn der(&self) -> CertificateDer<'static> {
        self.0.der().clone()
    }

    /// A certificate for `localhost`, valid from one day to another, both relative to today.
    pub fn options(&self, from: i64, until: i64) -> Options {
        let mut params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let now = time::OffsetDateTime::now_utc();
        params.not_before = now + time::Duration::days(from);
        params.not_after = now + time::Duration::days(until);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("signed");
        Options {
            chain: vec![certificate.der().clone()],
            key: PrivateKeyDer::try_from(key.serialize_der()).expect("a key"),
            suites: Suite::ALL.to_vec(),
            groups: Group::ALL.to_vec(),
            timeout: Duration::from_secs(20),
            max_clients: 8,
            tickets: true,
        }
    }
}

pub fn start(options: Options) -> Server {
    server::start("127.0.0.1:0", options, None, |_| {}).expect("a server")
}
