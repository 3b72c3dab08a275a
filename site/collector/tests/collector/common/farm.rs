//! A TLS broker on the files of `selo setup`, and gateways that publish to it.

use std::fs::File;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

use selo_codec::Catalogue;
use selo_gateway::peer::Peer;
use selo_gateway::reading::{Payload, Reading, SessionName};
use selo_gateway::sink::{Sink, SinkError};
use selo_link::DeviceId;
use selo_mqtt::client::{BrokerUrl, read_password};
use selo_mqtt::setup::{Setup, password_file};
use selo_mqtt::{BrokerConfig, ClientConfig, Publisher, PublisherConfig, Until};

/// Time of the first reading.
pub const THEN: i64 = 1_795_303_147_042;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Embedded,
    Mosquitto,
}

/// A running broker.
pub enum Broker {
    Embedded(selo_mqtt::Broker),
    Mosquitto(Killed),
}

impl Broker {
    /// Stops it: Mosquitto by SIGKILL.
    pub fn stop(self) {
        if let Broker::Embedded(broker) = self {
            broker.stop();
        }
    }
}

/// A process that does not outlive the test.
pub struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The site `farm`. Its broker is not started yet.
pub struct Farm {
    folder: tempfile::TempDir,
    address: SocketAddr,
}

impl Farm {
    pub fn new() -> Farm {
        let folder = tempfile::tempdir().expect("a folder");
        let address = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a port");
        let setup = Setup {
            folder: folder.path().into(),
            names: Vec::new(),
            site: "farm".into(),
            listen: address,
        };
        selo_mqtt::setup::run(&setup).expect("sets up");
        Farm { folder, address }
    }

    pub fn broker(&self) -> Broker {
        self.start(Kind::Embedded)
    }

    pub fn start(&self, kind: Kind) -> Broker {
        match kind {
            Kind::Embedded => {
                let config = BrokerConfig::of_folder(self.folder.path(), self.address);
                Broker::Embedded(selo_mqtt::Broker::start(config).expect("starts"))
            }
            Kind::Mosquitto => Broker::Mosquitto(Killed(self.mosquitto())),
        }
    }

    /// Mosquitto on the files of the folder. Its log tells of every refusal.
    fn mosquitto(&self) -> Child {
        let path = self.folder.path().join("mosquitto.conf");
        let text = std::fs::read_to_string(path).expect("there");
        // Mosquitto started by root would switch to another user, who may not read this folder.
        let own = self.folder.path().join("test.conf");
        std::fs::write(&own, text + "\nuser root\nlog_type all\n").expect("writes");
        let log = File::options().create(true).append(true).open(self.log());
        // Debian installs it in /usr/sbin, which is not on everyone's PATH.
        let debian = Path::new("/usr/sbin/mosquitto");
        let program = if debian.exists() {
            debian
        } else {
            Path::new("mosquitto")
        };
        let mut child = Command::new(program)
            .arg("-c")
            .arg(own)
            .stderr(log.expect("a file"))
            .spawn()
            .expect("starts");
        let since = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            let ended = child.try_wait().expect("ours");
            assert!(ended.is_none(), "mosquitto has ended");
            assert!(
                since.elapsed() < Duration::from_secs(60),
                "mosquitto does not listen"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        child
    }

    /// The log of Mosquitto.
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("mosquitto.log")
    }

    /// Edits the access list.
    pub fn change_acl(&self, change: impl FnOnce(String) -> String) {
        let path = self.folder.path().join("acl");
        let before = std::fs::read_to_string(&path).expect("there");
        let after = change(before.clone());
        assert_ne!(before, after, "nothing was changed");
        std::fs::write(path, after).expect("writes");
    }

    pub fn client(&self, user: &str, id: &str) -> ClientConfig {
        let url: BrokerUrl = format!("mqtts://{user}@localhost:{}", self.address.port())
            .parse()
            .expect("a URL");
        let mut config = ClientConfig::new(url, id);
        let password = password_file(self.folder.path(), user);
        config.password = Some(read_password(&password).expect("a password"));
        config.ca = Some(self.folder.path().join("ca.pem"));
        config
    }

    /// A publisher that waits for the collector's confirmation.
    pub fn publisher(&self, gateway: &str) -> Publisher {
        let codecs = Catalogue::built_in().expect("right");
        let codec: Arc<_> = codecs.get("rain-gauge").expect("there").clone();
        let mut config = PublisherConfig::new(self.client("gateway", gateway), codec);
        config.site = "farm".into();
        config.gateway = gateway.into();
        config.until = Until::Stored;
        Publisher::new(config).expect("starts")
    }
}

/// The reading with this counter: one rain tip per counter, received `step_ms` per counter after
/// [`THEN`].
pub fn reading(device: u32, counter: u32, step_ms: u64) -> Reading {
    let mut payload = [0; 16];
    payload[4..8].copy_from_slice(&counter.to_le_bytes());
    Reading {
        device: DeviceId(device),
        name: Some("garden".into()),
        codec: None,
        session: SessionName::new(1, 7),
        counter,
        received_ms: THEN as u64 + step_ms * u64::from(counter),
        payload: Payload::new(&payload).expect("short"),
        source: Peer::Nowhere,
        rssi: Some(-101),
        redelivered: false,
    }
}

/// Delivers readings as a gateway does: repeated until they are stored.
pub fn deliver(publisher: &mut Publisher, readings: &[Reading]) {
    loop {
        match publisher.deliver(readings) {
            Ok(()) => return,
            Err(SinkError::Later(_) | SinkError::UnderWay(_)) => {}
            Err(SinkError::Gone(reason)) => panic!("{reason}"),
        }
    }
}
