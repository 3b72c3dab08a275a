//! The embedded broker: the crate mqtt5, with users and rights from Mosquitto's files, TLS, and
//! no persistence. It needs none: gateways publish lost readings again (`--until stored`), and
//! the next reading restores a retained message.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::mpsc as std_mpsc;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use mqtt5::broker::config::{BrokerConfig as Settings, StorageBackend, StorageConfig};
use mqtt5::broker::{BrokerShutdownHandle, MqttBroker};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing::{info, warn};

use crate::access::Rights;
use crate::certificate::{self, Files, Renewal};
use crate::client::{certificates, check_private};
use crate::error::{Error, Result};
use crate::front::{Front, Limits, Visitors};
use crate::guard::{Counting, Guard, SESSION_MAX};

/// Maximum packet size in bytes.
const PACKET_MAX: usize = 1 << 20;
/// Receive maximum of one publisher: its unacknowledged messages.
const RECEIVE_MAX: u16 = 1000;
/// Maximum queued messages for a subscriber that is offline or slow.
const QUEUE_MAX: usize = 100_000;
/// Maximum bytes of these messages.
const QUEUE_BYTES_MAX: usize = 8 << 20;
/// How often certificates are looked at: soon after somebody sets a wrong clock.
const CERTIFICATES: Duration = Duration::from_secs(10);

/// Configuration of an embedded broker.
#[derive(Debug, Clone)]
pub struct BrokerConfig {
    /// Port 0 selects a free port, for tests.
    pub listen: SocketAddr,
    /// Server certificate chain and its key, PEM files.
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Also require a client certificate of these authorities, in addition to the password.
    pub client_ca: Option<PathBuf>,
    /// Password and ACL files in Mosquitto's format.
    pub passwords: PathBuf,
    pub acl: PathBuf,
    /// Renews the certificate before it expires: the authority's files, and the names.
    pub renew: Option<(Files, Vec<String>)>,
    pub limits: Limits,
}

impl BrokerConfig {
    /// Uses the files of `selo setup` in a folder.
    pub fn of_folder(folder: &std::path::Path, listen: SocketAddr) -> BrokerConfig {
        let files = Files::of(folder);
        BrokerConfig {
            listen,
            certificate: files.server.clone(),
            key: files.server_key.clone(),
            client_ca: None,
            passwords: folder.join("passwords"),
            acl: folder.join("acl"),
            renew: None,
            limits: Limits::default(),
        }
    }
}

/// A running broker. Dropping it stops it.
#[derive(Debug)]
pub struct Broker {
    listen: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Broker {
    /// Starts a broker on threads of its own. Returns when it is listening.
    pub fn start(config: BrokerConfig) -> Result<Broker> {
        check(&config)?;
        // mqtt5 needs a process-wide crypto provider. Another one may be installed already.
        _ = rustls::crypto::ring::default_provider().install_default();
        let internal = |error: std::io::Error| Error::Internal(error.to_string());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("broker")
            .enable_all()
            .build()
            .map_err(internal)?;
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let (ready, started) = std_mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("broker".into())
            .spawn(move || {
                runtime.block_on(run(config, stopped, ready));
                runtime.shutdown_timeout(Duration::from_secs(2));
            })
            .map_err(internal)?;
        let ended = || Error::Internal("the broker has ended".into());
        let listen = started.recv().map_err(|_| ended())??;
        info!(%listen, "the embedded broker is listening");
        Ok(Broker {
            listen,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Address on which it listens.
    pub fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// Stops the broker and waits until it has ended.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(stop) = self.stop.take() {
            _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.end();
    }
}

/// Checks the files now, because later failures are harder to trace.
fn check(config: &BrokerConfig) -> Result<()> {
    check_private(&config.key)?;
    certificates(&config.certificate)?;
    let days = certificate::read(&config.certificate)?.days_left;
    if days < 0 {
        return Err(Error::File {
            path: config.certificate.clone(),
            why: "the broker's certificate has expired, so no client could connect".into(),
            hint: "renew it; `selo setup DIR` does so if it created the authority".into(),
        });
    }
    if days < 30 {
        let file = config.certificate.display();
        warn!(%file, days, "the broker's certificate expires soon");
    }
    Rights::load(&config.passwords, &config.acl).map(|_| ())
}

/// Runs the broker behind the listener, and restarts it if it ends.
async fn run(
    config: BrokerConfig,
    mut stopped: tokio::sync::oneshot::Receiver<()>,
    ready: std_mpsc::Sender<Result<SocketAddr>>,
) {
    let (listener, listen, tls) = match listen(&config).await {
        Ok(opened) => opened,
        Err(error) => {
            _ = ready.send(Err(error));
            return;
        }
    };
    let visitors = Visitors::new(config.limits.clone());
    let (tell, inner) = watch::channel(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let mut front = Some(Front {
        listener,
        tls: tls.clone(),
        visitors: visitors.clone(),
        inner,
    });
    let mut ready = Some(ready);
    loop {
        let (mut broker, handle) = match open(&config, &visitors).await {
            Ok(opened) => opened,
            Err(error) => match ready.take() {
                Some(ready) => {
                    _ = ready.send(Err(error));
                    return;
                }
                None => {
                    warn!(%error, "the embedded broker failed to restart; will retry");
                    tokio::select! {
                        _ = &mut stopped => return,
                        () = tokio::time::sleep(Duration::from_secs(1)) => continue,
                    }
                }
            },
        };
        if let Some(address) = broker.local_addr() {
            _ = tell.send(address);
        }
        let mut accepting = broker.ready_receiver();
        let running = tokio::spawn(async move { broker.run().await });
        _ = accepting.wait_for(|ready| *ready).await;
        // Accept clients only once the broker is running.
        if let Some(front) = front.take() {
            tokio::spawn(front.run());
        }
        if let Some(ready) = ready.take() {
            _ = ready.send(Ok(listen));
        }
        let over = wait(&config, &tls, &mut stopped, running, handle).await;
        if over {
            return;
        }
    }
}

/// The socket, its address, and the current TLS configuration.
type Listening = (TcpListener, SocketAddr, Arc<RwLock<Arc<ServerConfig>>>);

async fn listen(config: &BrokerConfig) -> Result<Listening> {
    let listener = TcpListener::bind(config.listen)
        .await
        .map_err(|error| listening(config, &error))?;
    let address = listener
        .local_addr()
        .map_err(|error| listening(config, &error))?;
    Ok((listener, address, Arc::new(RwLock::new(server(config)?))))
}

fn listening(config: &BrokerConfig, error: &std::io::Error) -> Error {
    Error::Listen {
        address: config.listen,
        why: error.to_string(),
    }
}

/// Builds the listener's TLS configuration from the current files.
fn server(config: &BrokerConfig) -> Result<Arc<ServerConfig>> {
    check_private(&config.key)?;
    let bad = |path: &PathBuf, why: String| Error::File {
        path: path.clone(),
        why,
        hint: "pass a certificate chain and its key in PEM format, as `selo setup DIR` creates \
            them"
            .into(),
    };
    let chain = certificates(&config.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&config.key)
        .map_err(|error| bad(&config.key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Internal(error.to_string()))?;
    let builder = match &config.client_ca {
        None => builder.with_no_client_auth(),
        Some(ca) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(ca)? {
                roots
                    .add(authority)
                    .map_err(|error| bad(ca, error.to_string()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .map_err(|error| bad(ca, error.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let server = builder
        .with_single_cert(chain, key)
        .map_err(|error| bad(&config.certificate, error.to_string()))?;
    Ok(Arc::new(server))
}

/// Renews the certificate if necessary, and passes it to the listener. Open connections continue.
fn renew(config: &BrokerConfig, tls: &RwLock<Arc<ServerConfig>>) {
    let Some((files, names)) = &config.renew else {
        return;
    };
    match certificate::ensure(files, names) {
        Ok(Renewal::Made(why)) => match server(config) {
            Ok(new) => {
                *tls.write().unwrap_or_else(PoisonError::into_inner) = new;
                info!(%why, "the broker's certificate was renewed");
            }
            Err(error) => warn!(%error, "the broker's new certificate is unusable"),
        },
        Ok(_) => {}
        Err(error) => warn!(%error, "cannot renew the broker's certificate"),
    }
}

/// Waits. Returns true if the broker must stop, false if it must restart.
async fn wait(
    config: &BrokerConfig,
    tls: &RwLock<Arc<ServerConfig>>,
    stopped: &mut tokio::sync::oneshot::Receiver<()>,
    mut running: tokio::task::JoinHandle<mqtt5::error::Result<()>>,
    handle: BrokerShutdownHandle,
) -> bool {
    let mut clock = tokio::time::interval(CERTIFICATES);
    clock.tick().await;
    loop {
        tokio::select! {
            _ = &mut *stopped => {
                handle.shutdown();
                _ = tokio::time::timeout(Duration::from_secs(2), running).await;
                return true;
            }
            ended = &mut running => {
                warn!(?ended, "the embedded broker ended unexpectedly; restarting it");
                return false;
            }
            _ = clock.tick() => renew(config, tls),
        }
    }
}

async fn open(
    config: &BrokerConfig,
    visitors: &Arc<Visitors>,
) -> Result<(MqttBroker, BrokerShutdownHandle)> {
    let rights = Rights::load(&config.passwords, &config.acl)?;
    let guard = Arc::new(Guard::new(rights, visitors.clone()));
    let settings = Settings {
        // Only connections from the listener are admitted here (guard.rs).
        bind_addresses: vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 0))],
        max_clients: config.limits.connections,
        session_expiry_interval: SESSION_MAX,
        max_packet_size: PACKET_MAX,
        max_retained_message_size: PACKET_MAX,
        max_retained_messages: 100_000,
        server_receive_maximum: Some(RECEIVE_MAX),
        sys_topics_enabled: false,
        storage_config: StorageConfig {
            backend: StorageBackend::Memory,
            max_queued_messages_per_client: QUEUE_MAX,
            max_queued_bytes_per_client: QUEUE_BYTES_MAX,
            ..StorageConfig::default()
        },
        event_handler: Some(Arc::new(Counting(guard.clone()))),
        ..Settings::default()
    };
    let broker = MqttBroker::with_config(settings)
        .await
        .map_err(|error| Error::Listen {
            address: config.listen,
            why: error.to_string(),
        })?
        .with_auth_provider(guard);
    let handle = broker.shutdown_handle();
    Ok((broker, handle))
}
