//! Replies to a client of the control socket.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;

use super::Reply;

/// Writes one reply as a line.
pub(super) fn write(mut stream: &UnixStream, reply: &Reply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// The reason for refusing a request.
pub(super) type Refusal = String;

pub(super) const STOPPING: &str = "the gateway is stopping";

/// True if the client has closed the connection.
pub(super) fn hung_up(stream: &UnixStream) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut fds = [PollFd::new(stream, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut fds, Some(&now)).is_ok_and(|ready| ready > 0)
}
