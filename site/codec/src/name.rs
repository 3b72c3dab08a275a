//! Names of codecs.

/// Checks a codec's name, which occurs in topics, files and tables. The error describes the
/// rule.
pub fn check_name(name: &str) -> Result<(), String> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=32).contains(&name.len()) && name.bytes().all(fits) {
        return Ok(());
    }
    Err(format!(
        "'{}' is not a valid codec name: use lower-case letters, digits and -, at most 32",
        name.escape_debug()
    ))
}
