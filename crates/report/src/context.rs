//! What a report must know that rows do not say: titles, interfaces and power
//! figures. It comes from the project's data files; without it a report is
//! complete but calls things by their short names.

/// Titles and groups for the names in rows.
#[derive(Clone, Debug, Default)]
pub struct Context {
    pub boards: Vec<BoardNote>,
    pub algorithms: Vec<AlgorithmNote>,
}

/// A board as people know it.
#[derive(Clone, Debug, Default)]
pub struct BoardNote {
    pub name: String,
    pub title: String,
    /// How energy was derived from time, with the source of the power figures.
    pub energy: Option<String>,
    /// Program memory in bytes, where it is limited.
    pub flash: Option<u64>,
    /// Data memory in bytes, where it is limited.
    pub ram: Option<u64>,
}

/// An algorithm as people know it.
#[derive(Clone, Debug, Default)]
pub struct AlgorithmNote {
    pub name: String,
    pub title: String,
    /// How it is called: `block-cipher`, `hash`, ... Tables and pictures group by it.
    pub interface: String,
    pub family: String,
    /// The message size that pictures show, where several were measured.
    pub bytes: Option<u32>,
}

impl Context {
    pub fn board(&self, name: &str) -> Option<&BoardNote> {
        self.boards.iter().find(|board| board.name == name)
    }

    pub fn algorithm(&self, name: &str) -> Option<&AlgorithmNote> {
        self.algorithms.iter().find(|algorithm| algorithm.name == name)
    }

    /// The title of a board, or its name.
    pub fn board_title<'a>(&'a self, name: &'a str) -> &'a str {
        self.board(name).map_or(name, |board| &board.title)
    }

    /// The interface of an algorithm, or nothing if it is unknown.
    pub fn interface(&self, algorithm: &str) -> &str {
        self.algorithm(algorithm).map_or("", |algorithm| &algorithm.interface)
    }

    /// The family of an algorithm, or its own name.
    pub fn family<'a>(&'a self, algorithm: &'a str) -> &'a str {
        self.algorithm(algorithm).map_or(algorithm, |algorithm| &algorithm.family)
    }
}

/// An interface in words, for headings.
pub fn interface_title(interface: &str) -> String {
    let known = match interface {
        "block-cipher" => "Block ciphers, one block",
        "mode-ecb" => "ECB mode",
        "mode-cbc" => "CBC mode",
        "mode-ctr" => "CTR mode",
        "hash" => "Hash functions",
        "mac" => "Message authentication",
        "dh" => "Key agreement",
        "public-key" => "Public-key encryption",
        "" => "Other",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let words = interface.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
