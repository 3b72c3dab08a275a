//! The log, on standard error. A line may contain external text: topics, names, addresses.
//! Characters that would start another line, move a terminal's cursor or reverse text are written
//! as numbers. All lines pass through this module, so no other crate needs to escape them.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Stderr, Write, stderr};

use tracing::field::Field;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts the log, with lines of text or of JSON.
pub fn start(level: LevelFilter, json: bool) {
    let colour = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    // The crates of broker and client log every packet. Our own code logs what an operator needs.
    let of_nats = if level > LevelFilter::INFO {
        level
    } else {
        LevelFilter::OFF
    };
    let targets = Targets::new()
        .with_default(level)
        // mqtt5 also logs the end of every client connection, without a limit.
        .with_target("mqtt5", level.min(LevelFilter::ERROR))
        .with_target("rumqttc", level.min(LevelFilter::WARN))
        // What fails at a NATS server is said by our own code, once and with a hint.
        .with_target("async_nats", of_nats);
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(colour)
        .with_target(false);
    let log = tracing_subscriber::registry().with(targets);
    if json {
        let lines = lines.with_writer(|| Json(stderr()));
        log.with(lines.json().flatten_event(true)).init();
    } else {
        let lines = lines.with_writer(stderr);
        log.with(lines.fmt_fields(debug_fn(field).delimited(" ")))
            .init();
    }
}

fn field(writer: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug) -> fmt::Result {
    let value = escaped(&format!("{value:?}"), |c| c.escape_default().to_string());
    match field.name() {
        "message" => write!(writer, "{value}"),
        name => write!(writer, "{name}={value}"),
    }
}

/// True for invisible characters that terminals and editors interpret: control characters, ends of
/// lines, and marks of the direction of text [UAX9, 2].
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
        || matches!(c, '\u{61c}' | '\u{feff}')
}

/// Replaces each hidden character of `text` by the result of `number`.
pub fn escaped(text: &str, number: impl Fn(char) -> String) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.push_str(&number(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Escapes the hidden characters of JSON lines. serde has already escaped those that JSON forbids.
struct Json(Stderr);

impl Write for Json {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(json(bytes).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Escapes the hidden characters of a line of JSON as JSON writes them.
pub fn json(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let (line, end) = match text.strip_suffix('\n') {
        Some(line) => (line, "\n"),
        None => (&*text, ""),
    };
    let number = |c: char| {
        let mut number = String::new();
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(number, "\\u{unit:04x}");
        }
        number
    };
    escaped(line, number) + end
}
