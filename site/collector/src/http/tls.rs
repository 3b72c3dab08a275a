//! The server's TLS certificate. It is read at the start and again when its files change, so a
//! renewal needs no restart.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{DEFAULT_VERSIONS, ServerConfig, SupportedProtocolVersion};
use selo_mqtt::certificate;
use selo_mqtt::client::{certificates, check_private};
use selo_tls::hybrid::X25519MlKem768;
use selo_tls::{Group, Suite, provider};
use tokio::sync::Notify;

use crate::error::Result;

/// Interval at which the files are checked for changes.
const LOOK: Duration = Duration::from_secs(2);
/// Below this remaining validity, a warning is logged once a day.
const WARN_DAYS: i64 = 30;
const DAY: Duration = Duration::from_secs(86_400);

/// PEM files: the certificate chain, and the private key of its first certificate (mode 0600).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// TLS parameters that the server offers. The default is everything that rustls has for TLS 1.2
/// and 1.3, with X25519MLKEM768. If suites or key exchanges are named, only TLS 1.3 with these is
/// offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// Suites in order of preference. Empty: all.
    pub suites: Vec<Suite>,
    pub groups: Vec<Group>,
    /// Disables session tickets, so no client can resume a session or must support tickets.
    pub without_tickets: bool,
}

const NEW: &[&SupportedProtocolVersion] = &[&TLS13];

impl Offer {
    fn is_all(&self) -> bool {
        self.suites.is_empty() && self.groups.is_empty()
    }

    fn provider(&self) -> Arc<CryptoProvider> {
        if self.is_all() {
            let mut all = default_provider();
            all.kx_groups.push(&X25519MlKem768);
            return Arc::new(all);
        }
        let suites = match &self.suites[..] {
            [] => &Suite::ALL[..],
            some => some,
        };
        let groups = match &self.groups[..] {
            [] => &Group::ALL[..],
            some => some,
        };
        provider(suites, groups)
    }

    fn versions(&self) -> &'static [&'static SupportedProtocolVersion] {
        if self.is_all() { DEFAULT_VERSIONS } else { NEW }
    }
}

/// Modification time and size of both files. A write changes it.
type Stamp = [Option<(SystemTime, u64)>; 2];

impl TlsFiles {
    fn stamp(&self) -> Stamp {
        [&self.certificate, &self.key].map(|path: &PathBuf| {
            let metadata = std::fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        })
    }

    fn wrong(path: &Path, why: String, hint: &str) -> selo_mqtt::Error {
        selo_mqtt::Error::File {
            path: path.into(),
            why,
            hint: hint.into(),
        }
    }

    /// Reads both files. Checks that the key belongs to the certificate, and that the certificate
    /// has not expired. Returns it with its remaining days.
    fn load(&self, provider: &CryptoProvider) -> Result<(CertifiedKey, i64)> {
        check_private(&self.key)?;
        let chain = certificates(&self.certificate)?;
        let days = certificate::read(&self.certificate)?.days_left;
        if days < 0 {
            let why = "the certificate has expired, so no browser would connect";
            let hint = "renew it at its issuer (`selo setup DIR` renews its own), and check \
                that this machine's clock is right";
            return Err(Self::wrong(&self.certificate, why.into(), hint).into());
        }
        let bad = |why: String| {
            let hint = "pass the private key of the certificate, in PEM format";
            Self::wrong(&self.key, why, hint)
        };
        let key =
            PrivateKeyDer::from_pem_file(&self.key).map_err(|error| bad(error.to_string()))?;
        let pair = CertifiedKey::from_der(chain, key, provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => bad(format!(
                "it is not the private key of {}",
                self.certificate.display()
            )),
            error => bad(error.to_string()),
        })?;
        Ok((pair, days))
    }
}

struct Current {
    pair: Arc<CertifiedKey>,
    stamp: Stamp,
}

/// The certificate for new connections.
pub struct Tls {
    files: TlsFiles,
    offer: Offer,
    provider: Arc<CryptoProvider>,
    current: RwLock<Current>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tls({})", self.files.certificate.display())
    }
}

impl Tls {
    /// Loads the certificate. Returns an error if it is unusable or has expired.
    pub fn load(files: TlsFiles, offer: Offer) -> Result<Arc<Tls>> {
        let provider = offer.provider();
        let stamp = files.stamp();
        let (pair, days) = files.load(&provider)?;
        warn(&files, days);
        let pair = Arc::new(pair);
        Ok(Arc::new(Tls {
            files,
            offer,
            provider,
            current: RwLock::new(Current { pair, stamp }),
        }))
    }

    /// The server configuration, which always uses the current certificate.
    pub fn config(self: &Arc<Self>) -> Result<Arc<ServerConfig>> {
        let mut config = ServerConfig::builder_with_provider(self.provider.clone())
            .with_protocol_versions(self.offer.versions())
            .map_err(|error| selo_mqtt::Error::Internal(error.to_string()))?
            .with_no_client_auth()
            .with_cert_resolver(self.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        if self.offer.without_tickets {
            config.send_tls13_tickets = 0;
        }
        Ok(Arc::new(config))
    }

    /// Reads the files again. If they are unusable, the current certificate stays.
    fn reload(&self, stamp: Stamp) {
        let loaded = self.files.load(&self.provider);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        // Complain about a bad pair of files only once.
        current.stamp = stamp;
        let file = self.files.certificate.display();
        match loaded {
            Ok((pair, days)) => {
                current.pair = Arc::new(pair);
                tracing::info!(%file, days, "the certificate was reloaded");
            }
            Err(error) => tracing::error!(
                "the old certificate stays in use: {error}; hint: {}",
                error.hint().unwrap_or_default()
            ),
        }
    }

    /// Runs `look` on a thread that may block on a disk.
    async fn looking<T: Send + 'static>(
        self: &Arc<Self>,
        look: impl FnOnce(&Tls) -> T + Send + 'static,
    ) -> Option<T> {
        let tls = self.clone();
        tokio::task::spawn_blocking(move || look(&tls)).await.ok()
    }

    /// Reloads the files when they change or when `asked` is notified, until the runtime ends.
    pub async fn watch(self: Arc<Self>, asked: Arc<Notify>) {
        let mut before = self.looking(|tls| tls.files.stamp()).await;
        let mut warned = Instant::now();
        loop {
            let told = tokio::select! {
                () = tokio::time::sleep(LOOK) => false,
                () = asked.notified() => true,
            };
            let now = self.looking(|tls| tls.files.stamp()).await;
            let known = self
                .current
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .stamp;
            // The two files are not replaced atomically. Read them when both have been unchanged
            // for one interval.
            if let Some(stamp) = now.filter(|stamp| told || *stamp != known && now == before) {
                self.looking(move |tls| tls.reload(stamp)).await;
            }
            before = now;
            if warned.elapsed() >= DAY {
                warned = Instant::now();
                self.looking(|tls| {
                    if let Ok(facts) = certificate::read(&tls.files.certificate) {
                        warn(&tls.files, facts.days_left);
                    }
                })
                .await;
            }
        }
    }
}

fn warn(files: &TlsFiles, days: i64) {
    let file = files.certificate.display();
    if days < 0 {
        tracing::error!(%file, "the certificate has expired; hint: renew it at its issuer");
    } else if days < WARN_DAYS {
        tracing::warn!(%file, days, "the certificate expires soon; hint: renew it at its issuer");
    }
}

impl ResolvesServerCert for Tls {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Some(current.pair.clone())
    }
}
