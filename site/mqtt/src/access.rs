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
mod tests {
    use super::*;

    fn rights(acl: &str) -> Rights {
        Rights {
            users: HashMap::new(),
            rules: read_rules(acl).expect("rules"),
        }
    }

    #[test]
    fn a_password_is_taken_and_another_one_is_not() {
        let file = password_line("a", "secret").expect("a line")
            + &password_line("b", "other").expect("a line");
        assert!(!file.contains("secret"));
        let rights = Rights {
            users: read_users(&file).expect("users"),
            rules: Vec::new(),
        };
        assert!(rights.authenticate("a", b"secret"));
        assert!(!rights.authenticate("a", b"secret "));
        assert!(!rights.authenticate("a", b""));
        assert!(!rights.authenticate("b", b"secret"));
        assert!(!rights.authenticate("c", b"secret"));
        // A second hash of the same password has another salt.
        let again = password_line("a", "secret").expect("a line");
        assert!(!file.contains(again.trim()));
    }

    #[test]
    fn a_line_that_mosquitto_passwd_wrote_is_read() {
        // Output of `mosquitto_passwd -b -c FILE a secret`, version 2.0.11.
        let line = include_str!("../tests/data/mosquitto_passwd.txt");
        let rights = Rights {
            users: read_users(line).expect("users"),
            rules: Vec::new(),
        };
        assert!(rights.authenticate("a", b"secret"));
        assert!(!rights.authenticate("a", b"wrong"));
    }

    #[test]
    fn rights_are_those_of_the_user_and_of_everyone() {
        let rights = rights(
            "topic read public/#\nuser a\ntopic write x/+/y\ntopic read x/#\n\
             user b\ntopic x/b\ntopic deny x/b/secret\npattern write own/%u/#\n",
        );
        let write = |user, topic| rights.may_write(user, "c", topic);
        let read = |user, topic| rights.may_read(user, "c", topic);
        assert!(write("a", "x/1/y") && !write("a", "x/1/z") && !write("a", "x/1/2/y"));
        assert!(!write("a", "x/+/y"), "no topic");
        assert!(read("a", "x/#") && read("a", "x/+/y") && read("a", "x") && !read("a", "#"));
        assert!(read("b", "public/1") && read("nobody", "public/1"));
        assert!(read("b", "x/b") && write("b", "x/b") && !read("b", "x/a"));
        assert!(write("b", "own/b/1") && !write("b", "own/a/1") && write("a", "own/a/1"));
        assert!(!rights.may_write("+", "c", "own/a/1"));
        assert!(!read("a", "$share/group/x/+/y") && !read("a", "$share/group/z"));
        assert!(!read("a", "$share/x"));
    }

    #[test]
    fn only_who_confirms_readings_shares_them() {
        let rights = rights(
            "user collector\ntopic read selo/+/reading/+\ntopic write selo/+/stored/+\n\
             user viewer\ntopic read selo/#\n\
             user north\ntopic read selo/#\ntopic write selo/north/stored/+\n\
             user other\ntopic read x/#\ntopic read $share/own/x/#\n",
        );
        let read = |user, filter| rights.may_read(user, "c", filter);
        assert!(read("collector", "$share/any/selo/+/reading/+"));
        assert!(
            !read("collector", "$share/any/selo/+/state/+"),
            "the user may not read that"
        );
        assert!(!read("viewer", "$share/any/selo/+/reading/+") && read("viewer", "selo/#"));
        assert!(read("north", "$share/any/selo/north/reading/+"));
        assert!(!read("north", "$share/any/selo/+/reading/+"));
        assert!(read("other", "$share/own/x/1") && !read("other", "$share/another/x/1"));
    }

    #[test]
    fn a_filter_is_covered_or_not() {
        for (held, asked, covered) in [
            ("a/#", "a", true),
            ("a/#", "a/#", true),
            ("a/+", "a/#", false),
            ("a/+", "a/+", true),
            ("a/b", "a/+", false),
            ("+/b", "a/b", true),
            ("#", "a/b", true),
            ("#", "$SYS/x", false),
            ("$SYS/#", "$SYS/x", true),
            ("a", "a/b", false),
            ("a/b", "a", false),
        ] {
            assert_eq!(covers(held, asked), covered, "{held} {asked}");
        }
        let rights = rights("user a\ntopic read a/#\ntopic deny a/secret\n");
        assert!(
            !rights.may_read("a", "c", "a/#"),
            "the filter matches a denied topic"
        );
        assert!(rights.may_read("a", "c", "a/b"));
    }

    #[test]
    fn a_file_that_is_none_is_refused_with_its_line() {
        for (text, line) in [
            ("user\n", 1),
            ("\n\nallow x\n", 3),
            ("topic read a/#/b", 1),
            ("topic a+", 1),
        ] {
            assert_eq!(
                read_rules(text).err().map(|(line, _)| line),
                Some(line),
                "{text}"
            );
        }
        for text in [
            "a",
            "a:plain",
            "a:$6$x$y",
            "a:$7$0$AA==$AA==",
            "a:$7$1$AA==$AA==",
        ] {
            assert!(read_users(text).is_err(), "{text}");
        }
    }
}
