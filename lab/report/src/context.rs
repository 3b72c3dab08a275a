//! Names and figures that a report needs and rows do not have: titles, interfaces and
//! power figures. They come from the project's data files. Without them a report is
//! complete, but it uses short names.

use selo_engine::interface::Interface;

/// Titles and groups for the names in rows.
#[derive(Clone, Debug, Default)]
pub struct Context {
    pub boards: Vec<BoardNote>,
    pub algorithms: Vec<AlgorithmNote>,
    pub libraries: Vec<LibraryNote>,
}

/// A library under its full name, with its licence terms.
#[derive(Clone, Debug, Default)]
pub struct LibraryNote {
    pub name: String,
    pub title: String,
    pub licence: String,
    /// Origin of its sources.
    pub source: String,
    /// Remark for readers of the figures.
    pub note: String,
}

/// A board under its full name.
#[derive(Clone, Debug, Default)]
pub struct BoardNote {
    pub name: String,
    pub title: String,
    /// The power figures that energies may come from.
    pub power: Vec<PowerNote>,
    /// Program memory in bytes, where it is limited.
    pub flash: Option<u64>,
    /// Data memory in bytes, where it is limited.
    pub ram: Option<u64>,
}

/// A power profile: the name that rows give in their reason, and its figures
/// with their source.
#[derive(Clone, Debug, Default)]
pub struct PowerNote {
    pub name: String,
    pub text: String,
}

/// An algorithm under its full name.
#[derive(Clone, Debug, Default)]
pub struct AlgorithmNote {
    pub name: String,
    pub title: String,
    /// Calling interface. Tables and pictures group algorithms by it.
    pub interface: Option<Interface>,
    pub family: String,
    /// The message size in bytes that pictures show, if several were measured.
    pub bytes: Option<u32>,
}

impl Context {
    pub fn board(&self, name: &str) -> Option<&BoardNote> {
        self.boards.iter().find(|board| board.name == name)
    }

    pub fn algorithm(&self, name: &str) -> Option<&AlgorithmNote> {
        self.algorithms
            .iter()
            .find(|algorithm| algorithm.name == name)
    }

    /// The title of a board, or its name if it has no title.
    pub fn board_title<'a>(&'a self, name: &'a str) -> &'a str {
        self.board(name).map_or(name, |board| &board.title)
    }

    /// The interface of an algorithm; `None` if the algorithm is unknown.
    pub fn interface(&self, algorithm: &str) -> Option<Interface> {
        self.algorithm(algorithm)
            .and_then(|algorithm| algorithm.interface)
    }

    /// The family of an algorithm, or its own name if it is unknown.
    pub fn family<'a>(&'a self, algorithm: &'a str) -> &'a str {
        self.algorithm(algorithm)
            .map_or(algorithm, |algorithm| &algorithm.family)
    }
}

/// An interface in words, for headings.
pub fn interface_title(interface: Option<Interface>) -> &'static str {
    match interface {
        Some(Interface::BlockCipher) => "Block ciphers, one block",
        Some(Interface::ModeEcb) => "ECB mode",
        Some(Interface::ModeCbc) => "CBC mode",
        Some(Interface::ModeCtr) => "CTR mode",
        Some(Interface::Hash) => "Hash functions",
        Some(Interface::Mac) => "Message authentication",
        Some(Interface::Aead) => "Authenticated encryption",
        Some(Interface::Kdf) => "Key derivation",
        Some(Interface::Dh) => "Key agreement",
        Some(Interface::Signature) => "Signatures",
        Some(Interface::LargeSignature) => "Signatures with large keys",
        Some(Interface::Kem) => "Key encapsulation",
        Some(Interface::PublicKey) => "Public-key encryption",
        Some(Interface::Link) => "The link, a whole node",
        Some(Interface::Node) => "A node with its radio, by its cipher",
        Some(Interface::Probe) => "Tests of the instrument",
        None => "Other",
    }
}

/// True for a mode of operation. Its figures largely repeat those of its block cipher.
pub(crate) fn is_mode(interface: Option<Interface>) -> bool {
    matches!(
        interface,
        Some(Interface::ModeEcb | Interface::ModeCbc | Interface::ModeCtr)
    )
}

/// The order of interfaces in a report.
pub(crate) fn interface_rank(interface: Option<Interface>) -> u8 {
    match interface {
        Some(Interface::BlockCipher) => 0,
        Some(Interface::ModeEcb) => 1,
        Some(Interface::ModeCbc) => 2,
        Some(Interface::ModeCtr) => 3,
        Some(Interface::Aead) => 4,
        Some(Interface::Hash) => 5,
        Some(Interface::Mac) => 6,
        Some(Interface::Kdf) => 7,
        Some(Interface::Dh) => 8,
        Some(Interface::Signature) => 9,
        Some(Interface::LargeSignature) => 10,
        Some(Interface::Kem) => 11,
        Some(Interface::PublicKey) => 12,
        Some(Interface::Link) => 13,
        Some(Interface::Node) => 14,
        Some(Interface::Probe) => 15,
        None => 16,
    }
}
