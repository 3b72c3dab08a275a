//! The options of the demo.

use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Simulated Arduino Unos run the rain gauge's firmware, each with a clock, a bucket and a
virtual LoRa module. They pair with a gateway by six digits, as a person would type them.
Virtual nodes run the device library natively, with imported keys. They use UDP, because one
LoRa channel cannot carry so many. All send sealed readings to `selo up`, which also has a
LoRa module: gateway, MQTT broker with TLS, collector, dashboard.

At the end the demo counts the readings at the nodes, on the air, at the gateway and in the
database. The exit code is 0 if only readings that the radio dropped are missing, and no
reading is stored twice.

Examples:
  selo demo
  selo demo --stay                       keep the dashboard until Ctrl-C
  DEMO_SECONDS=10 selo demo --nodes 1000")]
pub struct Args {
    /// How long the nodes report
    #[arg(
        long,
        env = "DEMO_SECONDS",
        value_name = "SECONDS",
        default_value_t = 60
    )]
    pub(super) seconds: u64,
    /// Virtual nodes
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(super) nodes: u32,
    /// Simulated Arduino Unos
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) unos: u32,
    /// Time between two readings of a node
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub(super) every: String,
    /// Folder for state and logs; the files of an earlier demo in it are removed
    #[arg(long, value_name = "DIR", default_value = "out/demo/chain")]
    pub(super) out: PathBuf,
    /// Address of the dashboard; port 0 selects a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    pub(super) http: SocketAddr,
    /// Keep everything running until Ctrl-C
    #[arg(long)]
    pub(super) stay: bool,
    /// Print the summary as one JSON object on stdout, nothing else
    #[arg(long)]
    pub(super) json: bool,
}
