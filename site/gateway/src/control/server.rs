//! Server side of the control socket.

use std::fs;
use std::io::{self, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tracing::warn;

use super::reply::write;
use super::services::Services;
use super::{Reply, Request, read_line, with_short_path};
use crate::error::{Error, Result};
use crate::state::StateDir;

/// Maximum number of connections.
const CONNECTIONS_MAX: usize = 16;

/// The listening socket. Dropping it removes the socket file.
#[derive(Debug)]
pub struct Server {
    path: PathBuf,
}

impl Server {
    /// Serves the socket in threads of its own. This gateway holds the lock of the state
    /// directory, so an existing socket file is a leftover and is removed.
    pub fn start(state: &StateDir, services: Services) -> Result<Server> {
        let path = state.control();
        let failed = |source| Error::Write {
            path: path.clone(),
            source,
        };
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let listener = with_short_path(&path, |short| UnixListener::bind(short)).map_err(failed)?;
        // The directory has mode 0700, so nobody else can connect before this call.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let services = Arc::new(services);
        super::windows::start(&services).map_err(failed)?;
        std::thread::Builder::new()
            .name("control".into())
            .spawn(move || accept(&listener, &services))
            .map_err(failed)?;
        Ok(Server { path })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A connection wakes the accepting thread, which then sees that the gateway stops.
        let _ = with_short_path(&self.path, |short| UnixStream::connect(short));
        let _ = fs::remove_file(&self.path);
    }
}

fn accept(listener: &UnixListener, services: &Arc<Services>) {
    let connections = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        if services.remote.stopping() {
            return;
        }
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                warn!(%error, "cannot accept a control connection");
                std::thread::sleep(Duration::from_millis(100));
                continue;
            }
        };
        if connections.fetch_add(1, Ordering::AcqRel) >= CONNECTIONS_MAX {
            connections.fetch_sub(1, Ordering::AcqRel);
            let _ = write(&stream, &Reply::Error("too many connections".into()));
            continue;
        }
        let (services, counted) = (services.clone(), connections.clone());
        let spawned = std::thread::Builder::new()
            .name("control".into())
            .spawn(move || {
                // Ignore write errors: the client has closed the connection.
                let _ = serve(&stream, &services);
                counted.fetch_sub(1, Ordering::AcqRel);
            });
        if spawned.is_err() {
            connections.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

fn serve(stream: &UnixStream, services: &Services) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(line) = read_line(&mut reader)? {
        let request: Request = match serde_json::from_str(&line) {
            Ok(request) => request,
            Err(error) => {
                write(stream, &Reply::Error(format!("invalid request: {error}")))?;
                continue;
            }
        };
        let answer = match request {
            Request::Status => Ok(Reply::Status(Box::new(services.status()))),
            Request::Heads => Ok(Reply::Heads(services.heads())),
            Request::Flush => services.flush().map(|()| Reply::Done),
            Request::Reload { devices } => services.reload(&devices).map(|()| Reply::Done),
            Request::Confirm { digits, name } => services
                .confirm_anywhere(&digits, name)
                .map(|()| Reply::Done),
            Request::Reject => services.reject_anywhere().map(|()| Reply::Done),
            Request::Pair { seconds, name } => {
                return services.pair(stream, &mut reader, seconds, name);
            }
            Request::Watch => return services.watch(stream, &mut reader),
            Request::Send {
                device,
                payload,
                timed,
                confirmed,
                after_uplink,
                seconds,
            } => {
                match services.downlink(&device, &payload, timed, confirmed, after_uplink, seconds)
                {
                    Ok((ticket, events)) => {
                        return services.follow_message(stream, ticket, confirmed, &events);
                    }
                    Err(refusal) => Err(refusal),
                }
            }
        };
        write(stream, &answer.unwrap_or_else(Reply::Error))?;
    }
    Ok(())
}
