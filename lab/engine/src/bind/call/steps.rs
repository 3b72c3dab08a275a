//! The purposes of the functions that seal a message in steps: begin, associated data, message, tag.

use super::name::{begins, says};
use crate::bind::slot::Purpose;

/// The plausible purposes of a function whose name speaks of an authenticated cipher.
pub(super) fn purposes(own: &[String], encrypts: bool, decrypts: bool) -> Vec<(Purpose, u32)> {
    let checks = begins(own, &["check", "verif", "test", "self"]);
    let begin = begins(own, &["init", "start", "begin", "reset", "setup", "set"]);
    let of_data = says(own, &["aad", "ad", "header", "associated"])
        || begins(own, &["auth", "aad", "associated"]);
    let ends = begins(
        own,
        &["finish", "final", "tag", "compute", "digest", "end", "done"],
    );
    let mut found = Vec::new();
    if checks {
        return found;
    }
    if of_data {
        found.push((Purpose::AddData, 0));
    }
    if begin && !of_data {
        let own_iv = says(own, &["iv", "nonce"]);
        found.push((Purpose::Begin, if own_iv { 0 } else { 1 }));
    }
    if ends && !of_data {
        found.push((Purpose::TagOut, 0));
    }
    if decrypts {
        found.push((Purpose::OpenPart, 0));
    } else if encrypts {
        found.push((Purpose::SealPart, 0));
    }
    found
}
