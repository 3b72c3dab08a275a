//! `selo classic`: a gateway of the published protocol that prints readings.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use selo_gateway::reading::{SCHEMA, rfc3339};
use serde_json::json;

use crate::gateway::Reading;
use crate::server::Server;

/// Prints the readings of nodes that speak Algorithm 2 of albarello2020
#[derive(Debug, clap::Args)]
#[command(after_help = "\
UNSAFE: nothing is authenticated. Anyone on the path can read, change and invent readings. Use it
only to reproduce the paper or to show the attack (selo attack --against classic).

Prints `listening ADDR:PORT` to standard error. Each reading is one line of JSON on standard output.

Examples:
  selo classic --listen 127.0.0.1:7356")]
pub struct Args {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7356")]
    listen: SocketAddr,
}

impl Args {
    /// Serves until the output is closed or the socket fails.
    pub fn run(&self) -> io::Result<()> {
        let mut out = io::stdout();
        let server = Server::start(self.listen, move |reading| {
            writeln!(out, "{}", line(&reading))?;
            out.flush()
        })?;
        eprintln!(
            "warning: readings are not authenticated and anyone on the path can read them\n\
             listening {}",
            server.address()
        );
        while !server.has_ended() {
            std::thread::sleep(Duration::from_millis(100));
        }
        match server.stop() {
            // The reader has closed the output, which is a normal end.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

/// The line of a reading, with the members of `selo.reading/1` [docs/reference.md].
fn line(reading: &Reading) -> serde_json::Value {
    let received = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let received = u64::try_from(received.unwrap_or_default().as_millis()).unwrap_or(u64::MAX);
    json!({
        "schema": SCHEMA,
        "device": null,
        "name": null,
        "session": format!("{:016x}", reading.session),
        "counter": reading.counter,
        "received": rfc3339(received).to_string(),
        "payload": hex::encode(&reading.payload),
        "source": reading.source.to_string(),
        "rssi": null,
        "authenticated": false,
        "redelivered": false,
    })
}
