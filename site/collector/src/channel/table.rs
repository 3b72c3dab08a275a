//! The channels of collectors that share a database, as one row. Each change first increments the number
//! of changes, so that changes of two collectors follow each other, and the others read it again.

use zeroize::Zeroizing;

use crate::db::{Database, Location, transaction};
use crate::error::Result;
use crate::sql;

/// The channels as JSON, with their secrets; `None` if there has never been one.
pub(super) fn read(db: &mut dyn Database) -> Result<Option<Zeroizing<String>>> {
    let rows = db.query(sql::CHANNELS, &[])?;
    Ok(rows.first().map(|row| row.text(0).to_owned().into()))
}

/// Changes the channels: `work` gets what there is, and returns what there is to be. Nothing changes if
/// it fails.
pub(super) fn edit<T>(
    place: &Location,
    work: impl FnOnce(Option<&str>) -> Result<(Zeroizing<String>, T)>,
) -> Result<T> {
    let mut db = place.open_brief()?;
    transaction(&mut *db, |db| {
        db.execute(sql::CHANGE_ACCESS, &[])?;
        let before = read(db)?;
        let (after, done) = work(before.as_ref().map(|text| text.as_str()))?;
        if before.as_ref() != Some(&after) {
            db.execute(sql::SET_CHANNELS, &[after.as_str().into()])?;
        }
        Ok(done)
    })
}
