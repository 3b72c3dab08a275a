//! Cautions about algorithms, from `cautions.toml`.

use selo_engine::algorithm::Algorithm;
use selo_engine::interface::Interface;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cautions {
    caution: Vec<Caution>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Caution {
    family: Option<String>,
    interface: Option<Interface>,
    #[serde(default = "yes")]
    standard: bool,
    note: String,
}

fn yes() -> bool {
    true
}

/// Returns whether the algorithm is a standard, and the notes of the cautions that apply.
pub(super) fn cautions(algorithm: &Algorithm) -> (bool, Vec<String>) {
    static CAUTIONS: std::sync::LazyLock<Cautions> = std::sync::LazyLock::new(|| {
        toml::from_str(include_str!("../cautions.toml"))
            .unwrap_or_else(|error| unreachable!("a test reads cautions.toml: {error}"))
    });
    let applies = |caution: &&Caution| {
        caution
            .family
            .as_ref()
            .is_none_or(|family| *family == algorithm.family)
            && caution
                .interface
                .is_none_or(|interface| interface == algorithm.interface)
    };
    let found: Vec<&Caution> = CAUTIONS.caution.iter().filter(applies).collect();
    let standard = found.iter().all(|caution| caution.standard);
    (
        standard,
        found
            .into_iter()
            .map(|caution| caution.note.clone())
            .collect(),
    )
}
