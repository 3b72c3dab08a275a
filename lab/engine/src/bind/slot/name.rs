//! The words of a parameter's name.

pub(super) fn says(name: &[String], of: &[&str]) -> bool {
    name.iter().any(|word| of.contains(&word.as_str()))
}

/// A part of a name, for names that run together: `keylen`.
pub(super) fn holds(name: &[String], part: &str) -> bool {
    name.concat().contains(part)
}
