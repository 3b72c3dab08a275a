//! Clients in C (`studies/firmware/client`), on this machine or on a board's emulator: TLS libraries
//! for embedded systems, and a node of the link. The connection is their standard input and output,
//! so nothing stands between them and the other end. A plugin of the emulator counts their
//! instructions.

mod heard;

use std::collections::BTreeMap;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use selo_engine::board::{Board, NATIVE};
use selo_engine::build::{Builder, Image, Program};
use selo_engine::model::CycleModel;
use selo_engine::project::Project;
use selo_engine::read_toml;
use selo_engine::runner::{Counts, qemu};
use selo_engine::source::{Source, Sources, Step};
use serde::Deserialize;

pub use self::heard::{Session, Told};
use self::heard::{hear, nanoseconds};
use crate::error::{Error, Result, machine};
use crate::key::write_secret;
use crate::net;
use crate::row::{Counted, Delivered};

/// Folder of the descriptions, below the project's root.
const FOLDER: &str = "studies/firmware/client";
/// The description of both ends of the experiment with a symmetric cipher.
const PEER: &str = "studies/firmware/exchange/peer.toml";
/// Limit on the instructions of a run. A handshake takes a hundredth of it.
const INSTRUCTIONS: u64 = 50_000_000_000;

/// `studies/firmware/client/NAME.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: String,
    title: String,
    version: String,
    /// For people only; the program does not use it.
    #[allow(dead_code)]
    licence: String,
    #[allow(dead_code)]
    note: String,
    /// The key exchanges that a TLS client offers.
    #[serde(default)]
    groups: Vec<String>,
    /// Absent if all of the code is this project's.
    #[serde(default)]
    source: Option<Source>,
    program: Program,
}

/// A client, built for a board.
#[derive(Debug)]
pub struct Embedded {
    root: PathBuf,
    board: Board,
    /// The cycle model of the board's core, if its error is known.
    model: Option<CycleModel>,
    /// The caution that a reader of its cycles needs.
    pub caution: Option<String>,
    image: Image,
    /// Library and version, as stored in rows.
    pub implementation: String,
    /// The machine, as stored in rows.
    pub machine: String,
}

impl Embedded {
    /// Builds the client `name` for `board`, or for this machine. Fetches the library's sources if
    /// they are missing. `defines`, such as `-DNAME=VALUE`, are added to the compiler flags.
    pub fn build(
        project: &Project,
        name: &str,
        board: Option<&str>,
        defines: &[String],
        say: fn(&str),
    ) -> Result<Embedded> {
        let list = project.root.join(FOLDER).join(format!("{name}.toml"));
        Embedded::build_list(project, &list, board, defines, say)
    }

    /// The key exchanges that the client `name` can offer.
    pub fn groups(project: &Project, name: &str) -> Result<Vec<String>> {
        let list = project.root.join(FOLDER).join(format!("{name}.toml"));
        Ok(read_toml::<Description>(&list)?.groups)
    }

    /// Builds both ends of the symmetric experiment for a board.
    pub fn build_peer(project: &Project, board: &str, say: fn(&str)) -> Result<Embedded> {
        Embedded::build_list(project, &project.root.join(PEER), Some(board), &[], say)
    }

    fn build_list(
        project: &Project,
        list: &Path,
        board: Option<&str>,
        defines: &[String],
        say: fn(&str),
    ) -> Result<Embedded> {
        let mut description: Description = read_toml(list)?;
        description.program.flags.extend(defines.iter().cloned());
        let board = project.board(board.unwrap_or(NATIVE))?;
        let runs = |board: &&Board| board.qemu.is_some() || board.name == NATIVE;
        if !runs(&board) {
            let known = project.boards.iter().filter(runs);
            let known = known.map(|board| board.name.as_str());
            return Err(selo_engine::Error::unknown("emulated board", &board.name, known).into());
        }
        let mut places = BTreeMap::new();
        if let Some(source) = &description.source {
            Sources::new(&project.root, false).fetch_one(source, &mut |step| {
                if let Step::Fetching(source) = step {
                    say(&format!("fetching {} {}", source.package, source.version));
                }
            })?;
            places.insert("source".to_owned(), source.folder(&project.root));
        }
        let what = format!("{} for {}", description.title, board.title);
        let image =
            Builder::new(project, board)?.standalone(&description.program, &places, list, &what)?;
        let emulated = board.qemu.is_some();
        let model = project.model(board);
        let caution = model.and_then(|model| {
            let caution = model.caution(&project.libraries);
            caution.map(|caution| caution.to_string())
        });
        Ok(Embedded {
            model: model.filter(|_| caution.is_some()).cloned(),
            caution,
            root: std::path::absolute(&project.root).unwrap_or_else(|_| project.root.clone()),
            board: board.clone(),
            image,
            implementation: format!("{} {}", description.name, description.version),
            machine: if emulated {
                format!("{}{}", board.title, net::EMULATED)
            } else {
                net::machine(false)
            },
        })
    }

    /// The board's name.
    pub fn device(&self) -> &str {
        &self.board.name
    }

    /// The command that starts the client, and the socket where the emulator's plugin reports.
    /// `folder` holds that socket.
    pub fn command(&self, folder: &Path) -> Result<(Command, UnixListener)> {
        let socket = folder.join("report");
        let report = UnixListener::bind(&socket).map_err(machine("listen to the emulator"))?;
        // The reader of the counts must not block.
        report
            .set_nonblocking(true)
            .map_err(machine("listen to the emulator"))?;
        let image = std::path::absolute(&self.image.path).map_err(machine("find the client"))?;
        let command = match self.board.qemu {
            Some(_) => qemu::counting(&self.root, &self.board, &image, INSTRUCTIONS, &socket)?,
            None => Command::new(image),
        };
        Ok((command, report))
    }

    /// Returns true if the client's instructions are counted.
    pub fn is_emulated(&self) -> bool {
        self.board.qemu.is_some()
    }

    /// Runs one exchange. The client reads `job`; `connect` returns its connection, and `timeout`
    /// is the connection's time limit.
    pub fn exchange(
        &self,
        job: &[u8],
        connect: impl FnOnce() -> Result<(OwnedFd, OwnedFd)>,
        timeout: Duration,
    ) -> Result<Told> {
        let folder = tempfile::Builder::new()
            .prefix("selo-tls-")
            .tempdir()
            .map_err(machine("make a temporary folder"))?;
        write_secret(&folder.path().join("job"), job).map_err(machine("write a temporary file"))?;
        let (mut command, report) = self.command(folder.path())?;
        command.current_dir(folder.path());

        let start = Instant::now();
        let ends = connect()?;
        let connect = nanoseconds(start.elapsed());
        let heard = hear(command, ends, timeout)?;
        let mut said = String::new();
        // The plugin's output waits in the socket, even after the plugin has ended.
        if let Ok((mut plugin, _)) = report.accept() {
            let _ = plugin.read_to_string(&mut said);
        }
        let stopped = |error: selo_engine::Error| Error::Embedded {
            why: error.to_string(),
        };
        let counted = qemu::counted(&said).map_err(stopped);
        let mut told = match heard.told(self.is_emulated()) {
            // If the client fell silent, the emulator's error is more precise.
            Err(error @ Error::Embedded { .. }) => return Err(counted.err().unwrap_or(error)),
            told => told?,
        };
        told.done.times.connect = connect;
        if self.is_emulated() {
            self.add_counts(&mut told.done, &counted?)?;
        }
        // The operating system owns the memory of a Linux program, so it is not counted.
        if let Some(memory) = &self.board.memory {
            told.done.times.flash = Some(self.image.weight.flash);
            told.done.times.variables = Some(self.image.weight.ram);
            told.done.times.memory = Some(memory.ram);
        }
        Ok(told)
    }

    /// Adds the plugin's counts, one span for the handshake and one for the exchange, and the
    /// cycles that the core's model computes from them.
    fn add_counts(&self, done: &mut Delivered, spans: &[Counts]) -> Result<()> {
        let [handshake, exchange] = spans else {
            return Err(Error::Embedded {
                why: format!("the plugin counted {} spans, not 2", spans.len()),
            });
        };
        let times = &mut done.times;
        times.instructions = Some(Counted {
            handshake: handshake.instructions,
            exchange: exchange.instructions,
        });
        let cycles = |span| {
            let cycles = self.model.as_ref()?.cycles_of(span)?;
            Some(cycles.round() as u64)
        };
        times.cycles = cycles(handshake)
            .zip(cycles(exchange))
            .map(|(handshake, exchange)| Counted {
                handshake,
                exchange,
            });
        // The processor times are the emulator's, not the board's.
        times.handshake_cpu = 0;
        times.exchange_cpu = 0;
        Ok(())
    }
}

/// Two handles to the same connection, one for each direction.
pub fn ends<T: Into<OwnedFd>>(
    stream: T,
    clone: impl FnOnce(&T) -> std::io::Result<T>,
) -> Result<(OwnedFd, OwnedFd)> {
    let input = clone(&stream).map_err(machine("share a connection"))?;
    Ok((input.into(), stream.into()))
}
