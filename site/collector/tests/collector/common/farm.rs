//! A TLS broker on the files of `selo setup`, and gateways that publish to it.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use selo_codec::Catalogue;
use selo_gateway::peer::Peer;
use selo_gateway::reading::{Payload, Reading, SessionName};
use selo_gateway::sink::{Sink, SinkError};
use selo_link::DeviceId;
use selo_mqtt::client::{BrokerUrl, read_password};
use selo_mqtt::setup::{Setup, password_file};
use selo_mqtt::{Broker, BrokerConfig, ClientConfig, Publisher, PublisherConfig, Until};

/// Time of the first reading.
pub const THEN: i64 = 1_795_303_147_042;

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
        let config = BrokerConfig::of_folder(self.folder.path(), self.address);
        Broker::start(config).expect("starts")
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
