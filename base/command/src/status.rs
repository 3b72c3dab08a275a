//! A progress line on the terminal. Without a terminal it prints nothing.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The progress line. It is erased when dropped.
#[derive(Debug)]
pub struct StatusLine(ProgressBar);

impl Default for StatusLine {
    fn default() -> StatusLine {
        StatusLine::new()
    }
}

impl StatusLine {
    /// An empty progress line.
    pub fn new() -> StatusLine {
        let bar = ProgressBar::new_spinner();
        if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(200));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        StatusLine(bar)
    }

    pub fn say(&self, words: &str) {
        self.0.set_message(words.to_owned());
    }

    /// Hides the progress line while `print` prints.
    pub fn aside<R>(&self, print: impl FnOnce() -> R) -> R {
        self.0.suspend(print)
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
