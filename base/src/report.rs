//! Error reports for the user: what happened, where, what to do, and the exit code.
//!
//! Every error type of a library implements [`Failure`]. A command returns [`Result`], to which `?`
//! converts any of them. [`Report::print`] is the only place that shows an error.

use std::error::Error as StdError;
use std::fmt;

/// Exit codes of both commands, as listed in docs/reference.md.
pub mod exit {
    /// Success.
    pub const DONE: u8 = 0;
    /// A check or a measurement failed.
    pub const FAILED: u8 = 1;
    /// Wrong usage, or invalid data in a file.
    pub const USAGE: u8 = 2;
    /// A required program, service or port is missing.
    pub const MISSING: u8 = 3;
    /// An error of the machine: a disk, a network, or a program that was started.
    pub const MACHINE: u8 = 4;
    /// Interrupted by Ctrl-C.
    pub const INTERRUPTED: u8 = 130;
}

/// An error that a command can show. Its `Display` says what happened and where.
pub trait Failure: StdError {
    /// A one-line hint for the user, if there is one.
    fn hint(&self) -> Option<String> {
        None
    }

    /// One of [`exit`].
    fn exit_code(&self) -> u8 {
        exit::MACHINE
    }
}

impl Failure for std::io::Error {}
impl Failure for fmt::Error {}
impl Failure for serde_json::Error {}
impl Failure for std::string::FromUtf8Error {}

/// A message with a hint, for errors without a type of their own.
#[derive(Debug)]
struct Plain {
    message: String,
    hint: Option<String>,
    code: u8,
}

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Plain {}

impl Failure for Plain {
    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }

    fn exit_code(&self) -> u8 {
        self.code
    }
}

/// An error of another crate, which does not implement [`Failure`].
#[derive(Debug)]
struct Other<E>(E);

impl<E: fmt::Display> fmt::Display for Other<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: StdError + 'static> StdError for Other<E> {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

impl<E: StdError + 'static> Failure for Other<E> {}

/// Converts an error of another crate to an error of the machine, for `map_err`.
pub fn machine<E: StdError + Send + Sync + 'static>(error: E) -> Report {
    Report::from(Other(error))
}

/// An error of another crate on one line: its message, then each cause that is not in it already.
pub fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = cause.source();
    }
    text
}

/// The result of a command.
pub type Result<T> = std::result::Result<T, Report>;

/// An error, with the actions during which it happened.
#[derive(Debug)]
pub struct Report {
    /// The actions during which it happened, the outermost last.
    doing: Vec<String>,
    error: Box<dyn Failure + Send + Sync>,
}

impl<E: Failure + Send + Sync + 'static> From<E> for Report {
    fn from(error: E) -> Report {
        Report {
            doing: Vec::new(),
            error: Box::new(error),
        }
    }
}

impl Report {
    /// An error of the machine without a type of its own.
    pub fn new(message: impl Into<String>) -> Report {
        Report::with_code(message, None, exit::MACHINE)
    }

    /// Wrong usage or invalid data, with a hint.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Report {
        Report::with_code(message, Some(hint.into()), exit::USAGE)
    }

    /// Something required is missing. The hint says how to get it.
    pub fn missing(message: impl Into<String>, hint: impl Into<String>) -> Report {
        Report::with_code(message, Some(hint.into()), exit::MISSING)
    }

    fn with_code(message: impl Into<String>, hint: Option<String>, code: u8) -> Report {
        Report::from(Plain {
            message: message.into(),
            hint,
            code,
        })
    }

    /// Adds an action during which the error happened.
    #[must_use]
    pub fn while_doing(mut self, doing: impl Into<String>) -> Report {
        self.doing.push(doing.into());
        self
    }

    /// One of [`exit`].
    pub fn exit_code(&self) -> u8 {
        self.error.exit_code()
    }

    /// The hint for the user.
    pub fn hint(&self) -> Option<String> {
        self.error.hint()
    }

    /// The message, then each cause that the previous line does not already contain.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.doing.iter().rev().cloned().collect();
        let mut cause: Option<&dyn StdError> = Some(&*self.error);
        while let Some(error) = cause {
            let text = error.to_string();
            if lines.last().is_none_or(|said| !said.contains(&text)) {
                lines.push(text);
            }
            cause = error.source();
        }
        lines
    }

    /// Whether the reader of standard output has gone away, as in `selo ... | head`.
    pub fn is_closed_output(&self) -> bool {
        let mut cause: Option<&dyn StdError> = Some(&*self.error);
        while let Some(error) = cause {
            let io = error.downcast_ref::<std::io::Error>();
            if io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe) {
                return true;
            }
            cause = error.source();
        }
        false
    }

    /// Prints the error on standard error. Returns the exit code.
    pub fn print(&self, program: &str) -> u8 {
        if self.is_closed_output() {
            return exit::DONE;
        }
        for (number, line) in self.lines().iter().enumerate() {
            match number {
                0 => eprintln!("{program}: {line}"),
                _ => eprintln!("  because: {line}"),
            }
        }
        if let Some(hint) = self.hint() {
            eprintln!("hint: {hint}");
        }
        self.exit_code()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join(": "))
    }
}

/// Adds the action during which something failed.
pub trait Context<T> {
    /// Adds `doing` to an error, such as "cannot write the report".
    fn context(self, doing: impl Into<String>) -> Result<T>;

    /// The same, but builds the text only if there is an error.
    fn with_context<S: Into<String>>(self, doing: impl FnOnce() -> S) -> Result<T>;
}

impl<T, E: Into<Report>> Context<T> for std::result::Result<T, E> {
    fn context(self, doing: impl Into<String>) -> Result<T> {
        self.map_err(|error| error.into().while_doing(doing))
    }

    fn with_context<S: Into<String>>(self, doing: impl FnOnce() -> S) -> Result<T> {
        self.map_err(|error| error.into().while_doing(doing()))
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, doing: impl Into<String>) -> Result<T> {
        self.ok_or_else(|| Report::new(doing))
    }

    fn with_context<S: Into<String>>(self, doing: impl FnOnce() -> S) -> Result<T> {
        self.ok_or_else(|| Report::new(doing()))
    }
}

/// Returns an error of the machine with a formatted message.
#[macro_export]
macro_rules! bail {
    ($($words:tt)*) => {
        return Err($crate::report::Report::new(format!($($words)*)).into())
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot read x.toml")]
    struct Cannot(#[source] std::io::Error);

    impl Failure for Cannot {
        fn hint(&self) -> Option<String> {
            Some("make it readable".into())
        }

        fn exit_code(&self) -> u8 {
            exit::USAGE
        }
    }

    fn read() -> Result<()> {
        let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        Err(Cannot(denied)).context("the project does not load")
    }

    #[test]
    fn an_error_tells_its_way_its_cause_its_hint_and_its_code() {
        let report = read().expect_err("it fails");
        assert_eq!(
            report.lines(),
            [
                "the project does not load",
                "cannot read x.toml",
                "permission denied"
            ]
        );
        assert_eq!(report.hint().as_deref(), Some("make it readable"));
        assert_eq!(report.exit_code(), exit::USAGE);
    }

    #[test]
    fn a_cause_that_was_named_is_not_repeated() {
        let io = std::io::Error::other("disk full");
        let report = Report::from(io).while_doing("cannot write: disk full");
        assert_eq!(report.lines(), ["cannot write: disk full"]);
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let closed = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let report = Report::from(Cannot(closed));
        assert!(report.is_closed_output());
        assert_eq!(report.print("selo"), exit::DONE);
    }
}
