//! Authentication and access control of the embedded broker. It reads Mosquitto's password and
//! ACL files [MOSQUITTO], so either broker can replace the other with the same files.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::pbkdf2;

use crate::client::check_private;
use crate::error::{Error, Result};
use crate::topic;

/// PBKDF2 iterations, the default of `mosquitto_passwd`. The generated passwords are random and
/// too long to guess, so the iterations are not what protects them.
const ROUNDS: u32 = 101;
const SALT_BYTES: usize = 12;
const HASH_BYTES: usize = 64;

/// A line of the password file: `name:$7$rounds$salt$hash`.
pub fn password_line(user: &str, password: &str) -> Result<String> {
    let salt = selo_link::random_bytes::<SALT_BYTES>()
        .map_err(|error| Error::Internal(error.to_string()))?;
    let rounds = NonZeroU32::MIN.saturating_add(ROUNDS - 1);
    let mut hash = [0; HASH_BYTES];
    pbkdf2::derive(
        pbkdf2::PBKDF2_HMAC_SHA512,
        rounds,
        &salt,
        password.as_bytes(),
        &mut hash,
    );
    let (salt, hash) = (STANDARD.encode(salt), STANDARD.encode(hash));
    Ok(format!("{user}:$7${rounds}${salt}${hash}\n"))
}

struct Hashed {
    rounds: NonZeroU32,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    Both,
    Deny,
}

struct Rule {
    /// `None`: the rule is for everyone.
    user: Option<String>,
    access: Access,
    /// May contain `%u` and `%c` as levels.
    filter: String,
    pattern: bool,
}

/// Users and their rights.
pub struct Rights {
    users: HashMap<String, Hashed>,
    rules: Vec<Rule>,
}

impl std::fmt::Debug for Rights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rights({} users)", self.users.len())
    }
}

impl Rights {
    /// Reads both files.
    pub fn load(passwords: &Path, acl: &Path) -> Result<Rights> {
        check_private(passwords)?;
        let read = |path: &Path| std::fs::read_to_string(path).map_err(Error::read(path));
        let wrong = |path: &Path, hint: &str| {
            let (path, hint) = (path.to_owned(), hint.to_owned());
            move |(line, why): (usize, &str)| Error::File {
                path,
                why: format!("line {line}: {why}"),
                hint,
            }
        };
        Ok(Rights {
            users: read_users(&read(passwords)?).map_err(wrong(
                passwords,
                "create the file with `mosquitto_passwd` or `selo setup`",
            ))?,
            rules: read_rules(&read(acl)?).map_err(wrong(
                acl,
                "expected `user NAME`, then `topic read|write|readwrite|deny FILTER`",
            ))?,
        })
    }

    /// Returns true if this is the user's password.
    pub fn authenticate(&self, user: &str, password: &[u8]) -> bool {
        let Some(known) = self.users.get(user) else {
            return false;
        };
        let algorithm = pbkdf2::PBKDF2_HMAC_SHA512;
        pbkdf2::verify(algorithm, known.rounds, &known.salt, password, &known.hash).is_ok()
    }

    /// Returns true if the user may publish to the topic.
    pub fn may_write(&self, user: &str, client: &str, topic: &str) -> bool {
        !topic.contains(['+', '#']) && self.allows(Access::Write, user, client, topic)
    }

    /// Returns true if the user may subscribe to the filter, that is, read every topic that it
    /// can match. Mosquitto checks each message instead; this broker refuses the whole filter.
    pub fn may_read(&self, user: &str, client: &str, filter: &str) -> bool {
        if let Some(shared) = filter.strip_prefix("$share/") {
            let Some((_, plain)) = shared.split_once('/') else {
                return false;
            };
            return self.allows(Access::Read, user, client, plain)
                && (self.may_confirm(user, client, plain)
                    || self.allows(Access::Read, user, client, filter));
        }
        self.allows(Access::Read, user, client, filter)
    }

    /// Returns true if the user may confirm readings of this filter to gateways. In a shared
    /// subscription each message goes to only one member, so a new member takes messages away
    /// from the others. Only collectors may therefore join, and users with an explicit rule for
    /// the `$share/...` filter.
    fn may_confirm(&self, user: &str, client: &str, filter: &str) -> bool {
        let site = topic::site(filter);
        site.is_some_and(|site| self.allows(Access::Write, user, client, &topic::stored(site, "+")))
    }

    fn allows(&self, wanted: Access, user: &str, client: &str, filter: &str) -> bool {
        let mut allowed = false;
        for rule in &self.rules {
            if rule.user.as_deref().is_some_and(|name| name != user) {
                continue;
            }
            let own;
            let held = if rule.pattern {
                // A name with a wildcard would extend its own rights.
                if [user, client]
                    .iter()
                    .any(|name| name.contains(['+', '#', '/']))
                {
                    continue;
                }
                own = rule.filter.replace("%u", user).replace("%c", client);
                &own
            } else {
                &rule.filter
            };
            if rule.access == Access::Deny {
                if overlap(held, filter) {
                    return false;
                }
            } else if (rule.access == wanted || rule.access == Access::Both) && covers(held, filter)
            {
                allowed = true;
            }
        }
        allowed
    }
}

/// Returns true if `held` matches everything that `asked` matches.
fn covers(held: &str, asked: &str) -> bool {
    // Wildcards do not match the broker's own topics [MQTT5, 4.7.2].
    if asked.starts_with('$') != held.starts_with('$') {
        return false;
    }
    let (mut held, mut asked) = (held.split('/'), asked.split('/'));
    loop {
        match (held.next(), asked.next()) {
            (Some("#"), _) => return true,
            (None, None) => return true,
            (Some("+"), Some(level)) if level != "#" => {}
            (Some(same), Some(level)) if same == level && level != "+" && level != "#" => {}
            _ => return false,
        }
    }
}

/// Returns true if both filters can match the same topic.
fn overlap(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.split('/'), other.split('/'));
    loop {
        match (one.next(), other.next()) {
            (Some("#"), _) | (_, Some("#")) | (None, None) => return true,
            (Some(a), Some(b)) if a == b || a == "+" || b == "+" => {}
            _ => return false,
        }
    }
}

fn read_users(text: &str) -> Result<HashMap<String, Hashed>, (usize, &'static str)> {
    let mut users = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = |why| (number + 1, why);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (user, hash) = line.split_once(':').ok_or(wrong("the line has no ':'"))?;
        let parts: Vec<&str> = hash.split('$').collect();
        let ["", "7", rounds, salt, hash] = parts[..] else {
            return Err(wrong(
                "the password hash does not have the form $7$rounds$salt$hash",
            ));
        };
        let bytes = |text: &str| {
            STANDARD
                .decode(text)
                .map_err(|_| wrong("the salt or the hash is not valid base64"))
        };
        let hashed = Hashed {
            rounds: rounds
                .parse()
                .map_err(|_| wrong("the number of rounds is not a valid number"))?,
            salt: bytes(salt)?,
            hash: bytes(hash)?,
        };
        if hashed.hash.len() != HASH_BYTES {
            return Err(wrong("the hash does not have 64 bytes"));
        }
        if user.is_empty() || users.insert(user.to_owned(), hashed).is_some() {
            return Err(wrong("the user name is empty or a duplicate"));
        }
    }
    Ok(users)
}

fn read_rules(text: &str) -> Result<Vec<Rule>, (usize, &'static str)> {
    let mut rules = Vec::new();
    let mut user = None;
    for (number, line) in text.lines().enumerate() {
        let wrong = |why| (number + 1, why);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line
            .split_once(' ')
            .ok_or(wrong("the line is incomplete"))?;
        let rest = rest.trim();
        let pattern = match word {
            "user" => {
                user = Some(rest.to_owned());
                continue;
            }
            "topic" => false,
            "pattern" => true,
            _ => return Err(wrong("the line does not begin with user, topic or pattern")),
        };
        let (access, filter) = match rest.split_once(' ') {
            Some(("read", filter)) => (Access::Read, filter),
            Some(("write", filter)) => (Access::Write, filter),
            Some(("readwrite", filter)) => (Access::Both, filter),
            Some(("deny", filter)) => (Access::Deny, filter),
            _ => (Access::Both, rest),
        };
        let filter = filter.trim();
        let levels: Vec<&str> = filter.split('/').collect();
        let misplaced = levels.iter().enumerate().any(|(at, level)| {
            (level.contains('#') && (*level != "#" || at + 1 < levels.len()))
                || (level.contains('+') && *level != "+")
        });
        if filter.is_empty() || misplaced {
            return Err(wrong("the topic filter is invalid"));
        }
        rules.push(Rule {
            user: if pattern { None } else { user.clone() },
            access,
            filter: filter.into(),
            pattern,
        });
    }
    Ok(rules)
}

#[cfg(test)]
mod tests;
