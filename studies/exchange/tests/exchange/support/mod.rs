//! An attacker between the two ends, who alters a byte or cuts the connection.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

/// The change to the bytes of one direction.
#[derive(Clone, Copy, Debug)]
pub enum Meddling {
    Nothing,
    /// Changes the byte at this position.
    Alter(usize),
    /// Cuts the connection after this many bytes.
    Cut(usize),
}

/// Forwards connections to `server`. Returns the address where it listens.
pub fn between(server: SocketAddr, up: Meddling, down: Meddling) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(server) else {
                return;
            };
            let (c, s) = (client.try_clone(), server.try_clone());
            if let (Ok(c), Ok(s)) = (c, s) {
                thread::spawn(move || pass(client, server, up));
                thread::spawn(move || pass(s, c, down));
            }
        }
    });
    address
}

fn pass(mut from: TcpStream, mut to: TcpStream, meddling: Meddling) {
    let mut buffer = [0; 1000];
    let mut passed = 0;
    while let Ok(size @ 1..) = from.read(&mut buffer) {
        let bytes = &mut buffer[..size];
        match meddling {
            Meddling::Alter(at) if (passed..passed + size).contains(&at) => {
                bytes[at - passed] ^= 0x20;
            }
            Meddling::Cut(at) if passed + size > at => {
                let _ = to.write_all(&bytes[..at - passed]);
                let _ = from.shutdown(Shutdown::Both);
                break;
            }
            _ => {}
        }
        passed += size;
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
