//! A node's radio module. The module sends what the node sends to a UDP port of this machine, and
//! frames that it receives come back from that port. Nodes, pairing and simulated boards need not
//! know about the module.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use selo_base::report::Context;
use selo_gateway::radio::{self, Port, Running};

/// Maximum time until the thread notices a stop.
const TURN: Duration = Duration::from_millis(100);
/// Larger than any frame.
const BUFFER: usize = 256;

/// Carries frames in both directions until it is dropped.
pub struct Bridge {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    _module: Running,
}

impl Bridge {
    pub fn start(port: &Port) -> selo_base::report::Result<Bridge> {
        let socket = || -> std::io::Result<(UdpSocket, UdpSocket, SocketAddr)> {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.set_read_timeout(Some(TURN))?;
            let address = socket.local_addr()?;
            Ok((socket.try_clone()?, socket, address))
        };
        let (back, socket, address) = socket().context("cannot open a UDP port")?;
        let (sender, module) = radio::open(0, port)?;
        // The node's last address. Pairing and readings use a socket each.
        let node = Arc::new(Mutex::new(None));
        let heard_by = node.clone();
        let path = module.path().display().to_string();
        let module = module
            .start(&sender, move |_, frame| {
                let node = *heard_by.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(node) = node {
                    let _ = back.send_to(&frame, node);
                }
            })
            .with_context(|| format!("cannot start a thread for {path}"))?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::Builder::new()
            .name("bridge".into())
            .spawn(move || {
                let mut buffer = [0; BUFFER];
                while !stopped.load(Ordering::Acquire) {
                    match socket.recv_from(&mut buffer) {
                        Ok((size, from)) => {
                            *node.lock().unwrap_or_else(PoisonError::into_inner) = Some(from);
                            // Frames that do not fit into the module's buffer are lost, as on the
                            // air.
                            let _ = sender.frame(&buffer[..size]);
                        }
                        Err(error)
                            if matches!(
                                error.kind(),
                                ErrorKind::WouldBlock
                                    | ErrorKind::TimedOut
                                    | ErrorKind::Interrupted
                                    // The node's socket is closed.
                                    | ErrorKind::ConnectionRefused
                            ) => {}
                        Err(_) => return,
                    }
                }
            })
            .context("cannot start a thread")?;
        Ok(Bridge {
            address,
            stop,
            thread: Some(thread),
            _module: module,
        })
    }

    /// The address that the node uses as its gateway.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
