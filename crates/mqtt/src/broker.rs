//! The embedded broker: the crate mqtt5's, with users and rights from files of Mosquitto's
//! form, TLS, and nothing kept on disk. It need not: what it loses, gateways publish again
//! (`--until stored`), and what is retained comes with the next reading.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc as std_mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use mqtt5::broker::auth::{AuthProvider, AuthResult};
use mqtt5::broker::config::{BrokerConfig as Settings, StorageBackend, StorageConfig, TlsConfig};
use mqtt5::broker::{BrokerShutdownHandle, MqttBroker};
use mqtt5::packet::connect::ConnectPacket;
use mqtt5::protocol::v5::reason_codes::ReasonCode;
use tracing::{info, warn};

use crate::access::Rights;
use crate::certificate::{self, Files, Outcome};
use crate::client::{certificates, check_private};
use crate::error::{Error, Result};

/// The largest packet that is taken.
const PACKET_MAX: usize = 1 << 20;
/// Messages that one publisher may have under way.
const RECEIVE_MAX: u16 = 1000;
/// Messages that wait for a subscriber that is away or slow.
const QUEUE_MAX: usize = 100_000;
/// How long a subscriber may be away before its session is forgotten, at most.
const SESSION_MAX: Duration = Duration::from_secs(24 * 3600);
/// How often certificates are looked at.
const CERTIFICATES: Duration = Duration::from_secs(12 * 3600);

/// What an embedded broker is started with.
#[derive(Debug, Clone)]
pub struct BrokerConfig {
    /// Port 0: any, for tests.
    pub listen: SocketAddr,
    /// Server certificate chain and its key, PEM files.
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Ask clients for a certificate of these authorities, beside the password.
    pub client_ca: Option<PathBuf>,
    /// Users and rights, in Mosquitto's form.
    pub passwords: PathBuf,
    pub acl: PathBuf,
    /// Renew the certificate in time: the authority's files, and the names. The broker
    /// starts anew with the new one; clients connect again.
    pub renew: Option<(Files, Vec<String>)>,
}

impl BrokerConfig {
    /// With the files of `selo setup` in a folder.
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
    /// Starts a broker on threads of its own, and returns when it listens.
    pub fn start(config: BrokerConfig) -> Result<Broker> {
        check(&config)?;
        // The broker's crate asks for the process's provider; another one may be there.
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
        info!(%listen, "the embedded broker listens");
        Ok(Broker {
            listen,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Where it listens.
    pub fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// Ends it, and waits for the end.
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

/// Finds what is wrong with the files before they fail far away.
fn check(config: &BrokerConfig) -> Result<()> {
    check_private(&config.key)?;
    certificates(&config.certificate)?;
    let days = certificate::read(&config.certificate)?.days_left;
    if days < 0 {
        return Err(Error::File {
            path: config.certificate.clone(),
            why: "the broker's certificate has expired: nobody could connect".into(),
            hint: "renew it: `selo setup DIR` does, if its authority is its own".into(),
        });
    }
    if days < 30 {
        let file = config.certificate.display();
        warn!(%file, days, "the broker's certificate expires soon");
    }
    Rights::load(&config.passwords, &config.acl).map(|_| ())
}

async fn run(
    mut config: BrokerConfig,
    mut stopped: tokio::sync::oneshot::Receiver<()>,
    ready: std_mpsc::Sender<Result<SocketAddr>>,
) {
    let mut ready = Some(ready);
    loop {
        let (mut broker, handle) = match open(&config).await {
            Ok(opened) => opened,
            Err(error) => match ready.take() {
                Some(ready) => {
                    _ = ready.send(Err(error));
                    return;
                }
                None => {
                    warn!(%error, "the embedded broker does not start again; it is tried again");
                    tokio::select! {
                        _ = &mut stopped => return,
                        () = tokio::time::sleep(Duration::from_secs(1)) => continue,
                    }
                }
            },
        };
        // Port 0 is any port once, and that one from then on.
        config.listen = broker.tls_local_addr().unwrap_or(config.listen);
        let mut accepting = broker.ready_receiver();
        let running = tokio::spawn(async move { broker.run().await });
        _ = accepting.wait_for(|ready| *ready).await;
        if let Some(ready) = ready.take() {
            _ = ready.send(Ok(config.listen));
        }
        let over = wait(&config, &mut stopped, running, handle).await;
        if over {
            return;
        }
    }
}

/// Waits until the broker is to stop, true, or to start anew.
async fn wait(
    config: &BrokerConfig,
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
                warn!(?ended, "the embedded broker has ended; it is started again");
                return false;
            }
            _ = clock.tick() => {
                let Some((files, names)) = &config.renew else { continue };
                match certificate::ensure(files, names) {
                    Ok(Outcome::Made(why)) => {
                        info!(%why, "the broker's certificate was renewed; it starts anew");
                        handle.shutdown();
                        _ = tokio::time::timeout(Duration::from_secs(2), running).await;
                        return false;
                    }
                    Ok(_) => {}
                    Err(error) => warn!(%error, "the broker's certificate is not renewed"),
                }
            }
        }
    }
}

async fn open(config: &BrokerConfig) -> Result<(MqttBroker, BrokerShutdownHandle)> {
    let rights = Arc::new(Rights::load(&config.passwords, &config.acl)?);
    let mut tls = TlsConfig::new(config.certificate.clone(), config.key.clone())
        .with_bind_address(config.listen);
    if let Some(ca) = &config.client_ca {
        tls = tls.with_ca_file(ca.clone()).with_require_client_cert(true);
    }
    let settings = Settings {
        bind_addresses: Vec::new(),
        session_expiry_interval: SESSION_MAX,
        max_packet_size: PACKET_MAX,
        max_retained_message_size: PACKET_MAX,
        max_retained_messages: 100_000,
        server_receive_maximum: Some(RECEIVE_MAX),
        sys_topics_enabled: false,
        tls_config: Some(tls),
        storage_config: StorageConfig {
            backend: StorageBackend::Memory,
            max_queued_messages_per_client: QUEUE_MAX,
            ..StorageConfig::default()
        },
        ..Settings::default()
    };
    let broker = MqttBroker::with_config(settings)
        .await
        .map_err(|error| Error::Listen {
            address: config.listen,
            why: error.to_string(),
        })?
        .with_auth_provider(Arc::new(Guard { rights }));
    let handle = broker.shutdown_handle();
    Ok((broker, handle))
}

/// Asks the files for every connection, publication and subscription.
struct Guard {
    rights: Arc<Rights>,
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl AuthProvider for Guard {
    fn authenticate<'a>(
        &'a self,
        connect: &'a ConnectPacket,
        from: SocketAddr,
    ) -> Answer<'a, mqtt5::error::Result<AuthResult>> {
        let user = connect.username.as_deref().unwrap_or_default();
        let password = connect.password.as_deref().unwrap_or_default();
        let result = if !self.rights.authenticate(user, password) {
            warn!(%from, user = %user.escape_debug(), "a client gave a wrong name or password");
            AuthResult::fail(ReasonCode::BadUsernameOrPassword)
        } else if connect
            .will
            .as_ref()
            .is_some_and(|will| !self.rights.may_write(user, &connect.client_id, &will.topic))
        {
            // Published after the end, when nobody is asked any more.
            warn!(%from, %user, "a client's last will is for a topic that it may not write");
            AuthResult::fail(ReasonCode::NotAuthorized)
        } else {
            AuthResult::success_with_user(user)
        };
        Box::pin(async move { Ok(result) })
    }

    fn authorize_publish<'a>(
        &'a self,
        client_id: &str,
        user_id: Option<&'a str>,
        topic: &'a str,
    ) -> Answer<'a, bool> {
        let allowed = user_id.is_some_and(|user| self.rights.may_write(user, client_id, topic));
        if !allowed {
            warn!(user = user_id, %topic, "a client may not publish there");
        }
        Box::pin(async move { allowed })
    }

    fn authorize_subscribe<'a>(
        &'a self,
        client_id: &str,
        user_id: Option<&'a str>,
        topic_filter: &'a str,
    ) -> Answer<'a, bool> {
        let allowed =
            user_id.is_some_and(|user| self.rights.may_read(user, client_id, topic_filter));
        if !allowed {
            warn!(user = user_id, %topic_filter, "a client may not subscribe to that");
        }
        Box::pin(async move { allowed })
    }
}
