//! Places of a library that its caller writes to or reads from: global arrays, and the members of a
//! class or structure.

use super::declarations::{Function, Parameter};
use super::kind::{Kind, kind};
use super::made::{assignment, reading};
use super::scanned::{Declared, Held, Role, Scanned, Size};
use super::words::words;
use std::path::{Path, PathBuf};

const KEYS: [&str; 5] = ["key", "k", "userkey", "chave", "clave"];
const NO_KEYS: [&str; 5] = ["round", "expanded", "schedule", "sched", "sub"];
const INS: [&str; 9] = [
    "entrada",
    "texto",
    "in",
    "input",
    "plain",
    "plaintext",
    "src",
    "pt",
    "inbuf",
];
const OUTS: [&str; 11] = [
    "saida",
    "salida",
    "resultado",
    "out",
    "output",
    "cipher",
    "ciphertext",
    "dst",
    "ct",
    "result",
    "outbuf",
];
const BOTH: [&str; 7] = ["estado", "bloco", "state", "block", "data", "buffer", "buf"];

/// The use of a place by its name.
fn role(name: &str) -> Option<Role> {
    let parts = words(name);
    let says = |of: &[&str]| parts.iter().any(|part| of.contains(&part.as_str()));
    let whole = parts.concat();
    if NO_KEYS.iter().any(|word| whole.contains(word)) {
        None
    } else if says(&KEYS) || whole.ends_with("key") {
        Some(Role::Key)
    } else if says(&INS) {
        Some(Role::In)
    } else if says(&OUTS) {
        Some(Role::Out)
    } else {
        says(&BOTH).then_some(Role::Both)
    }
}

/// Most names of types that are followed.
const NAMES: usize = 8;

/// True if the type is a byte, also by a name that the library gives it.
fn is_of_bytes(scanned: &Scanned, place: &Parameter) -> bool {
    let mut of = place;
    for _ in 0..NAMES {
        if of.is_of_bytes() {
            return true;
        }
        match scanned.typedefs.get(&of.base) {
            Some(alias) if alias.pointers == 0 => of = alias,
            _ => return false,
        }
    }
    false
}

/// The bytes of an array; of a matrix, of four rows.
fn bytes(scanned: &Scanned, place: &Parameter) -> Option<u32> {
    let size = place.array.as_deref()?;
    let size = scanned.number(size).or_else(|| {
        let factors = size.split('*').map(|factor| scanned.number(factor));
        factors.product()
    })?;
    match place.pointers {
        1 => Some(size),
        2 if size == 4 => Some(16),
        _ => None,
    }
}

/// Notes the places among global variables, and among the members of what functions without a block
/// take.
pub(super) fn note(globals: &[(Parameter, PathBuf, bool)], scanned: &mut Scanned) {
    let mut places: Vec<Held> = Vec::new();
    let mut sizes: Vec<Size> = Vec::new();
    for (place, file, in_header) in globals {
        let known = |name: &str| places.iter().any(|held| held.place == name);
        if known(&place.name) {
            continue;
        }
        match place.pointers {
            0 => sizes.push(Size {
                place: place.name.clone(),
                owner: None,
                parameter: place.clone(),
                in_header: *in_header || kind(file) == Some(Kind::Sketch),
            }),
            _ => places.extend(held(scanned, place, None, file, *in_header)),
        }
    }
    for (owner, members) in &scanned.members {
        let of_class = scanned.with_methods(owner);
        let object = if of_class { "object" } else { "state" };
        let hidden = scanned.private_members.get(owner);
        for member in members {
            if hidden.is_some_and(|names| names.contains(&member.name)) {
                continue;
            }
            let name = words(&member.name).concat();
            let is_size = name.contains("key")
                && ["len", "size", "bits", "bytes"]
                    .iter()
                    .any(|part| name.contains(part));
            let place = format!("{object}.{}", member.name);
            match member.pointers {
                0 if is_size || ["nk", "nr"].contains(&name.as_str()) => sizes.push(Size {
                    place,
                    owner: Some(owner.clone()),
                    parameter: member.clone(),
                    in_header: true,
                }),
                0 => {}
                _ => places.extend(held(
                    scanned,
                    member,
                    Some((owner, &place)),
                    Path::new(""),
                    true,
                )),
            }
        }
    }
    scanned.held = places;
    scanned.sizes = sizes;
}

/// A place, if its name and size say what it is for.
fn held(
    scanned: &Scanned,
    place: &Parameter,
    member: Option<(&String, &String)>,
    file: &Path,
    in_header: bool,
) -> Option<Held> {
    let role = role(&place.name)?;
    let bytes = bytes(scanned, place).filter(|_| is_of_bytes(scanned, place))?;
    let fits = match role {
        Role::Key => [16, 24, 32].contains(&bytes),
        _ => bytes == 16,
    };
    let name = member.map_or(&place.name, |(_, name)| name);
    let written = Parameter {
        name: name.clone(),
        ..place.clone()
    };
    let declared = |function: Function| Declared {
        function,
        file: file.to_owned(),
        in_header: in_header && member.is_none(),
        by_inclusion: kind(file) == Some(Kind::Sketch),
    };
    fits.then(|| Held {
        place: name.clone(),
        owner: member.map(|(owner, _)| owner.clone()),
        role,
        bytes,
        put: declared(assignment(written.clone())),
        get: declared(reading(written)),
    })
}

#[cfg(test)]
mod tests {
    use crate::scan::scan;

    #[test]
    fn a_place_may_have_a_type_of_the_library() {
        let folder = tempfile::tempdir().expect("a folder");
        let header = "typedef unsigned char octet;\ntypedef octet cell;\ntypedef unsigned long wide;\n\
            extern cell Key[16];\nextern wide State[16];\nvoid aes_encrypt(void);\n";
        std::fs::write(folder.path().join("aes.h"), header).expect("a file");
        let scanned = scan(folder.path()).expect("a library");
        let places: Vec<&str> = scanned
            .held
            .iter()
            .map(|held| held.place.as_str())
            .collect();
        assert_eq!(places, ["Key"]);
    }
}
