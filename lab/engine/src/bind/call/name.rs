//! The words of a function's name.

pub(super) fn says(name: &[String], of: &[&str]) -> bool {
    name.iter().any(|word| of.contains(&word.as_str()))
}

/// Words that begin with another, such as `encryptblock`.
pub(super) fn begins(name: &[String], of: &[&str]) -> bool {
    name.iter()
        .any(|word| of.iter().any(|part| word.starts_with(part)))
}
