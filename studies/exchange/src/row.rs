//! What is kept of an exchange: a line of JSON, written when it has ended, well or not. Times
//! are kept as they were stamped; what follows from them is computed when it is shown.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Fault, Result};

/// The schema that [`Row`] follows; changes whenever a field changes meaning.
pub const SCHEMA: &str = "selo.exchange/1";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// A message there and back by a symmetric cipher [ferreira2020].
    Symmetric,
    /// A reading to a web server by TLS 1.3 [ferreira2021].
    Tls,
    /// A reading to a gateway by the link; its handshake is the join.
    Link,
}

/// What a time is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// Read from the clock of the machine that is meant.
    WallClock,
    /// One of the ends ran on an emulator: it shows that the exchange works there, and its
    /// times are not the times of the machine that is emulated.
    Emulated,
}

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fidelity::WallClock => "wall-clock",
            Fidelity::Emulated => "emulated",
        })
    }
}

/// What is repeated: exchanges of one unit are samples of one figure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unit {
    pub experiment: Experiment,
    /// Which machines, in a word: `two-processes`, `pc-pi`, `pi-pi`.
    pub scenario: String,
    /// The client's.
    pub implementation: String,
    /// The board that the client was built for, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Cipher, or suite of TLS.
    pub cipher: String,
    /// Key exchange of TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// `full` or `resumed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handshake: Option<String>,
    pub payload: String,
    pub bytes: u64,
}

impl Unit {
    /// Who asks: the implementation, and the board that it was built for.
    pub fn who(&self) -> String {
        match &self.device {
            Some(device) => format!("{}@{device}", self.implementation),
            None => self.implementation.clone(),
        }
    }

    /// Its cipher, and what else tells it from its neighbours.
    pub fn label(&self) -> String {
        let parts = [
            Some(&self.cipher),
            self.group.as_ref(),
            self.handshake.as_ref(),
        ];
        let words: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        words.join(", ")
    }
}

/// The stamps of [ferreira2020], in nanoseconds: the client's since t0, the server's since t2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamps {
    pub connect: u64,
    pub t1: u64,
    pub t6: u64,
    pub t7: u64,
    pub t3_less_t2: u64,
    pub t4_less_t2: u64,
    pub t5_less_t2: u64,
    /// Those of the client, where its machine was emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Sealing>,
}

/// Instructions that the cipher of one end executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealing {
    pub encrypt: u64,
    pub decrypt: u64,
}

/// What a server on an emulated board counted of one exchange: it has no times of that board, and
/// the client, whose row it is, cannot know these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    pub schema: String,
    pub device: String,
    pub machine: String,
    pub implementation: String,
    pub cipher: String,
    pub bytes: u64,
    pub instructions: Sealing,
}

/// The schema of [`Served`].
pub const SERVED: &str = "selo.exchange.served/1";

/// Times of [ferreira2021], in nanoseconds, and what was counted meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsTimes {
    pub connect: u64,
    pub handshake: u64,
    pub exchange: u64,
    /// The client's own computing: processor time of its thread.
    pub handshake_cpu: u64,
    pub exchange_cpu: u64,
    /// Bytes that TCP carried, records' heads included.
    pub handshake_sent: u64,
    pub handshake_received: u64,
    /// How often the client had to wait for an answer.
    pub handshake_trips: u64,
    pub exchange_trips: u64,
    /// The client's instructions, where its machine was emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Counted>,
    /// Their cycles by the model of the board's core, where its error is known
    /// (`selo lab calibration`): [`Row::caution`] has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Counted>,
    /// Code and constants of the client's image, its variables, and the RAM that the part has
    /// for them, heap and stack, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Most bytes of heap at a time, and of stack, where the client can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<u64>,
}

/// What was counted of the client of an exchange by TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    pub handshake: u64,
    pub exchange: u64,
}

impl TlsTimes {
    /// What the client takes of the RAM: variables, heap, stack.
    pub fn ram(&self) -> Option<u64> {
        Some(self.variables? + self.heap? + self.stack?)
    }

    /// Whether that is more than the part has.
    pub fn exceeds(&self) -> Option<bool> {
        Some(self.ram()? > self.memory?)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub schema: String,
    #[serde(flatten)]
    pub unit: Unit,
    /// What is between the machines, in words.
    pub link: String,
    /// The two machines, as they say.
    pub client: String,
    pub server: String,
    pub fidelity: Fidelity,
    /// Whether the cipher notices an altered message.
    pub authenticated: bool,
    pub repetition: u32,
    /// Its place in the order of the run.
    pub order: u32,
    /// Not counted.
    pub warm_up: bool,
    /// Both ends had what was sent, byte by byte.
    pub verified: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Bytes that the client sent and received.
    pub sent: u64,
    pub received: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamps: Option<Stamps>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsTimes>,
    /// What a reader of its modelled cycles must know: the model, and its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

/// What can be asked of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Figure {
    /// (1) to (5) of [ferreira2020].
    ClientEncrypt,
    ServerEncrypt,
    ClientDecrypt,
    ServerDecrypt,
    Transmission,
    /// From t0 to t7.
    Total,
    /// Encryption and decryption of both ends in the total.
    Share,
    Handshake,
    Exchange,
    HandshakeCpu,
    /// Of the client, in millions.
    HandshakeInstructions,
    ExchangeInstructions,
    /// By a cycle model, in millions.
    HandshakeCycles,
    ExchangeCycles,
    EncryptInstructions,
    DecryptInstructions,
    /// Both.
    CipherInstructions,
}

impl Figure {
    pub const ALL: [Figure; 17] = [
        Figure::ClientEncrypt,
        Figure::ServerDecrypt,
        Figure::ServerEncrypt,
        Figure::ClientDecrypt,
        Figure::Transmission,
        Figure::Total,
        Figure::Share,
        Figure::Handshake,
        Figure::Exchange,
        Figure::HandshakeCpu,
        Figure::HandshakeInstructions,
        Figure::ExchangeInstructions,
        Figure::HandshakeCycles,
        Figure::ExchangeCycles,
        Figure::EncryptInstructions,
        Figure::DecryptInstructions,
        Figure::CipherInstructions,
    ];

    /// Of the experiment with TLS.
    pub fn is_of_tls(self) -> bool {
        matches!(
            self,
            Figure::Handshake
                | Figure::Exchange
                | Figure::HandshakeCpu
                | Figure::HandshakeInstructions
                | Figure::ExchangeInstructions
                | Figure::HandshakeCycles
                | Figure::ExchangeCycles
        )
    }

    /// Instructions, or cycles by a model, and no time: an emulator tells them as well as a machine.
    pub fn is_counted(self) -> bool {
        matches!(
            self,
            Figure::HandshakeInstructions
                | Figure::ExchangeInstructions
                | Figure::HandshakeCycles
                | Figure::ExchangeCycles
                | Figure::EncryptInstructions
                | Figure::DecryptInstructions
                | Figure::CipherInstructions
        )
    }

    pub fn name(self) -> &'static str {
        match self {
            Figure::ClientEncrypt => "client-encrypt",
            Figure::ServerEncrypt => "server-encrypt",
            Figure::ClientDecrypt => "client-decrypt",
            Figure::ServerDecrypt => "server-decrypt",
            Figure::Transmission => "transmission",
            Figure::Total => "total",
            Figure::Share => "share",
            Figure::Handshake => "handshake",
            Figure::Exchange => "exchange",
            Figure::HandshakeCpu => "handshake-cpu",
            Figure::HandshakeInstructions => "handshake-instructions",
            Figure::ExchangeInstructions => "exchange-instructions",
            Figure::HandshakeCycles => "handshake-modelled-cycles",
            Figure::ExchangeCycles => "exchange-modelled-cycles",
            Figure::EncryptInstructions => "client-encrypt-instructions",
            Figure::DecryptInstructions => "client-decrypt-instructions",
            Figure::CipherInstructions => "client-instructions",
        }
    }

    pub fn by_name(name: &str) -> Option<Figure> {
        Figure::ALL.into_iter().find(|figure| figure.name() == name)
    }

    /// Of a row: seconds; for the share a percentage, for what is counted millions.
    pub fn of(self, row: &Row) -> Option<f64> {
        let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
        let tls = row.tls.as_ref();
        match self {
            Figure::Handshake => return tls.map(|t| seconds(t.handshake)),
            Figure::Exchange => return tls.map(|t| seconds(t.exchange)),
            // A client without a clock has no processor time to tell.
            Figure::HandshakeCpu => {
                let told = tls.map(|t| t.handshake_cpu).filter(|time| *time > 0);
                return told.map(seconds);
            }
            Figure::HandshakeInstructions => {
                return Some(tls?.instructions?.handshake as f64 / 1e6);
            }
            Figure::ExchangeInstructions => return Some(tls?.instructions?.exchange as f64 / 1e6),
            Figure::HandshakeCycles => return Some(tls?.cycles?.handshake as f64 / 1e6),
            Figure::ExchangeCycles => return Some(tls?.cycles?.exchange as f64 / 1e6),
            _ => {}
        }
        let t = row.stamps.as_ref()?;
        let millions = |of: fn(Sealing) -> u64| Some(of(t.instructions?) as f64 / 1e6);
        match self {
            Figure::EncryptInstructions => return millions(|counted| counted.encrypt),
            Figure::DecryptInstructions => return millions(|counted| counted.decrypt),
            Figure::CipherInstructions => {
                return millions(|counted| counted.encrypt + counted.decrypt);
            }
            _ => {}
        }
        let client_encrypt = t.t1;
        let client_decrypt = t.t7.checked_sub(t.t6)?;
        let server_encrypt = t.t5_less_t2.checked_sub(t.t4_less_t2)?;
        let server_decrypt = t.t3_less_t2;
        let computing = client_encrypt + client_decrypt + server_encrypt + server_decrypt;
        let waiting = t.t6.checked_sub(t.t1)?.checked_sub(t.t5_less_t2)?;
        Some(match self {
            Figure::ClientEncrypt => seconds(client_encrypt),
            Figure::ServerEncrypt => seconds(server_encrypt),
            Figure::ClientDecrypt => seconds(client_decrypt),
            Figure::ServerDecrypt => seconds(server_decrypt),
            Figure::Transmission => seconds(waiting) / 2.0,
            Figure::Share => 100.0 * computing as f64 / t.t7.max(1) as f64,
            _ => seconds(t.t7),
        })
    }
}

/// What is kept a line at a time: rows, and what servers counted.
pub trait Line: Serialize + serde::de::DeserializeOwned {
    /// What its `schema` must be.
    const SCHEMA: &str;
    /// Where a file of them comes from: the hint where one is not what it should be.
    const SOURCE: &str;
    fn schema(&self) -> &str;
}

impl Line for Row {
    const SCHEMA: &str = SCHEMA;
    const SOURCE: &str = "rows of exchanges (JSON Lines) are what `selo exchange run`, `tls` and `link` add to the file of --out";
    fn schema(&self) -> &str {
        &self.schema
    }
}

impl Line for Served {
    const SCHEMA: &str = SERVED;
    const SOURCE: &str = "what a server counted (JSON Lines) is what `selo exchange peer` adds to the file of --served";
    fn schema(&self) -> &str {
        &self.schema
    }
}

/// Lines of a file.
#[derive(Debug)]
pub struct Rows {
    path: PathBuf,
    file: File,
}

fn wrong<L: Line>(path: &Path, why: impl Into<String>) -> Error {
    Error::File {
        path: path.to_owned(),
        why: why.into(),
        hint: L::SOURCE.into(),
    }
}

/// The disk refused: what the file holds is not why.
fn refused(path: &Path, error: &std::io::Error) -> Error {
    Error::File {
        path: path.to_owned(),
        why: error.to_string(),
        hint: "rows are added to a file that can be written; the folder is made".into(),
    }
}

/// Reads the rows of a file. A last line that was cut off while it was written is left out.
pub fn read<L: Line>(path: &Path) -> Result<Vec<L>> {
    let text =
        std::fs::read_to_string(path).map_err(|error| wrong::<L>(path, error.to_string()))?;
    parse(path, &text).map(|(rows, _)| rows)
}

/// The rows, and how many bytes of the text they are.
fn parse<L: Line>(path: &Path, text: &str) -> Result<(Vec<L>, usize)> {
    let mut rows = Vec::new();
    let mut whole = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        match serde_json::from_str::<L>(line) {
            Ok(row) if row.schema() == L::SCHEMA => rows.push(row),
            Ok(row) => {
                let why = format!(
                    "line {number}: schema {} is not {}",
                    row.schema(),
                    L::SCHEMA
                );
                return Err(wrong::<L>(path, why));
            }
            Err(_) if !line.ends_with('\n') => break,
            Err(error) => return Err(wrong::<L>(path, format!("line {number}: {error}"))),
        }
        whole += line.len();
    }
    Ok((rows, whole))
}

impl Rows {
    /// Opens a file to go on with, and reads what is in it.
    pub fn open<L: Line>(path: &Path) -> Result<(Rows, Vec<L>)> {
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder).map_err(|error| refused(folder, &error))?;
        }
        let failed = |error: std::io::Error| refused(path, &error);
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let (rows, whole) = parse(path, &text)?;
        let mut options = OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        if whole > 0 && !text[..whole].ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        let path = path.to_owned();
        Ok((Rows { path, file }, rows))
    }

    pub fn push(&mut self, row: &impl Line) -> Result<()> {
        let mut line =
            serde_json::to_string(row).map_err(|error| refused(&self.path, &error.into()))?;
        line.push('\n');
        self.file
            .write_all(line.as_bytes())
            .map_err(|error| refused(&self.path, &error))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sample(cipher: &str, repetition: u32, t1: u64) -> Row {
        Row {
            schema: SCHEMA.into(),
            unit: Unit {
                experiment: Experiment::Symmetric,
                scenario: "two-processes".into(),
                implementation: "selo".into(),
                device: None,
                cipher: cipher.into(),
                group: None,
                handshake: None,
                payload: "string".into(),
                bytes: 1215,
            },
            link: "loopback".into(),
            client: "Linux x86_64".into(),
            server: "selo Linux x86_64".into(),
            fidelity: Fidelity::WallClock,
            authenticated: false,
            repetition,
            order: repetition,
            warm_up: false,
            verified: true,
            fault: None,
            reason: None,
            sent: 1300,
            received: 1300,
            stamps: Some(Stamps {
                connect: 50,
                t1,
                t6: t1 + 800,
                t7: t1 + 920,
                t3_less_t2: 90,
                t4_less_t2: 100,
                t5_less_t2: 200,
                instructions: None,
            }),
            tls: None,
            caution: None,
        }
    }

    /// Equations (1) to (5) by hand: enc 100 and 100, dec 120 and 90, (800 - 200) / 2.
    #[test]
    fn equations_of_the_paper() {
        let row = sample("aes-128-cbc", 0, 100);
        let of = |figure: Figure| figure.of(&row).expect("it has stamps") * 1e9;
        assert!((of(Figure::ClientEncrypt) - 100.0).abs() < 1e-6);
        assert!((of(Figure::ServerEncrypt) - 100.0).abs() < 1e-6);
        assert!((of(Figure::ClientDecrypt) - 120.0).abs() < 1e-6);
        assert!((of(Figure::ServerDecrypt) - 90.0).abs() < 1e-6);
        assert!((of(Figure::Transmission) - 300.0).abs() < 1e-6);
        assert!((of(Figure::Total) - 1020.0).abs() < 1e-6);
        let share = Figure::Share.of(&row).expect("it has stamps");
        assert!((share - 100.0 * 410.0 / 1020.0).abs() < 1e-9);
        assert_eq!(Figure::Handshake.of(&row), None);
        for figure in Figure::ALL {
            assert_eq!(Figure::by_name(figure.name()), Some(figure));
        }
    }

    #[test]
    fn a_line_cut_off_does_not_lose_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/rows.jsonl");
        let (mut rows, before): (Rows, Vec<Row>) = Rows::open(&path).expect("new");
        assert!(before.is_empty());
        for repetition in 0..3 {
            rows.push(&sample("aes-128-cbc", repetition, 100))
                .expect("written");
        }
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::write(&path, &text[..text.len() - 20]).expect("cut");
        let (mut rows, before): (Rows, Vec<Row>) = Rows::open(&path).expect("two whole lines");
        assert_eq!(before.len(), 2);
        rows.push(&sample("aes-128-cbc", 2, 100)).expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("there"), text);

        std::fs::write(&path, format!("nonsense\n{text}")).expect("written");
        let error = Rows::open::<Row>(&path).expect_err("a bad line is not lost in silence");
        assert!(error.to_string().contains("line 1"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_there_is_told_with_what_writes_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let hint = |error: Error| error.hint().expect("a hint");
        let path = folder.path().join("none.jsonl");
        assert!(hint(read::<Row>(&path).expect_err("none")).contains("run`, `tls`"));
        assert!(hint(read::<Served>(&path).expect_err("none")).contains("peer"));
        std::fs::create_dir(&path).expect("a folder in its place");
        let error = Rows::open::<Row>(&path).expect_err("not a file");
        assert!(hint(error).contains("can be written"));
    }
}
