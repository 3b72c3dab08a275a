//! A mistake in a codec file.

/// The error and a hint; the caller adds file and line.
pub struct Wrong(pub String, pub &'static str);

pub fn wrong<T>(why: impl Into<String>, hint: &'static str) -> Result<T, Wrong> {
    Err(Wrong(why.into(), hint))
}

/// Hint of mistakes that the description explains.
pub const FORMAT: &str = "the format is described in site/codecs/README.md";
