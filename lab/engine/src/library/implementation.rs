//! A section of a library's file: an implementation of an algorithm.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A published case that a library is known to answer differently, with the reason. The library is
/// measured all the same. If the library passes the case after all, that is a failure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    pub algorithm: String,
    /// Ids of cases, as a failed check prints them.
    pub cases: Vec<String>,
    pub reason: String,
}

/// A set of algorithm x variant pairs with the same build. In `glue`, `sources`, `defines`
/// and `glue_defines`, these are replaced: `{variant}`, `{VARIANT}` (as in a macro), `{identifier}` (the variant as a C
/// identifier) and `{key_bits}`. The file name of a source may have a `*`; the linker drops unused
/// code.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Implementation {
    pub algorithms: Vec<String>,
    /// Called strategies in the previous release.
    #[serde(alias = "strategies")]
    pub variants: Vec<String>,
    /// The glue file, relative to the manifest.
    #[serde(default)]
    pub glue: String,
    /// For a whole firmware, instead of glue: the list of its sources (`Program` of `build.rs`),
    /// relative to the manifest. `sources` come in addition.
    #[serde(default)]
    pub program: Option<String>,
    /// Library sources, relative to the manifest.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Include folders before those of the library, relative to the manifest, for schemes whose
    /// headers have the same names.
    #[serde(default)]
    pub include: Vec<String>,
    /// Macros for the library's sources and the glue.
    #[serde(default)]
    pub defines: Vec<String>,
    /// Macros for the glue alone. Implementations that differ only in these share the objects of
    /// the library.
    #[serde(default)]
    pub glue_defines: Vec<String>,
    /// Operations that the glue offers.
    pub operations: Vec<String>,
    /// The glue is a guess with which no official vector passes. A survey then never calls the
    /// library wrong unless it can name the mistake.
    #[serde(default)]
    pub unproven: bool,
    /// The board on which official vectors pass with this glue, if it was found by trial.
    #[serde(default)]
    pub proven_on: Option<String>,
    /// The sizes of nonces and tags that the library refuses although the algorithm has them. The
    /// glue answers them as a bad size, and such cases are not counted.
    #[serde(default)]
    pub refuses_sizes: Option<String>,
    /// The library encapsulates for any bytes: it leaves the check of public keys to its caller
    /// [FIPS203, 7.2]. Cases with a key that must be refused are then not counted.
    #[serde(default)]
    pub caller_checks_keys: bool,
    /// The library leaves the bits that are fixed in a secret of X25519 to its caller [RFC7748, 5]. The
    /// glue fixes them.
    #[serde(default)]
    pub caller_clamps: bool,
    /// The library leaves it to its caller to clear the highest bit of a public value of X25519
    /// [RFC7748, 5]. The glue does so.
    #[serde(default)]
    pub caller_masks: bool,
    /// The library draws the IV of each CBC message from the random source that the glue gives it.
    /// Otherwise the caller passes the IV, and a survey does not judge its freshness.
    #[serde(default)]
    pub draws_iv: bool,
    /// Boards for which it can be built; all if empty.
    #[serde(default)]
    pub boards: Vec<String>,
    /// Compiler flags after those of the library, for these implementations only. In a whole
    /// firmware, they apply to the library's sources only.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Further flags by port, such as one that only one compiler knows.
    #[serde(default)]
    pub port_flags: BTreeMap<String, Vec<String>>,
}
