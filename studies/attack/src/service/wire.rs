//! TCP connections to a service, plain or with TLS, from any loopback address.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use socket2::{Domain, Socket, Type};

use super::Result;

/// Time limit for one step of an honest user. No machine needs that long, so an attack that
/// reaches it has stopped the service.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The address of honest users.
pub const HONEST: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// An attacker's address: 127.0.0.2 and up.
pub fn stranger(number: usize) -> Ipv4Addr {
    let [high, low] = ((number % 60_000 + 2) as u16).to_be_bytes();
    Ipv4Addr::new(127, 0, high, low)
}

/// A service's listener, with its certificate authority if it uses TLS.
#[derive(Debug, Clone)]
pub struct Door {
    /// Its address.
    pub to: SocketAddr,
    /// Set for TLS.
    pub tls: Option<Arc<ClientConfig>>,
}

impl Door {
    /// A plain listener.
    pub fn plain(port: u16) -> Door {
        Door {
            to: SocketAddr::from((HONEST, port)),
            tls: None,
        }
    }

    /// A TLS listener whose certificate is signed by the authority in `ca`.
    pub fn tls(port: u16, ca: &Path) -> Result<Door> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(ca).map_err(io::Error::other)? {
            roots
                .add(certificate.map_err(io::Error::other)?)
                .map_err(io::Error::other)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Door {
            tls: Some(Arc::new(config)),
            ..Door::plain(port)
        })
    }

    /// Opens a TCP connection and sends nothing.
    pub fn knock(&self, from: Ipv4Addr) -> io::Result<TcpStream> {
        self.knock_for(from, PATIENCE)
    }

    /// The same with a connect timeout, for an attacker.
    pub fn knock_for(&self, from: Ipv4Addr, longest: Duration) -> io::Result<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.bind(&SocketAddr::from((from, 0)).into())?;
        socket.connect_timeout(&self.to.into(), longest)?;
        let stream: TcpStream = socket.into();
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Opens a connection, including the handshake if the listener uses TLS.
    pub fn open(&self, from: Ipv4Addr) -> io::Result<Stream> {
        let tcp = self.knock(from)?;
        let Some(config) = &self.tls else {
            return Ok(Stream::Plain(tcp));
        };
        let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
        let client = ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
        let mut stream = StreamOwned::new(client, tcp);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(Stream::Tls(Box::new(stream)))
    }
}

/// A bidirectional byte stream.
#[derive(Debug)]
pub enum Stream {
    /// Plain TCP.
    Plain(TcpStream),
    /// TLS.
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    /// The underlying socket.
    pub fn tcp(&self) -> &TcpStream {
        match self {
            Stream::Plain(tcp) => tcp,
            Stream::Tls(stream) => &stream.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(tcp) => tcp.read(into),
            Stream::Tls(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(tcp) => tcp.write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(tcp) => tcp.flush(),
            Stream::Tls(stream) => stream.flush(),
        }
    }
}
