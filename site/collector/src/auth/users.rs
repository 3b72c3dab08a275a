//! The users and their passwords: in a file, or in the database that collectors share.

use std::collections::HashMap;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use argon2::password_hash::{PasswordHasher, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::caller::Role;
use super::kept::{People, User};
use super::secrets::{private, random, write_private};
use super::{table, verify};
use crate::db::Location;
use crate::error::{Error, Result};
use crate::message::is_name;

/// Name of the first admin.
const FIRST: &str = "admin";
/// Minimum length of a password, in bytes.
pub const PASSWORD_MIN: usize = 10;
pub(super) const PASSWORD_MAX: usize = 1024;
/// Maximum users that the page adds.
const USERS_MAX: usize = 200;

/// The users of a collector. The file has one `name:role:hash` per line, and mode 0600. It is reloaded
/// when it changes, so a command can edit it while the collector runs. Collectors that share a
/// database have their users there ([`table`]).
#[derive(Debug)]
pub struct Users {
    /// The user file. Beside it are other files with secrets.
    pub(super) path: PathBuf,
    database: Option<Location>,
}

impl Users {
    /// Opens the users of a state directory. Creates the directory (mode 0700) if it does not
    /// exist.
    pub fn open(state: &Path) -> Result<Users> {
        let users = Users::of(state, None)?;
        let moved = users.moved();
        if moved.exists() && !users.path.exists() {
            return Err(Error::Moved { path: moved });
        }
        Ok(users)
    }

    /// Opens the users of collectors that share a database. Does not connect.
    pub fn shared(state: &Path, database: Location) -> Result<Users> {
        Users::of(state, Some(database))
    }

    fn of(state: &Path, database: Option<Location>) -> Result<Users> {
        let made = std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(state);
        made.map_err(|source| Error::Write {
            path: state.into(),
            source,
        })?;
        private(state)?;
        let path = state.join("users");
        if path.exists() {
            private(&path)?;
        }
        Ok(Users { path, database })
    }

    /// The user file after the database has taken over its users.
    fn moved(&self) -> PathBuf {
        self.path.with_file_name("users.moved")
    }

    /// Creates `admin` with a random password if there have never been users. Returns the file that
    /// holds the password. A database that collectors share first takes over the users of the file.
    pub fn first(&self) -> Result<Option<PathBuf>> {
        match &self.database {
            Some(database) => self.take_over(database),
            None if self.path.exists() => Ok(None),
            None => {
                let (path, admin) = self.first_admin()?;
                self.edit(|people| {
                    people.insert(FIRST.into(), admin);
                    Ok(())
                })?;
                Ok(Some(path))
            }
        }
    }

    /// The first admin, and the file with the password.
    fn first_admin(&self) -> Result<(PathBuf, User)> {
        let password = Zeroizing::new(URL_SAFE_NO_PAD.encode(&random::<15>()?[..]));
        let path = self.first_file();
        write_private(&path, format!("{}\n", *password).as_bytes())?;
        let hash = hash_password(&password)?;
        let role = Role::Admin;
        Ok((path, User { role, hash }))
    }

    /// Takes over the users of the file, once: the file then has another name. If that fails, the next
    /// start finds each of its users in the database, also those that were removed meanwhile.
    fn take_over(&self, database: &Location) -> Result<Option<PathBuf>> {
        let moved = self.moved();
        if moved.exists() && self.path.exists() {
            let (path, moved) = (self.path.display(), moved.display());
            tracing::warn!(
                "{path} is not read: the users are in the database; hint: delete it, and {moved} too \
                 if you need no copy of the earlier users"
            );
        }
        let is_due = !moved.exists();
        let file = if is_due {
            self.in_file()?
        } else {
            HashMap::new()
        };
        let mut first = None;
        let done = table::take_over(database, &file, || {
            let (path, admin) = self.first_admin()?;
            first = Some(path);
            Ok((FIRST.into(), admin))
        })?;
        if is_due {
            done.log(&self.path);
            if self.path.exists() {
                std::fs::rename(&self.path, &moved).map_err(|source| Error::Write {
                    path: moved,
                    source,
                })?;
            } else {
                write_private(&moved, b"")?;
            }
            // If the database has another admin, the password is not valid.
            let _ = self.first_password();
        }
        Ok(first)
    }

    /// The file with the first admin's first password.
    fn first_file(&self) -> PathBuf {
        self.path.with_file_name("admin-password")
    }

    /// The first admin's password, as long as nobody has replaced it. A file whose password is not
    /// valid any more is removed: a user file that was restored or written by hand leaves it behind.
    /// Computes a hash.
    pub fn first_password(&self) -> Option<Zeroizing<String>> {
        let text = Zeroizing::new(std::fs::read_to_string(self.first_file()).ok()?);
        let password = Zeroizing::new(text.trim().to_string());
        // A user file that is unreadable, or not there yet, proves nothing.
        let is_there = self.database.is_some() || self.path.exists();
        let users = self.all().ok().filter(|_| is_there)?;
        let user = users.get(FIRST);
        if user.is_some_and(|user| verify::is_of(password.as_bytes(), &user.hash)) {
            return Some(password);
        }
        self.end_first(FIRST);
        None
    }

    /// Adds a user, or replaces the password and role of an existing one.
    pub fn set(&self, name: &str, role: Role, password: &str) -> Result<()> {
        let user = made(name, role, password)?;
        self.edit(|people| {
            people.insert(name.into(), user);
            Ok(())
        })?;
        self.end_first(name);
        Ok(())
    }

    /// Removes the first password's file once it is not valid any more. If that fails, the file
    /// opens nothing: the user has another hash.
    fn end_first(&self, name: &str) {
        if name == FIRST {
            let _ = std::fs::remove_file(self.first_file());
        }
    }

    /// Adds a user. A name that is taken is refused.
    pub fn add(&self, name: &str, role: Role, password: &str) -> Result<()> {
        let user = made(name, role, password)?;
        self.edit(|people| {
            if people.contains_key(name) {
                return Err(Error::Invalid(format!("there is a user '{name}' already")));
            }
            if people.len() >= USERS_MAX {
                return Err(Error::Invalid(format!("more than {USERS_MAX} users")));
            }
            people.insert(name.into(), user);
            Ok(())
        })?;
        self.end_first(name);
        Ok(())
    }

    /// Changes the role or the password of a user, or both.
    pub fn change(&self, name: &str, role: Option<Role>, password: Option<&str>) -> Result<()> {
        let hash = password.map(|password| {
            check_password(password)?;
            hash_password(password)
        });
        let hash = hash.transpose()?;
        let is_new = hash.is_some();
        self.edit(|people| {
            let user = people.get_mut(name).ok_or_else(|| unknown(name))?;
            user.role = role.unwrap_or(user.role);
            if let Some(hash) = hash {
                user.hash = hash;
            }
            keep_admin(people)
        })?;
        if is_new {
            self.end_first(name);
        }
        Ok(())
    }

    /// Removes a user, unless nobody could change anything afterwards.
    pub fn remove_but_last_admin(&self, name: &str) -> Result<()> {
        self.edit(|people| {
            people.remove(name).ok_or_else(|| unknown(name))?;
            keep_admin(people)
        })?;
        self.end_first(name);
        Ok(())
    }

    /// Removes a user. Returns [`Error::Unknown`] if there is none with this name.
    pub fn remove(&self, name: &str) -> Result<()> {
        self.edit(|people| people.remove(name).map(drop).ok_or_else(|| unknown(name)))?;
        self.end_first(name);
        Ok(())
    }

    /// The users with their roles, sorted by name.
    pub fn list(&self) -> Result<Vec<(String, Role)>> {
        let mut list: Vec<_> = self
            .all()?
            .into_iter()
            .map(|(name, user)| (name, user.role))
            .collect();
        list.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(list)
    }

    /// Changes the users. Nothing changes if `work` fails. No change of another collector is lost.
    fn edit(&self, work: impl FnOnce(&mut People) -> Result<()>) -> Result<()> {
        if let Some(database) = &self.database {
            return table::edit(database, work);
        }
        let mut people = self.in_file()?;
        work(&mut people)?;
        self.write(&people)
    }

    pub(super) fn all(&self) -> Result<People> {
        match &self.database {
            Some(database) => table::open(database).and_then(|mut db| table::all(&mut *db)),
            None => self.in_file(),
        }
    }

    fn in_file(&self) -> Result<People> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(HashMap::new()),
            Err(source) => {
                return Err(Error::Read {
                    path: self.path.clone(),
                    source,
                });
            }
        };
        let mut users = HashMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let mut fields = line.splitn(3, ':');
            let (Some(name), Some(role), Some(hash)) =
                (fields.next(), fields.next(), fields.next())
            else {
                return Err(self.bad_line(number));
            };
            let role = Role::parse(role).ok_or_else(|| self.bad_line(number))?;
            let hash = hash.into();
            users.insert(name.into(), User { role, hash });
        }
        Ok(users)
    }

    fn bad_line(&self, number: u32) -> Error {
        Error::Invalid(format!(
            "{}:{number}: expected NAME:ROLE:HASH",
            self.path.display()
        ))
    }

    fn write(&self, users: &People) -> Result<()> {
        let mut lines: Vec<String> = users
            .iter()
            .map(|(name, user)| format!("{name}:{}:{}\n", user.role.name(), user.hash))
            .collect();
        lines.sort();
        write_private(&self.path, lines.concat().as_bytes())
    }
}

/// A new user, if name and password are good.
fn made(name: &str, role: Role, password: &str) -> Result<User> {
    if !is_name(name, 32) {
        return Err(Error::Invalid(format!(
            "'{name}' is not a valid name: letters, digits, dot, underscore and hyphen, at most 32"
        )));
    }
    check_password(password)?;
    let hash = hash_password(password)?;
    Ok(User { role, hash })
}

/// Checks a new password's length.
pub fn check_password(password: &str) -> Result<()> {
    if (PASSWORD_MIN..=PASSWORD_MAX).contains(&password.len()) {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "a password must have {PASSWORD_MIN} to {PASSWORD_MAX} bytes"
    )))
}

fn unknown(name: &str) -> Error {
    Error::Unknown {
        what: format!("user '{name}'"),
    }
}

/// Refuses users among whom is no admin.
fn keep_admin(users: &People) -> Result<()> {
    if users.values().any(|user| user.role == Role::Admin) {
        return Ok(());
    }
    Err(Error::Invalid("the last admin must stay an admin".into()))
}

/// 19 MiB, 2 passes, 1 lane: OWASP's first recommendation. It takes about a second on a small
/// computer.
pub(super) fn argon2() -> Argon2<'static> {
    let params = Params::new(19_456, 2, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

pub(super) fn hash_password(password: &str) -> Result<String> {
    let refused = |error: argon2::password_hash::Error| Error::Invalid(error.to_string());
    let salt = SaltString::encode_b64(&random::<16>()?[..]).map_err(refused)?;
    let hash = argon2().hash_password(password.as_bytes(), &salt);
    Ok(hash.map_err(refused)?.to_string())
}
