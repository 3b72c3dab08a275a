//! The made public pages.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::public::Form;

/// Lifetime of a made page.
pub const FRESH_MS: i64 = 30_000;

/// The made pages, by form.
#[derive(Debug, Default)]
pub struct Made(pub(super) Mutex<[Option<Page>; Form::COUNT]>);

/// A made page, and when it was made.
type Page = (i64, Arc<str>);

impl Made {
    /// Drops the made pages, after a change of the settings.
    pub async fn forget(&self) {
        *self.0.lock().await = Default::default();
    }
}
