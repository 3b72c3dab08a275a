//! Access control: users with passwords and sessions, programs and devices with tokens.
//!
//! Passwords are stored as Argon2id hashes [RFC9106]. Tokens and sessions are 32 random bytes,
//! stored as SHA-256: no dictionary attack applies to them.

mod attempts;
mod gate;
mod scope;
mod verify;

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::net::{IpAddr, Ipv6Addr};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use argon2::password_hash::{PasswordHasher, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::watch;
use zeroize::Zeroizing;

use self::attempts::{Attempts, Counts};
use self::gate::Gate;
use crate::error::{Error, Result};
use crate::message::is_name;

pub use self::attempts::{FAILURES_MAX, FAILURES_MS, Origin};
pub use self::gate::{AT_ONCE, OF_ADDRESS, QUEUE};
pub use self::scope::{May, SITE, Scope};

/// Lifetime of a session, regardless of activity.
pub const SESSION_MS: i64 = 12 * 3_600_000;
/// Maximum sessions of one user. A new one evicts the session that would expire first.
pub const SESSIONS_OF_USER: usize = 50;
/// A session may show device keys for this long after its login.
pub const FRESH_MS: i64 = 15 * 60_000;
/// A browser is recognised for this long after a login.
pub const BROWSER_MS: i64 = 90 * 86_400_000;
/// Time limit of one login, from the start of its turn.
const DEADLINE: Duration = Duration::from_secs(20);
/// Minimum length of a password, in bytes.
pub const PASSWORD_MIN: usize = 10;
const PASSWORD_MAX: usize = 1024;

/// Role of a user or a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sends readings only.
    Device,
    /// Reads everything.
    Viewer,
    /// Reads and changes everything.
    Admin,
}

impl Role {
    /// Parses `device`, `viewer` or `admin`.
    pub fn parse(text: &str) -> Option<Role> {
        Some(match text {
            "device" => Role::Device,
            "viewer" => Role::Viewer,
            "admin" => Role::Admin,
            _ => return None,
        })
    }

    /// The inverse of [`Role::parse`].
    pub fn name(self) -> &'static str {
        match self {
            Role::Device => "device",
            Role::Viewer => "viewer",
            Role::Admin => "admin",
        }
    }
}

/// SHA-256 of the credential that a caller presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Proof {
    /// A session cookie, which browsers send automatically.
    Session([u8; 32]),
    /// A token, which browsers never send automatically.
    Token([u8; 32]),
}

/// The authenticated caller of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub name: String,
    pub role: Role,
    pub proof: Proof,
    /// Time of the login in Unix ms; `None` for a token.
    pub since: Option<i64>,
    /// Stations that the caller may send readings for.
    pub may: May,
}

impl Caller {
    /// Returns true if the caller is a person whose login is less than [`FRESH_MS`] old.
    pub fn is_fresh(&self, now: i64) -> bool {
        self.since
            .is_some_and(|since| (0..FRESH_MS).contains(&(now - since)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct User {
    role: Role,
    hash: String,
}

/// The user file: one `name:role:hash` per line, mode 0600. It is reloaded when it changes, so a
/// command can edit it while the collector runs.
#[derive(Debug)]
pub struct Users {
    path: PathBuf,
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
        let path = self.path.with_file_name("admin-password");
        write_private(&path, format!("{}\n", *password).as_bytes())?;
        self.set("admin", Role::Admin, &password)?;
        Ok(Some(path))
    }

    /// Adds a user, or replaces the password and role of an existing one.
    pub fn set(&self, name: &str, role: Role, password: &str) -> Result<()> {
        if !is_name(name, 32) {
            return Err(Error::Invalid(format!(
                "'{name}' is not a valid name: letters, digits, dot, underscore and hyphen, at most 32"
            )));
        }
        if !(PASSWORD_MIN..=PASSWORD_MAX).contains(&password.len()) {
            return Err(Error::Invalid(format!(
                "a password must have {PASSWORD_MIN} to {PASSWORD_MAX} bytes"
            )));
        }
        let hash = hash_password(password)?;
        let mut users = self.all()?;
        users.insert(name.into(), User { role, hash });
        self.write(&users)
    }

    /// Removes a user. Returns [`Error::Unknown`] if there is none with this name.
    pub fn remove(&self, name: &str) -> Result<()> {
        let mut users = self.all()?;
        if users.remove(name).is_none() {
            return Err(Error::Unknown {
                what: format!("user '{name}'"),
            });
        }
        self.write(&users)
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

/// Returns an error if other users may read the file.
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

/// Replaces a file atomically, with mode 0600.
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

/// Reads a secret from a file. Creates the file (mode 0600) with a random secret if it does not
/// exist.
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

/// 19 MiB, 2 passes, 1 lane: OWASP's first recommendation. It takes about a second on a small
/// computer.
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

/// Random bytes from the operating system.
pub fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut *bytes).map_err(|error| Error::Random(error.to_string()))?;
    Ok(bytes)
}

fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// A session as the database stores it. Only the browser has the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// SHA-256 of the secret.
    pub id: [u8; 32],
    pub user: String,
    /// SHA-256 of the password hash at login. A changed password or role therefore ends the
    /// session.
    pub stamp: [u8; 32],
    pub expires: i64,
}

/// A successful login.
#[derive(Debug)]
pub struct Login {
    pub secret: Zeroizing<String>,
    pub role: Role,
    pub session: Session,
    /// Ids of the user's older sessions that this login evicted.
    pub ended: Vec<[u8; 32]>,
}

/// A token without its secret.
#[derive(Debug, Clone)]
pub struct Token {
    pub id: i64,
    pub name: String,
    pub role: Role,
    pub scope: Arc<Scope>,
}

/// Sessions, tokens and failed-login counters.
pub struct Auth {
    users: Users,
    /// The users as of the last reload, so that no request waits for the disk.
    known: RwLock<Arc<HashMap<String, User>>>,
    sessions: Mutex<HashMap<[u8; 32], Session>>,
    tokens: Mutex<HashMap<[u8; 32], Token>>,
    attempts: Attempts,
    gate: Arc<Gate>,
    /// Key that signs the cookies of recognised browsers.
    browsers: Zeroizing<String>,
    /// Dummy hash that an unknown user's password is compared with, so that the timing does not
    /// reveal whether the user exists.
    nobody: String,
    /// Counts the changes that may have reduced somebody's rights.
    changes: watch::Sender<u64>,
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Auth")
    }
}

/// Reason why a login failed.
#[derive(Debug)]
pub enum Refusal {
    /// Too many failed logins to this account from this place.
    TooMany,
    /// Too many logins in progress; try again later.
    Busy,
    Wrong,
    Failed(Error),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Auth {
    /// Reads the users. Creates the key for browser cookies if it does not exist.
    pub fn new(users: Users) -> Result<Auth> {
        let browsers = secret_file(&users.path.with_file_name("browser-secret"))?;
        Ok(Auth {
            known: RwLock::new(Arc::new(users.all()?)),
            users,
            sessions: Mutex::default(),
            tokens: Mutex::default(),
            attempts: Attempts::default(),
            gate: Arc::default(),
            browsers,
            nobody: hash_password("no user has this password")?,
            changes: watch::Sender::new(0),
        })
    }

    /// Returns a receiver that is notified after each change that may have reduced somebody's
    /// rights.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Reloads the users. Blocks on the disk, so never call it on a thread that serves requests.
    pub fn refresh(&self) -> Result<()> {
        let users = self.users.all()?;
        let differs = **self.known.read().unwrap_or_else(PoisonError::into_inner) != users;
        if differs {
            *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(users);
            self.changed();
        }
        Ok(())
    }

    fn user(&self, name: &str) -> Option<User> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(name).cloned()
    }

    /// Determines the origin of a login: the browser, if its cookie proves an earlier login to
    /// this account, else the address.
    pub fn place(
        &self,
        (address, shared): (IpAddr, bool),
        account: &str,
        cookie: Option<&str>,
        now: i64,
    ) -> Origin {
        let browser = cookie.and_then(|cookie| self.browser(account, cookie, now));
        match browser {
            Some(id) => Origin::Browser(id),
            None if shared => Origin::Shared(neighbourhood(address)),
            None => Origin::Address(neighbourhood(address)),
        }
    }

    fn browser_mac(&self, account: &str, id: &[u8], until: i64) -> Option<Hmac<Sha256>> {
        // HMAC accepts a key of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.browsers.as_bytes()).ok()?;
        mac.update(&until.to_be_bytes());
        mac.update(id);
        mac.update(account.as_bytes());
        Some(mac)
    }

    fn browser(&self, account: &str, cookie: &str, now: i64) -> Option<[u8; 16]> {
        let bytes = URL_SAFE_NO_PAD.decode(cookie).ok()?;
        let (until, rest) = bytes.split_first_chunk::<8>()?;
        let (id, tag) = rest.split_first_chunk::<16>()?;
        let until = i64::from_be_bytes(*until);
        if until <= now {
            return None;
        }
        let mac = self.browser_mac(account, id, until)?;
        mac.verify_slice(tag).ok()?;
        Some(*id)
    }

    /// Creates a cookie that identifies this browser at its next login to `account`. It grants no
    /// access: failed logins of this browser are only counted separately.
    pub fn browser_cookie(&self, account: &str, now: i64) -> Result<String> {
        let (id, until) = (random::<16>()?, now + BROWSER_MS);
        let mut bytes = until.to_be_bytes().to_vec();
        bytes.extend_from_slice(&id[..]);
        if let Some(mac) = self.browser_mac(account, &id[..], until) {
            bytes.extend_from_slice(&mac.finalize().into_bytes());
        }
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Logs a user in. Waits for a turn, then hashes the password on a thread of its own. Returns
    /// the session secret and the role.
    pub async fn login(
        self: &Arc<Self>,
        (address, place): (IpAddr, Origin),
        name: String,
        password: Zeroizing<String>,
        now: i64,
    ) -> Result<Login, Refusal> {
        let Some(counted) = self.attempts.count(&name, place, now) else {
            return Err(Refusal::TooMany);
        };
        let known = matches!(place, Origin::Browser(_));
        let Some(turn) = self.gate.enter(neighbourhood(address), known).await else {
            self.attempts.forget(counted);
            return Err(Refusal::Busy);
        };
        let auth = self.clone();
        let computing = tokio::task::spawn_blocking(move || {
            let done = auth.check(&name, &password, now);
            if !matches!(done, Err(Refusal::Wrong)) {
                auth.attempts.forget(counted);
            }
            // The caller may have disconnected. The next login must still wait until this
            // computation ends.
            drop(turn);
            done
        });
        match tokio::time::timeout(DEADLINE, computing).await {
            Ok(done) => done.unwrap_or(Err(Refusal::Failed(Error::Stopping))),
            // The disk that holds the user file does not respond.
            Err(_) => Err(Refusal::Busy),
        }
    }

    fn check(&self, name: &str, password: &str, now: i64) -> Result<Login, Refusal> {
        // Check the password against the current user file.
        self.refresh().map_err(Refusal::Failed)?;
        let user = self.user(name);
        let hash = user.as_ref().map_or(&self.nobody, |user| &user.hash);
        let right = password.len() <= PASSWORD_MAX && verify::is_of(password.as_bytes(), hash);
        let (Some(user), true) = (user, right) else {
            return Err(Refusal::Wrong);
        };
        let bytes = random::<32>().map_err(Refusal::Failed)?;
        let secret = Zeroizing::new(URL_SAFE_NO_PAD.encode(&bytes[..]));
        let session = Session {
            id: sha256(&secret),
            user: name.into(),
            stamp: sha256(&user.hash),
            expires: now + SESSION_MS,
        };
        let ended = self.begin(session.clone(), now);
        Ok(Login {
            secret,
            role: user.role,
            session,
            ended,
        })
    }

    /// Adds a session. Returns the ids of the user's evicted sessions.
    fn begin(&self, session: Session, now: i64) -> Vec<[u8; 32]> {
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, session| session.expires > now);
        let mut own: Vec<(i64, [u8; 32])> = sessions
            .values()
            .filter(|other| other.user == session.user)
            .map(|other| (other.expires, other.id))
            .collect();
        own.sort_unstable();
        let many = (own.len() + 1).saturating_sub(SESSIONS_OF_USER);
        let ended: Vec<_> = own[..many].iter().map(|(_, id)| *id).collect();
        for id in &ended {
            sessions.remove(id);
        }
        sessions.insert(session.id, session);
        drop(sessions);
        if !ended.is_empty() {
            self.changed();
        }
        ended
    }

    /// Restores a session of an earlier run.
    pub fn remember_session(&self, session: Session) {
        lock(&self.sessions).insert(session.id, session);
    }

    /// Ends a session and returns its id.
    pub fn logout(&self, secret: &str) -> [u8; 32] {
        let id = sha256(secret);
        lock(&self.sessions).remove(&id);
        self.changed();
        id
    }

    /// The caller of a session cookie, if the session is valid at `now`.
    pub fn session(&self, secret: &str, now: i64) -> Option<Caller> {
        self.still(&Proof::Session(sha256(secret)), now)
    }

    /// The caller of a token, if it is known.
    pub fn token(&self, secret: &str) -> Option<Caller> {
        // The look-up uses the token's hash, so its timing does not reveal the token.
        self.still(&Proof::Token(sha256(secret)), 0)
    }

    /// Returns the caller to whom the proof belongs at `now`, or `None` if it is unknown or has
    /// expired.
    pub fn still(&self, proof: &Proof, now: i64) -> Option<Caller> {
        match proof {
            Proof::Session(id) => {
                let session = lock(&self.sessions).get(id).cloned()?;
                if session.expires <= now {
                    return None;
                }
                let user = self.user(&session.user)?;
                let name = &session.user;
                (sha256(&user.hash) == session.stamp).then(|| Caller {
                    name: name.clone(),
                    role: user.role,
                    proof: *proof,
                    since: Some(session.expires - SESSION_MS),
                    may: match user.role {
                        Role::Device => May::Own(Arc::new(Scope::kept(None, None, name))),
                        _ => May::All,
                    },
                })
            }
            Proof::Token(hash) => {
                let token = lock(&self.tokens).get(hash).cloned()?;
                let may = match token.role {
                    Role::Device => May::Own(token.scope),
                    _ => May::All,
                };
                Some(Caller {
                    name: token.name,
                    role: token.role,
                    proof: *proof,
                    since: None,
                    may,
                })
            }
        }
    }

    /// Adds a token, read from the database or new.
    pub fn remember_token(&self, hash: [u8; 32], token: Token) {
        lock(&self.tokens).insert(hash, token);
    }

    /// Changes the role and scope of an existing token.
    pub fn change_token(&self, id: i64, role: Role, scope: &Arc<Scope>) {
        for token in lock(&self.tokens).values_mut() {
            if token.id == id {
                (token.role, token.scope) = (role, scope.clone());
            }
        }
        self.changed();
    }

    /// Revokes a token.
    pub fn forget_token(&self, id: i64) {
        lock(&self.tokens).retain(|_, token| token.id != id);
        self.changed();
    }

    /// The tokens by id.
    pub fn tokens(&self) -> BTreeMap<i64, Token> {
        lock(&self.tokens)
            .values()
            .map(|token| (token.id, token.clone()))
            .collect()
    }
}

/// Maximum posts of one address per minute without a token.
pub const STRANGER_POSTS: u32 = 600;

/// Posts of each address without a token in the current minute.
#[derive(Debug, Default)]
pub struct Strangers(Counts<IpAddr>);

impl Strangers {
    /// Counts one more post; returns false if the address is over its limit.
    pub fn take(&self, address: IpAddr, now: i64) -> bool {
        self.0.take(neighbourhood(address), STRANGER_POSTS, now)
    }
}

/// Creates a token and its hash. The token is shown only once.
pub fn new_token() -> Result<(Zeroizing<String>, [u8; 32])> {
    let bytes = random::<32>()?;
    let token = Zeroizing::new(format!("selo_{}", URL_SAFE_NO_PAD.encode(&bytes[..])));
    let hash = sha256(&token);
    Ok((token, hash))
}

/// Masks an IPv6 address to its /64, because one customer controls all 2^64 addresses of it.
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

    fn auth() -> (tempfile::TempDir, Arc<Auth>, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let users = Users::open(&folder.path().join("state")).expect("opens");
        let file = users
            .first()
            .expect("works")
            .expect("the file of the first start");
        assert_eq!(
            std::fs::metadata(&file).expect("there").mode() & 0o777,
            0o600
        );
        let password = std::fs::read_to_string(file).expect("readable");
        assert!(users.first().expect("works").is_none());
        let auth = Arc::new(Auth::new(users).expect("works"));
        (folder, auth, password.trim().into())
    }

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn log_in(
        auth: &Arc<Auth>,
        place: Origin,
        name: &str,
        password: &str,
        now: i64,
    ) -> Result<Login, Refusal> {
        let password = Zeroizing::new(password.to_owned());
        let login = auth.login((HOME, place), name.into(), password, now);
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime")
            .block_on(login)
    }

    #[test]
    fn a_session_lasts_until_its_user_changes_or_its_time_is_over() {
        let (_folder, auth, password) = auth();
        let login = log_in(&auth, AT_HOME, "admin", &password, 0).expect("right");
        assert_eq!(login.role, Role::Admin);
        let secret = login.secret;
        let caller = auth.session(&secret, 1).expect("logged in");
        assert_eq!((caller.name.as_str(), caller.role), ("admin", Role::Admin));
        assert!(auth.session(&secret, SESSION_MS).is_none());
        auth.users
            .set("admin", Role::Viewer, "another password")
            .expect("set");
        let changes = auth.changes();
        auth.refresh().expect("readable");
        assert!(changes.has_changed().expect("open"));
        assert!(auth.session(&secret, 1).is_none());
        let Login { secret, role, .. } =
            log_in(&auth, AT_HOME, "admin", "another password", 0).expect("right");
        assert_eq!(role, Role::Viewer);
        auth.logout(&secret);
        assert!(auth.session(&secret, 1).is_none());
    }

    const AT_HOME: Origin = Origin::Address(HOME);

    #[test]
    fn who_guesses_has_to_wait_and_nobody_else() {
        let (_folder, auth, password) = auth();
        let cookie = auth.browser_cookie("admin", 0).expect("made");
        for _ in 0..FAILURES_MAX {
            let refusal = log_in(&auth, AT_HOME, "admin", "wrong", 0).expect_err("wrong");
            assert!(matches!(refusal, Refusal::Wrong));
        }
        let refusal = log_in(&auth, AT_HOME, "admin", &password, 1).expect_err("waits");
        assert!(matches!(refusal, Refusal::TooMany));
        let other = Origin::Address("192.0.2.1".parse().expect("an address"));
        log_in(&auth, other, "admin", &password, 1).expect("another address");
        let browser = auth.place((HOME, true), "admin", Some(&cookie), 1);
        assert!(matches!(browser, Origin::Browser(_)));
        log_in(&auth, browser, "admin", &password, 1).expect("a browser that is known");
        log_in(&auth, AT_HOME, "admin", &password, FAILURES_MS).expect("later");
    }

    #[test]
    fn a_browsers_cookie_is_for_its_account_its_time_and_this_server() {
        let (_folder, auth, _) = auth();
        let (_other_folder, other, _) = self::auth();
        let cookie = auth.browser_cookie("admin", 0).expect("made");
        let is_known = |auth: &Auth, account: &str, cookie: &str, now: i64| {
            let place = auth.place((HOME, false), account, Some(cookie), now);
            matches!(place, Origin::Browser(_))
        };
        assert!(is_known(&auth, "admin", &cookie, 1));
        assert!(!is_known(&auth, "maria", &cookie, 1));
        assert!(!is_known(&auth, "admin", &cookie, BROWSER_MS));
        assert!(!is_known(&other, "admin", &cookie, 1));
        let mut bytes = URL_SAFE_NO_PAD.decode(&cookie).expect("base64");
        for at in 0..bytes.len() {
            bytes[at] ^= 1;
            assert!(!is_known(
                &auth,
                "admin",
                &URL_SAFE_NO_PAD.encode(&bytes),
                1
            ));
            assert!(!is_known(
                &auth,
                "admin",
                &URL_SAFE_NO_PAD.encode(&bytes[..at]),
                1
            ));
            bytes[at] ^= 1;
        }
    }

    #[test]
    fn a_user_has_so_many_sessions_and_the_oldest_makes_room() {
        let (_folder, auth, _) = auth();
        let session = |number: u8, user: &str| Session {
            id: [number; 32],
            user: user.into(),
            stamp: [0; 32],
            expires: i64::from(number) + 10,
        };
        assert!(auth.begin(session(200, "maria"), 0).is_empty());
        for number in 0..SESSIONS_OF_USER {
            assert!(auth.begin(session(number as u8, "admin"), 0).is_empty());
        }
        assert_eq!(auth.begin(session(100, "admin"), 0), [[0; 32]]);
        assert_eq!(lock(&auth.sessions).len(), SESSIONS_OF_USER + 1);
    }

    #[test]
    fn files_that_others_may_read_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, ..) = auth();
        let state = folder.path().join("state");
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(state.join("users"), open).expect("set");
        let error = Users::open(&state).expect_err("the file is readable by all");
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
        let token_of = |role| Token {
            id: 7,
            name: "rain".into(),
            role,
            scope: Arc::new(Scope::kept(None, None, "rain")),
        };
        auth.remember_token(hash, token_of(Role::Device));
        assert_eq!(auth.token(&token).expect("known").role, Role::Device);
        auth.forget_token(7);
        assert!(auth.token(&token).is_none());
    }
}
