//! The users of collectors that share a database, as rows.
//!
//! Each change first increments the number of changes, in the same transaction. The row stays locked
//! until the transaction ends, so a second collector reads the users as the first has left them. The
//! number tells the others that something has changed ([`super::shared`]).
//!
//! A removed user stays as a row without role and hash. A file of users that is taken over later, of
//! another collector or from a backup, does not bring the user back.

use std::path::Path;

use super::caller::Role;
use super::kept::{People, User};
use crate::db::{Database, Location, transaction};
use crate::error::Result;
use crate::{schema, sql};

/// Opens the database, which must have the tables of this version.
pub(super) fn open(place: &Location) -> Result<Box<dyn Database>> {
    let mut db = place.open_brief()?;
    schema::check(&mut *db)?;
    Ok(db)
}

/// All users.
pub(super) fn all(db: &mut dyn Database) -> Result<People> {
    let rows = db.query(sql::PEOPLE, &[])?;
    let user = |row: &crate::db::Row| {
        let role = Role::parse(row.opt_text(1)?)?;
        let hash = row.opt_text(2)?.into();
        Some((row.text(0).into(), User { role, hash }))
    };
    Ok(rows.iter().filter_map(user).collect())
}

/// Changes the users. Nothing changes if `work` fails.
pub(super) fn edit(place: &Location, work: impl FnOnce(&mut People) -> Result<()>) -> Result<()> {
    let mut db = open(place)?;
    transaction(&mut *db, |db| {
        db.execute(sql::CHANGE_ACCESS, &[])?;
        let before = all(db)?;
        let mut after = before.clone();
        work(&mut after)?;
        for (name, user) in &after {
            if before.get(name) != Some(user) {
                put(db, name, Some(user))?;
            }
        }
        for name in before.keys().filter(|name| !after.contains_key(*name)) {
            put(db, name, None)?;
        }
        Ok(())
    })
}

/// Stores a user, or that there is none any more.
fn put(db: &mut dyn Database, name: &str, user: Option<&User>) -> Result<()> {
    let role = user.map(|user| user.role.name());
    let hash = user.map(|user| user.hash.as_str());
    db.execute(sql::SET_PERSON, &[name.into(), role.into(), hash.into()])?;
    Ok(())
}

/// Users of a file that the database has taken over, and users that it knew before.
#[derive(Debug, Default)]
pub(super) struct Taken {
    new: Vec<String>,
    known: Vec<String>,
}

impl Taken {
    pub fn log(mut self, file: &Path) {
        let file = file.display();
        self.new.sort();
        self.known.sort();
        if !self.new.is_empty() {
            let names = self.new.join(", ");
            tracing::info!("the database has taken over users of {file}: {names}");
        }
        if !self.known.is_empty() {
            let names = self.known.join(", ");
            tracing::info!(
                "the database has these users of {file} already, or they were removed: {names}; \
                 their passwords and roles are those of the database"
            );
        }
    }
}

/// Adds the users of a file whose names the database has never had. Then, if it has never had users,
/// adds the one that `first` makes.
pub(super) fn take_over(
    place: &Location,
    file: &People,
    first: impl FnOnce() -> Result<(String, User)>,
) -> Result<Taken> {
    let mut db = open(place)?;
    transaction(&mut *db, |db| {
        db.execute(sql::CHANGE_ACCESS, &[])?;
        let rows = db.query(sql::PEOPLE, &[])?;
        let mut taken = Taken::default();
        for (name, user) in file {
            if rows.iter().any(|row| row.text(0) == name) {
                taken.known.push(name.clone());
            } else {
                put(db, name, Some(user))?;
                taken.new.push(name.clone());
            }
        }
        if rows.is_empty() && file.is_empty() {
            let (name, user) = first()?;
            put(db, &name, Some(&user))?;
        }
        Ok(taken)
    })
}
