//! E-mail over SMTP. The crate parses all lines of an answer again with each new line, so an
//! endless answer would keep a processor busy for minutes. Our own connection bounds what the
//! server may send in all.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use selo_base::report::chain;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::reach::allowed;
use super::text::Letter;
use super::{Channel, Security};

/// Deadline of a whole delivery.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes that the server may send in all, with the certificates of STARTTLS.
const ANSWERS_MAX: usize = 24 << 10;

/// Parses an address: `desk@example.org`, or with a name before it.
pub(super) fn mailbox(text: &str) -> Result<Mailbox, String> {
    text.parse().map_err(|error| format!("{error}"))
}

/// Sends a message to the channel's recipients. Returns the refused ones with the reasons, if
/// the server refused some but not all.
pub(super) async fn send(channel: &Channel, letter: &Letter) -> Result<Option<String>, String> {
    match tokio::time::timeout(PATIENCE, deliver(channel, letter)).await {
        Ok(done) => done,
        Err(_) => Err(format!(
            "the mail server did not answer within {} s",
            PATIENCE.as_secs()
        )),
    }
}

async fn deliver(channel: &Channel, letter: &Letter) -> Result<Option<String>, String> {
    let said = |error: smtp::Error| chain(&error);
    let mut message = Message::builder()
        .from(mailbox(&channel.from)?)
        .subject(&letter.title)
        .header(ContentType::TEXT_PLAIN);
    for address in &channel.to {
        message = message.to(mailbox(address)?);
    }
    let message = message
        .body(letter.text.clone())
        .map_err(|error| error.to_string())?;
    let hello = ClientId::default();
    let stream = connect(channel).await.map_err(|error| chain(&error))?;
    let connected = AsyncSmtpConnection::connect_with_transport(stream, &hello).await;
    let mut smtp = connected.map_err(said)?;
    if channel.security == Security::StartTls {
        let tls = TlsParameters::new(channel.server.clone()).map_err(said)?;
        smtp.starttls(tls, &hello).await.map_err(said)?;
    }
    if !channel.secret.is_empty() {
        let user = if channel.user.is_empty() {
            &channel.from
        } else {
            &channel.user
        };
        let login = Credentials::new(user.clone(), channel.secret.reveal().into());
        let ways = [Mechanism::Plain, Mechanism::Login];
        smtp.auth(&ways, &login).await.map_err(said)?;
    }
    let refused = hand_over(&mut smtp, &message).await?;
    // The message has been accepted, whatever the answer to this is.
    let _ = smtp.quit().await;
    Ok(refused)
}

/// Hands a message over. The crate's own function stops at the first refused recipient; here the
/// others get the message. Returns the refused ones with the reasons.
async fn hand_over(
    smtp: &mut AsyncSmtpConnection,
    message: &Message,
) -> Result<Option<String>, String> {
    let said = |error: smtp::Error| chain(&error);
    let (envelope, bytes) = (message.envelope(), message.formatted());
    let mut options = Vec::new();
    let info = smtp.server_info();
    let mut addresses = envelope.from().into_iter().chain(envelope.to());
    if !addresses.all(|address| AsRef::<str>::as_ref(address).is_ascii()) {
        if !info.supports_feature(Extension::SmtpUtfEight) {
            return Err("the mail server takes no addresses with such letters".into());
        }
        options.push(MailParameter::SmtpUtfEight);
    }
    if !bytes.is_ascii() {
        if !info.supports_feature(Extension::EightBitMime) {
            return Err("the mail server takes no letters outside of ASCII".into());
        }
        options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let from = Mail::new(envelope.from().cloned(), options);
    smtp.command(from).await.map_err(said)?;
    let mut refused = Vec::new();
    for address in envelope.to() {
        match smtp.command(Rcpt::new(address.clone(), Vec::new())).await {
            Ok(_) => {}
            // An answer of the server; after any other error the connection is of no use.
            Err(error) if error.status().is_some() => {
                refused.push(format!("{address}: {}", said(error)));
            }
            Err(error) => return Err(said(error)),
        }
    }
    if refused.len() == envelope.to().len() {
        return Err(refused.join("; "));
    }
    smtp.command(Data).await.map_err(said)?;
    smtp.message(&bytes).await.map_err(said)?;
    Ok((!refused.is_empty()).then(|| refused.join("; ")))
}

/// Connects, with TLS from the first byte if the channel wants it.
async fn connect(channel: &Channel) -> io::Result<Box<dyn AsyncTokioStream>> {
    let found = tokio::net::lookup_host((channel.server.as_str(), channel.port)).await?;
    let tcp = TcpStream::connect(&allowed(found)?[..]).await?;
    let peer = tcp.peer_addr()?;
    if channel.security != Security::Tls {
        return Ok(Box::new(Bounded::new(tcp, peer)));
    }
    // Reading the system's certificates may block on the disk.
    let roots = tokio::task::spawn_blocking(selo_tls::system_roots);
    let config = rustls::ClientConfig::builder()
        .with_root_certificates(roots.await.map_err(io::Error::other)?)
        .with_no_client_auth();
    let name = rustls::pki_types::ServerName::try_from(channel.server.clone())
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let tls: TlsStream<TcpStream> = TlsConnector::from(Arc::new(config))
        .connect(name, tcp)
        .await?;
    Ok(Box::new(Bounded::new(tls, peer)))
}

/// A connection whose other end may send a bounded number of bytes.
#[derive(Debug)]
struct Bounded<S> {
    stream: S,
    peer: SocketAddr,
    left: usize,
}

impl<S> Bounded<S> {
    fn new(stream: S, peer: SocketAddr) -> Self {
        let left = ANSWERS_MAX;
        Bounded { stream, peer, left }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let got = buffer.filled().len() - before;
        match self.left.checked_sub(got) {
            Some(left) => self.left = left,
            None => {
                let why = "the mail server sends more than an answer";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, why)));
            }
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl<S> AsyncTokioStream for Bounded<S>
where
    S: AsyncRead + AsyncWrite + Send + Sync + Unpin + std::fmt::Debug,
{
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}
