//! The made public pages.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::public::Form;

/// Lifetime of a made page.
pub const FRESH_MS: i64 = 30_000;

/// The made pages, by form.
#[derive(Debug, Default)]
pub struct Made(pub(super) Mutex<[Option<Page>; Form::COUNT]>);

/// The last attempt to make a page.
#[derive(Debug)]
pub(super) struct Page {
    /// Time of the attempt.
    pub at: i64,
    /// The page, or an older one if the attempt failed. `None` if none was ever made.
    pub body: Option<Arc<str>>,
}

impl Made {
    /// Drops the made pages, after a change of the settings.
    pub async fn forget(&self) {
        *self.0.lock().await = Default::default();
    }
}
