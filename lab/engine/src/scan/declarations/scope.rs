//! A pair of braces, and what it is.

/// A pair of braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// `extern "C"`.
    Open,
    Namespace(String),
    Enum {
        name: String,
        /// Its constants are written with its name.
        scoped: bool,
        named_later: bool,
    },
    Class {
        name: String,
        public: bool,
        /// It stands in a `typedef`, whose name follows the closing brace.
        named_later: bool,
    },
    Closed,
}

/// The namespace that the scopes make.
pub(super) fn namespace(scopes: &[Scope]) -> String {
    let names: Vec<&str> = scopes
        .iter()
        .filter_map(|scope| match scope {
            Scope::Namespace(name) if !name.is_empty() => Some(name.as_str()),
            _ => None,
        })
        .collect();
    names.join("::")
}
