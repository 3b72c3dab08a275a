//! Vectors in sections: in each section vectors of named fields, each after its `count` and `result`.
//! Fields before the first `count` of a section belong to each of its vectors.

use std::collections::BTreeMap;

use super::response::{Item, hexadecimal, lines};
use super::source::SourceText;
use crate::Error;

/// The fields of a vector, by name.
type Fields = BTreeMap<String, Vec<u8>>;

#[derive(Default)]
pub(super) struct Vector {
    pub line: usize,
    pub section: String,
    pub count: String,
    pub valid: bool,
    /// The publisher's words for the kind of the vector.
    pub flags: String,
    pub fields: Fields,
}

impl Vector {
    /// The bytes of a field of a given size.
    pub fn sized(&mut self, name: &str, size: usize) -> Result<Vec<u8>, String> {
        match self.fields.remove(name) {
            None => Err(format!("the vector has no {name}")),
            Some(bytes) if bytes.len() == size => Ok(bytes),
            Some(bytes) => Err(format!("{name} has {} bytes", bytes.len())),
        }
    }

    /// The bytes of a field, or none if the vector lacks it.
    pub fn optional(&mut self, name: &str) -> Vec<u8> {
        self.fields.remove(name).unwrap_or_default()
    }
}

pub(super) fn vectors(place: &SourceText<'_>) -> Result<Vec<Vector>, Error> {
    let mut section: Option<(String, Fields)> = None;
    let mut vectors: Vec<Vector> = Vec::new();
    // The place in `vectors` of the section's vector that is being read.
    let mut current = None;
    for line in lines(place) {
        let line = line?;
        let (name, value) = match line.item {
            Item::Section(name) => {
                section = Some((name.to_owned(), Fields::new()));
                current = None;
                continue;
            }
            Item::Pair(name, value) => (name, value),
        };
        let Some((section, common)) = &mut section else {
            return Err(place.error(line.number, format!("{name} before a section")));
        };
        if name == "count" {
            current = Some(vectors.len());
            vectors.push(Vector {
                line: line.number,
                section: section.clone(),
                count: value.to_owned(),
                valid: true,
                flags: String::new(),
                fields: common.clone(),
            });
            continue;
        }
        let vector = current.and_then(|index| vectors.get_mut(index));
        let fields = match (name, vector) {
            ("result" | "flags", None) => {
                return Err(place.error(line.number, format!("{name} before count")));
            }
            ("result", Some(vector)) => {
                vector.valid = match value {
                    "valid" => true,
                    "invalid" => false,
                    _ => return Err(place.error(line.number, format!("unknown result `{value}`"))),
                };
                continue;
            }
            ("flags", Some(vector)) => {
                value.clone_into(&mut vector.flags);
                continue;
            }
            (_, Some(vector)) => &mut vector.fields,
            (_, None) => common,
        };
        let bytes = hexadecimal(place, line.number, name, value)?;
        if fields.insert(name.to_owned(), bytes).is_some() {
            return Err(place.error(line.number, format!("{name} appears twice in one vector")));
        }
    }
    Ok(vectors)
}
