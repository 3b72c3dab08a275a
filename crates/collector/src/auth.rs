//! Who may do what: users with passwords and sessions, programs and devices with tokens.
//!
//! Passwords are kept as Argon2id hashes [RFC9106], tokens and sessions as SHA-256 of 32
//! random bytes, which no dictionary holds.

use std::collections::HashMap;
use std::io::Write;
use std::net::{IpAddr, Ipv6Addr};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::message::is_name;

/// A session ends after this, in use or not.
pub const SESSION_MS: i64 = 12 * 3_600_000;
const SESSIONS_MAX: usize = 1000;
/// Failures of one address before it has to wait.
const FAILURES_MAX: u32 = 5;
const FAILURES_MS: i64 = 60_000;
const ADDRESSES_MAX: usize = 10_000;
pub const PASSWORD_MIN: usize = 10;
const PASSWORD_MAX: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sends readings, and nothing else.
    Device,
    /// Sees everything.
    Viewer,
    /// Changes things.
    Admin,
}

impl Role {
    pub fn parse(text: &str) -> Option<Role> {
        Some(match text {
            "device" => Role::Device,
            "viewer" => Role::Viewer,
            "admin" => Role::Admin,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Role::Device => "device",
            Role::Viewer => "viewer",
            Role::Admin => "admin",
        }
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub name: String,
    pub role: Role,
    /// False for a token, which no browser sends by itself.
    pub by_cookie: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct User {
    role: Role,
    hash: String,
}

/// The file of users: `name:role:hash` a line, mode 0600. It is read again when it has
/// changed, so a command can edit it while the collector runs.
#[derive(Debug)]
pub struct Users {
    path: PathBuf,
}

impl Users {
    /// The users of a state directory, which is made if it is not there (mode 0700).
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

    /// Makes `admin` with a random password if there is nobody; gives the file with it.
    pub fn first(&self) -> Result<Option<PathBuf>> {
        if self.path.exists() {
            return Ok(None);
        }
        let password = Zeroizing::new(URL_SAFE_NO_PAD.encode(&random::<15>()?[..]));
        let path = self.path.with_file_name("admin-password");
        write_private(&path, format!("{}\n", *password).as_bytes())?;
        self.set("admin", Role::Admin, &password)?;
        Ok(Some(path))
    }

    /// Adds a user, or gives one another password and role.
    pub fn set(&self, name: &str, role: Role, password: &str) -> Result<()> {
        if !is_name(name, 32) {
            return Err(Error::Invalid(format!(
                "'{name}' is no name: letters, digits, dot, underscore and hyphen, at most 32"
            )));
        }
        if !(PASSWORD_MIN..=PASSWORD_MAX).contains(&password.len()) {
            return Err(Error::Invalid(format!(
                "a password has {PASSWORD_MIN} to {PASSWORD_MAX} bytes"
            )));
        }
        let hash = hash_password(password)?;
        let mut users = self.all()?;
        users.insert(name.into(), User { role, hash });
        self.write(&users)
    }

    pub fn remove(&self, name: &str) -> Result<()> {
        let mut users = self.all()?;
        if users.remove(name).is_none() {
            return Err(Error::Unknown {
                what: format!("user '{name}'"),
            });
        }
        self.write(&users)
    }

    pub fn list(&self) -> Result<Vec<(String, Role)>> {
        let mut list: Vec<_> = self
            .all()?
            .into_iter()
            .map(|(name, user)| (name, user.role))
            .collect();
        list.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(list)
    }

    fn all(&self) -> Result<HashMap<String, User>> {
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
            "{}:{number}: not NAME:ROLE:HASH",
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

/// Refuses what other users may read.
fn private(path: &Path) -> Result<()> {
    let metadata = std::fs::metadata(path).map_err(|source| Error::Read {
        path: path.into(),
        source,
    })?;
    let mode = metadata.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(Error::Permissions {
            path: path.into(),
            mode,
        });
    }
    Ok(())
}

/// A whole new file in place of the old one, mode 0600.
fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let new = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let _ = std::fs::remove_file(&new);
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&new, path)
    };
    write().map_err(|source| Error::Write {
        path: path.into(),
        source,
    })
}

/// The secret of a file, which is made if it is not there (mode 0600).
pub fn secret_file(path: &Path) -> Result<Zeroizing<String>> {
    if !path.exists() {
        let secret = Zeroizing::new(hex::encode(&random::<32>()?[..]));
        write_private(path, format!("{}\n", *secret).as_bytes())?;
        return Ok(secret);
    }
    private(path)?;
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.into(),
        source,
    })?;
    let text = Zeroizing::new(text);
    Ok(Zeroizing::new(text.trim().to_string()))
}

/// 19 MiB, 2 passes, 1 lane: OWASP's first choice, and a second on a small computer.
fn argon2() -> Argon2<'static> {
    let params = Params::new(19_456, 2, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

fn hash_password(password: &str) -> Result<String> {
    let refused = |error: argon2::password_hash::Error| Error::Invalid(error.to_string());
    let salt = SaltString::encode_b64(&random::<16>()?[..]).map_err(refused)?;
    let hash = argon2().hash_password(password.as_bytes(), &salt);
    Ok(hash.map_err(refused)?.to_string())
}

pub fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut *bytes).map_err(|error| Error::Random(error.to_string()))?;
    Ok(bytes)
}

fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// A session, as the database keeps it: the secret is with the browser alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// SHA-256 of the secret.
    pub id: [u8; 32],
    pub user: String,
    /// SHA-256 of the password's hash at the login: a changed password or role ends it.
    pub stamp: [u8; 32],
    pub expires: i64,
}

/// A login that succeeded.
#[derive(Debug)]
pub struct Login {
    pub secret: Zeroizing<String>,
    pub role: Role,
    pub session: Session,
}

/// Sessions, tokens, and who failed how often.
pub struct Auth {
    users: Users,
    sessions: Mutex<HashMap<[u8; 32], Session>>,
    tokens: Mutex<HashMap<[u8; 32], (i64, String, Role)>>,
    failures: Mutex<HashMap<IpAddr, (i64, u32)>>,
    /// What an unknown user's password is compared with, so that it takes as long.
    nobody: String,
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Auth")
    }
}

/// Why a login did not succeed.
#[derive(Debug)]
pub enum Refusal {
    TooMany,
    Wrong,
    Failed(Error),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Auth {
    pub fn new(users: Users) -> Result<Auth> {
        Ok(Auth {
            users,
            sessions: Mutex::default(),
            tokens: Mutex::default(),
            failures: Mutex::default(),
            nobody: hash_password("nobody has this password")?,
        })
    }

    /// Takes a password's time: not for a thread that others wait for. Gives the session's
    /// secret and the role.
    pub fn login(
        &self,
        address: IpAddr,
        name: &str,
        password: &str,
        now: i64,
    ) -> Result<Login, Refusal> {
        let address = neighbourhood(address);
        {
            let mut failures = lock(&self.failures);
            if failures.len() >= ADDRESSES_MAX {
                failures.retain(|_, (since, _)| now - *since < FAILURES_MS);
            }
            let full = failures.len() >= ADDRESSES_MAX;
            let entry = failures.entry(address).or_insert((now, 0));
            if now - entry.0 >= FAILURES_MS {
                *entry = (now, 0);
            }
            if entry.1 >= FAILURES_MAX || full {
                return Err(Refusal::TooMany);
            }
            // Counted before it is known, so that many at once do not all pass.
            entry.1 += 1;
        }
        let users = self.users.all().map_err(Refusal::Failed)?;
        let user = users.get(name);
        let hash = user.map_or(&self.nobody, |user| &user.hash);
        let right = password.len() <= PASSWORD_MAX
            && PasswordHash::new(hash)
                .is_ok_and(|hash| argon2().verify_password(password.as_bytes(), &hash).is_ok());
        let (Some(user), true) = (user, right) else {
            return Err(Refusal::Wrong);
        };
        if let Some(entry) = lock(&self.failures).get_mut(&address) {
            entry.1 = entry.1.saturating_sub(1);
        }
        let bytes = random::<32>().map_err(Refusal::Failed)?;
        let secret = Zeroizing::new(URL_SAFE_NO_PAD.encode(&bytes[..]));
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, session| session.expires > now);
        if sessions.len() >= SESSIONS_MAX {
            return Err(Refusal::TooMany);
        }
        let session = Session {
            id: sha256(&secret),
            user: name.into(),
            stamp: sha256(&user.hash),
            expires: now + SESSION_MS,
        };
        sessions.insert(session.id, session.clone());
        Ok(Login {
            secret,
            role: user.role,
            session,
        })
    }

    /// A session of an earlier run.
    pub fn remember_session(&self, session: Session) {
        lock(&self.sessions).insert(session.id, session);
    }

    /// Gives the id of the session that is over.
    pub fn logout(&self, secret: &str) -> [u8; 32] {
        let id = sha256(secret);
        lock(&self.sessions).remove(&id);
        id
    }

    pub fn session(&self, secret: &str, now: i64) -> Option<Caller> {
        let (name, stamp) = {
            let sessions = lock(&self.sessions);
            let session = sessions.get(&sha256(secret))?;
            if session.expires <= now {
                return None;
            }
            (session.user.clone(), session.stamp)
        };
        // The file is small, and the last word.
        let users = self.users.all().ok()?;
        let user = users
            .get(&name)
            .filter(|user| sha256(&user.hash) == stamp)?;
        Some(Caller {
            name,
            role: user.role,
            by_cookie: true,
        })
    }

    pub fn token(&self, secret: &str) -> Option<Caller> {
        // Found by its hash: how long that takes says nothing about the secret.
        let tokens = lock(&self.tokens);
        let (_, name, role) = tokens.get(&sha256(secret))?;
        Some(Caller {
            name: name.clone(),
            role: *role,
            by_cookie: false,
        })
    }

    pub fn remember_token(&self, hash: [u8; 32], id: i64, name: &str, role: Role) {
        lock(&self.tokens).insert(hash, (id, name.into(), role));
    }

    pub fn forget_token(&self, id: i64) {
        lock(&self.tokens).retain(|_, token| token.0 != id);
    }
}

/// How much an address may post in a minute without a token.
pub const STRANGER_POSTS: u32 = 600;

/// What addresses without a token have posted in their minute.
#[derive(Debug, Default)]
pub struct Strangers(Mutex<HashMap<IpAddr, (i64, u32)>>);

impl Strangers {
    /// True if there is room for one more.
    pub fn take(&self, address: IpAddr, now: i64) -> bool {
        let mut counts = lock(&self.0);
        if counts.len() >= ADDRESSES_MAX {
            counts.retain(|_, (since, _)| now - *since < FAILURES_MS);
        }
        if counts.len() >= ADDRESSES_MAX {
            return false;
        }
        let entry = counts.entry(neighbourhood(address)).or_insert((now, 0));
        if now - entry.0 >= FAILURES_MS {
            *entry = (now, 0);
        }
        entry.1 = entry.1.saturating_add(1);
        entry.1 <= STRANGER_POSTS
    }
}

/// A new token and its hash. The token is shown once.
pub fn new_token() -> Result<(Zeroizing<String>, [u8; 32])> {
    let bytes = random::<32>()?;
    let token = Zeroizing::new(format!("selo_{}", URL_SAFE_NO_PAD.encode(&bytes[..])));
    let hash = sha256(&token);
    Ok((token, hash))
}

/// Who has one address of IPv6 has the 2^64 around it.
pub fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let network = u128::from(v6) & !u128::from(u64::MAX);
            Ipv6Addr::from(network).into()
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auth() -> (tempfile::TempDir, Auth, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let users = Users::open(&folder.path().join("state")).expect("opens");
        let file = users.first().expect("works").expect("the first start");
        assert_eq!(
            std::fs::metadata(&file).expect("there").mode() & 0o777,
            0o600
        );
        let password = std::fs::read_to_string(file).expect("readable");
        assert!(users.first().expect("works").is_none());
        let auth = Auth::new(users).expect("works");
        (folder, auth, password.trim().into())
    }

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn a_session_lasts_until_its_user_changes_or_its_time_is_over() {
        let (_folder, auth, password) = auth();
        let login = auth.login(HOME, "admin", &password, 0).expect("right");
        assert_eq!(login.role, Role::Admin);
        let secret = login.secret;
        let caller = auth.session(&secret, 1).expect("logged in");
        assert_eq!((caller.name.as_str(), caller.role), ("admin", Role::Admin));
        assert!(auth.session(&secret, SESSION_MS).is_none());
        auth.users
            .set("admin", Role::Viewer, "another password")
            .expect("set");
        assert!(auth.session(&secret, 1).is_none());
        let Login { secret, role, .. } = auth
            .login(HOME, "admin", "another password", 0)
            .expect("right");
        assert_eq!(role, Role::Viewer);
        auth.logout(&secret);
        assert!(auth.session(&secret, 1).is_none());
    }

    #[test]
    fn who_guesses_has_to_wait() {
        let (_folder, auth, password) = auth();
        for name in ["admin", "nobody"]
            .iter()
            .cycle()
            .take(FAILURES_MAX as usize)
        {
            let refusal = auth.login(HOME, name, "wrong", 0).expect_err("wrong");
            assert!(matches!(refusal, Refusal::Wrong));
        }
        let refusal = auth.login(HOME, "admin", &password, 1).expect_err("waits");
        assert!(matches!(refusal, Refusal::TooMany));
        let other = "192.0.2.1".parse().expect("an address");
        auth.login(other, "admin", &password, 1)
            .expect("another address");
        auth.login(HOME, "admin", &password, FAILURES_MS)
            .expect("later");
    }

    #[test]
    fn files_that_others_may_read_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, ..) = auth();
        let state = folder.path().join("state");
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(state.join("users"), open).expect("set");
        let error = Users::open(&state).expect_err("open to all");
        assert!(error.hint().expect("a hint").starts_with("chmod 600"));
    }

    #[test]
    fn names_and_passwords_have_a_form() {
        let (_folder, auth, _) = auth();
        for (name, password) in [("a:b", "long enough"), ("", "long enough"), ("a", "short")] {
            assert!(auth.users.set(name, Role::Viewer, password).is_err());
        }
        assert!(auth.users.remove("a").is_err());
    }

    #[test]
    fn a_stranger_has_so_many_posts_a_minute() {
        let strangers = Strangers::default();
        let other = "192.0.2.1".parse().expect("an address");
        assert!((0..STRANGER_POSTS).all(|_| strangers.take(HOME, 0)));
        assert!(!strangers.take(HOME, FAILURES_MS - 1));
        assert!(strangers.take(other, FAILURES_MS - 1));
        assert!(strangers.take(HOME, FAILURES_MS));
    }

    #[test]
    fn a_token_is_known_until_it_is_forgotten() {
        let (_folder, auth, _) = auth();
        let (token, hash) = new_token().expect("made");
        assert!(auth.token(&token).is_none());
        auth.remember_token(hash, 7, "rain", Role::Device);
        assert_eq!(auth.token(&token).expect("known").role, Role::Device);
        auth.forget_token(7);
        assert!(auth.token(&token).is_none());
    }
}
