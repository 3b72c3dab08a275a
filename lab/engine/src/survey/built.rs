//! The finding of an image that was not built: the library's fault, or what the lab did not supply.

use super::line::{Evidence, Finding};
use crate::library::Unit;
use crate::measure::is_too_large;

/// The image was not built. It is the library's fault only if one of its own sources does not
/// compile with all of its headers there.
pub(super) fn not_built(unit: &Unit<'_>, said: &str) -> Finding {
    let error = first_error(said);
    let evidence = vec![Evidence::new("compiler", said)];
    if is_too_large(&error) {
        let text = format!("{error}. The compiler of this board allows 32,767 bytes.");
        return Finding {
            evidence,
            ..Finding::fault(
                "does-not-fit",
                "It needs more memory than the board has",
                text,
            )
        };
    }
    let sources = unit.sources().unwrap_or_default();
    let own = sources.iter().any(|source| {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        error.contains(&format!("{name}:"))
    });
    // The last is a source for machines with wider integers, beside which the library may have
    // another for this one.
    let lacks = [
        "No such file",
        "undefined reference",
        "#error",
        "unable to emulate",
    ];
    if own && error.contains("error") && !lacks.iter().any(|words| error.contains(words)) {
        return Finding {
            evidence,
            ..Finding::fault("does-not-build", "It does not build", error)
        };
    }
    Finding {
        evidence,
        ..Finding::gap(
            "not-built",
            "The lab could not build it",
            format!(
                "{error}. Something is missing that is not the library's source: a header, a \
                 setting, or a call in the glue. Give flags and include folders in library.toml, or \
                 mend the glue."
            ),
        )
    }
}

/// The line of a compiler's output that names the error.
fn first_error(output: &str) -> String {
    let find = |word: &str| output.lines().find(|line| line.contains(word));
    // The linker names the undefined symbol; its driver only says that there was an error.
    let telling = find("error:").filter(|line| !line.starts_with("collect2"));
    let telling = telling
        .or_else(|| find("undefined"))
        .or_else(|| find("error"));
    let telling = telling.or_else(|| output.lines().nth(1));
    telling.unwrap_or(output).trim().to_owned()
}
