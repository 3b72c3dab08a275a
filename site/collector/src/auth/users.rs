//! The file of users and their passwords.

use std::collections::HashMap;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use argon2::password_hash::{PasswordHasher, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::caller::Role;
use super::secrets::{private, random, write_private};
use super::verify;
use crate::error::{Error, Result};
use crate::message::is_name;

/// Name of the first admin.
const FIRST: &str = "admin";
/// Minimum length of a password, in bytes.
pub const PASSWORD_MIN: usize = 10;
pub(super) const PASSWORD_MAX: usize = 1024;
/// Maximum users that the page adds.
const USERS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct User {
    pub role: Role,
    pub hash: String,
}

/// The user file: one `name:role:hash` per line, mode 0600. It is reloaded when it changes, so a
/// command can edit it while the collector runs.
#[derive(Debug)]
pub struct Users {
    pub(super) path: PathBuf,
}

impl Users {
    /// Opens the users of a state directory. Creates the directory (mode 0700) if it does not
    /// exist.
    pub fn open(state: &Path) -> Result<Users> {
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
        Ok(Users { path })
    }

    /// Creates `admin` with a random password if there are no users. Returns the file that holds
    /// the password.
    pub fn first(&self) -> Result<Option<PathBuf>> {
        if self.path.exists() {
            return Ok(None);
        }
        let password = Zeroizing::new(URL_SAFE_NO_PAD.encode(&random::<15>()?[..]));
        let path = self.first_file();
        write_private(&path, format!("{}\n", *password).as_bytes())?;
        self.put(FIRST, Role::Admin, &password)?;
        Ok(Some(path))
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
        let users = self.all().ok().filter(|_| self.path.exists())?;
        let user = users.get(FIRST);
        if user.is_some_and(|user| verify::is_of(password.as_bytes(), &user.hash)) {
            return Some(password);
        }
        self.end_first(FIRST);
        None
    }

    /// Adds a user, or replaces the password and role of an existing one.
    pub fn set(&self, name: &str, role: Role, password: &str) -> Result<()> {
        self.put(name, role, password)?;
        self.end_first(name);
        Ok(())
    }

    /// Removes the first password's file once it is not valid any more. If that fails, the file
    /// opens nothing: the user file has another hash.
    fn end_first(&self, name: &str) {
        if name == FIRST {
            let _ = std::fs::remove_file(self.first_file());
        }
    }

    fn put(&self, name: &str, role: Role, password: &str) -> Result<()> {
        if !is_name(name, 32) {
            return Err(Error::Invalid(format!(
                "'{name}' is not a valid name: letters, digits, dot, underscore and hyphen, at most 32"
            )));
        }
        check_password(password)?;
        let hash = hash_password(password)?;
        let mut users = self.all()?;
        users.insert(name.into(), User { role, hash });
        self.write(&users)
    }

    /// Adds a user. A name that is taken is refused.
    pub fn add(&self, name: &str, role: Role, password: &str) -> Result<()> {
        if self.all()?.contains_key(name) {
            return Err(Error::Invalid(format!("there is a user '{name}' already")));
        }
        if self.all()?.len() >= USERS_MAX {
            return Err(Error::Invalid(format!("more than {USERS_MAX} users")));
        }
        self.set(name, role, password)
    }

    /// Changes the role or the password of a user, or both.
    pub fn change(&self, name: &str, role: Option<Role>, password: Option<&str>) -> Result<()> {
        let mut users = self.all()?;
        let user = users.get_mut(name).ok_or_else(|| unknown(name))?;
        let role = role.unwrap_or(user.role);
        user.role = role;
        keep_admin(&users)?;
        match password {
            Some(password) => self.set(name, role, password),
            None => self.write(&users),
        }
    }

    /// Removes a user, unless nobody could change anything afterwards.
    pub fn remove_but_last_admin(&self, name: &str) -> Result<()> {
        let mut users = self.all()?;
        users.remove(name).ok_or_else(|| unknown(name))?;
        keep_admin(&users)?;
        self.write(&users)?;
        self.end_first(name);
        Ok(())
    }

    /// Removes a user. Returns [`Error::Unknown`] if there is none with this name.
    pub fn remove(&self, name: &str) -> Result<()> {
        let mut users = self.all()?;
        if users.remove(name).is_none() {
            return Err(unknown(name));
        }
        self.write(&users)?;
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

    pub(super) fn all(&self) -> Result<HashMap<String, User>> {
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

    fn write(&self, users: &HashMap<String, User>) -> Result<()> {
        let mut lines: Vec<String> = users
            .iter()
            .map(|(name, user)| format!("{name}:{}:{}\n", user.role.name(), user.hash))
            .collect();
        lines.sort();
        write_private(&self.path, lines.concat().as_bytes())
    }
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
fn keep_admin(users: &HashMap<String, User>) -> Result<()> {
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
