//! Macros that may select an algorithm or its key size.

use crate::algorithm::Algorithm;
use crate::bind::recipe::parameter_flags;
use crate::interface::Interface;
use crate::scan::Scanned;
use crate::scan::words::words;

/// Macros that the sources test, that nothing defines, and whose names say that they switch the
/// algorithm or its modes on.
fn enabling(scanned: &Scanned, algorithm: &Algorithm) -> Vec<String> {
    const SWITCH: [&str; 10] = [
        "use", "using", "enable", "enabled", "with", "support", "config", "have", "include",
        "feature",
    ];
    const MODES: [&str; 6] = ["ecb", "cbc", "ctr", "gcm", "ccm", "aes"];
    let family = algorithm.family.to_lowercase();
    let wanted = |name: &&String| {
        let words = words(name);
        let says = |of: &str| words.iter().any(|word| word == of);
        let about = MODES.iter().any(|mode| says(mode)) || says(&family);
        let switches = SWITCH.iter().any(|word| says(word)) || words.len() == 1;
        let against = ["no", "not", "disable", "hw", "ni", "neon", "asm", "h"];
        // Names with two underscores are the compiler's own.
        let own = !name.starts_with("__");
        own && about && switches && !against.iter().any(|word| says(word))
    };
    let tested = scanned
        .tested
        .iter()
        .filter(|name| !scanned.macros.contains_key(*name));
    tested
        .filter(wanted)
        .map(|name| format!("-D{name}=1"))
        .collect()
}

/// Flags that may select the key size: macros that the sources test and that name it.
pub(super) fn flags(scanned: &Scanned, algorithm: &Algorithm) -> Vec<Vec<String>> {
    if algorithm.interface == Interface::Kem {
        return parameter_flags(scanned, algorithm);
    }
    let ciphers = [
        Interface::BlockCipher,
        Interface::ModeEcb,
        Interface::ModeCbc,
        Interface::ModeCtr,
    ];
    let Some(bytes) = algorithm
        .key_bytes
        .filter(|_| ciphers.contains(&algorithm.interface))
    else {
        return Vec::new();
    };
    let bits = (8 * bytes).to_string();
    let mut found = Vec::new();
    let enabling = enabling(scanned, algorithm);
    if !enabling.is_empty() {
        found.push(enabling);
    }
    for name in &scanned.tested {
        let lower = name.to_lowercase();
        let about_key = lower.contains("key")
            && ["len", "size", "bits", "bytes"]
                .iter()
                .any(|w| lower.contains(w));
        // A macro of any name whose default is a key size.
        let is_size = scanned
            .number(name)
            .is_some_and(|number| [128, 192, 256].contains(&number));
        if name.contains(&bits) {
            found.push(vec![format!("-D{name}=1")]);
        } else if is_size {
            found.push(vec![format!("-D{name}={bits}")]);
        } else if about_key {
            found.push(vec![format!("-D{name}={bits}")]);
            found.push(vec![format!("-D{name}={bytes}")]);
        }
    }
    found
}
