//! A small MQTT 5 client [MQTT5] that can misbehave: it writes packets and waits for answers, and
//! does nothing automatically.

use std::io::{self, Read, Write};
use std::net::Ipv4Addr;

use super::wire::{Door, Stream};

const CONNACK: u8 = 2;
const PUBLISH: u8 = 3;
const PUBACK: u8 = 4;
const SUBACK: u8 = 9;

/// Reason codes from this value on are errors.
const FAILURE: u8 = 0x80;

/// Longest packet that the client accepts.
const PACKET_MAX: usize = 4 << 20;

/// A user's name and password, and the client id.
#[derive(Debug, Clone)]
pub struct Login {
    /// Client id, under which the broker keeps a session.
    pub client: String,
    /// User name.
    pub user: String,
    /// The password.
    pub password: String,
    /// Session expiry interval in seconds.
    pub keep: u32,
}

/// A connection to a broker.
#[derive(Debug)]
pub struct Client {
    /// The underlying stream.
    pub stream: Stream,
    packet: u16,
    waiting: Vec<Vec<u8>>,
}

/// Builds a CONNECT packet.
pub fn connect(login: &Login) -> Vec<u8> {
    let mut body = string("MQTT");
    // Version 5; user, password, clean start; keep-alive 60 s.
    body.extend([5, 0xc2, 0, 60]);
    body.extend([5, 0x11]);
    body.extend(login.keep.to_be_bytes());
    body.extend(string(&login.client));
    body.extend(string(&login.user));
    body.extend(string(&login.password));
    packet(0x10, &body)
}

/// Builds a packet with this first byte.
pub fn packet(head: u8, body: &[u8]) -> Vec<u8> {
    let mut all = vec![head];
    let mut length = body.len();
    loop {
        let low = (length & 0x7f) as u8;
        length >>= 7;
        all.push(if length > 0 { low | 0x80 } else { low });
        if length == 0 {
            break;
        }
    }
    all.extend(body);
    all
}

fn string(text: &str) -> Vec<u8> {
    let mut all = (text.len() as u16).to_be_bytes().to_vec();
    all.extend(text.as_bytes());
    all
}

fn refused(what: &str, code: u8) -> io::Error {
    io::Error::other(format!("{what} refused with {code:#04x}"))
}

impl Client {
    /// Connects and logs in.
    pub fn open(door: &Door, from: Ipv4Addr, login: &Login) -> io::Result<Client> {
        let mut client = Client {
            stream: door.open(from)?,
            packet: 0,
            waiting: Vec::new(),
        };
        client.write(&connect(login))?;
        let answer = client.wait(CONNACK)?;
        match answer.get(1) {
            Some(code) if *code < FAILURE => Ok(client),
            code => Err(refused("the login is", code.copied().unwrap_or(FAILURE))),
        }
    }

    /// Writes bytes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)?;
        self.stream.flush()
    }

    fn next_packet(&mut self) -> u16 {
        self.packet = self.packet % u16::MAX + 1;
        self.packet
    }

    /// Subscribes with QoS 1.
    pub fn subscribe(&mut self, filter: &str) -> io::Result<()> {
        let id = self.next_packet();
        let mut body = id.to_be_bytes().to_vec();
        body.push(0);
        body.extend(string(filter));
        body.push(1);
        self.write(&packet(0x82, &body))?;
        let answer = self.wait(SUBACK)?;
        match answer.last() {
            Some(code) if *code < FAILURE => Ok(()),
            code => Err(refused(
                "the subscription is",
                code.copied().unwrap_or(FAILURE),
            )),
        }
    }

    /// Sends a message with QoS 1. Call `acknowledged` to wait for its PUBACK.
    pub fn send(&mut self, topic: &str, payload: &[u8]) -> io::Result<()> {
        let id = self.next_packet();
        let mut body = string(topic);
        body.extend(id.to_be_bytes());
        body.push(0);
        body.extend(payload);
        self.write(&packet(0x32, &body))
    }

    /// Waits for the PUBACK of one message.
    pub fn acknowledged(&mut self) -> io::Result<()> {
        let answer = self.wait(PUBACK)?;
        match answer.get(2) {
            Some(code) if *code >= FAILURE => Err(refused("the message is", *code)),
            _ => Ok(()),
        }
    }

    /// Returns the next message's payload, and acknowledges it.
    pub fn message(&mut self) -> io::Result<Vec<u8>> {
        let body = if self.waiting.is_empty() {
            self.wait(PUBLISH)?
        } else {
            self.waiting.remove(0)
        };
        let short = || io::Error::other("a message is cut");
        let topic = body.get(..2).ok_or_else(short)?;
        let at = 2 + usize::from(u16::from_be_bytes([topic[0], topic[1]]));
        let id = body.get(at..at + 2).ok_or_else(short)?.to_vec();
        let properties = usize::from(*body.get(at + 2).ok_or_else(short)? & 0x7f);
        let payload = body.get(at + 3 + properties..).ok_or_else(short)?.to_vec();
        self.write(&packet(0x40, &id))?;
        Ok(payload)
    }

    /// Reads until the broker ends the connection or the read timeout passes.
    pub fn read_to_end(&mut self) -> io::Result<()> {
        loop {
            self.read()?;
        }
    }

    /// The body of the next packet of a type. Messages that arrive before it are kept.
    fn wait(&mut self, kind: u8) -> io::Result<Vec<u8>> {
        loop {
            let (got, body) = self.read()?;
            if got == kind {
                return Ok(body);
            }
            match got {
                PUBLISH => self.waiting.push(body),
                14 => {
                    return Err(refused(
                        "the connection is",
                        body.first().copied().unwrap_or(0),
                    ));
                }
                _ => {}
            }
        }
    }

    fn read(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let mut byte = [0; 1];
        self.stream.read_exact(&mut byte)?;
        let kind = byte[0] >> 4;
        let (mut length, mut shift) = (0usize, 0);
        loop {
            self.stream.read_exact(&mut byte)?;
            length |= usize::from(byte[0] & 0x7f) << shift;
            shift += 7;
            if byte[0] & 0x80 == 0 || shift > 21 {
                break;
            }
        }
        if length > PACKET_MAX {
            return Err(io::Error::other("a packet is too long"));
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((kind, body))
    }
}
