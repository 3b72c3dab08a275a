//! Checks of items, variants and vectors.

use std::collections::{BTreeMap, HashSet};

use super::field::LENGTH_MAX;
use super::raw::Vector;
use super::wrong::{FORMAT, Wrong, wrong};
use crate::codec::{Codec, Item, Variant};
use crate::field::Field;

pub fn item(
    code: u8,
    fields: Vec<Field>,
    others: &[Item],
    names: &mut HashSet<String>,
) -> Result<Item, Wrong> {
    if others.iter().any(|other| other.code == code) {
        return wrong(format!("type {code} occurs twice"), "remove one");
    }
    for field in &fields {
        if !names.insert(field.name.clone()) {
            return wrong(
                format!("two fields are called '{}'", field.name),
                "rename one; their channel does not distinguish them",
            );
        }
    }
    let Some(size) = fields.iter().map(Field::end).max() else {
        return wrong(format!("type {code} has no field"), FORMAT);
    };
    Ok(Item { code, size, fields })
}

pub fn check_variant(variant: &Variant, others: &[Variant]) -> Result<(), Wrong> {
    if variant.first_byte.is_none() && variant.length.is_none() {
        return wrong(
            "the variant has neither first_byte nor length",
            "give it first_byte or length",
        );
    }
    let same =
        |other: &Variant| (other.first_byte, other.length) == (variant.first_byte, variant.length);
    if others.iter().any(same) {
        return wrong(
            "two variants have the same first_byte and length",
            "give them different first bytes or lengths",
        );
    }
    check_fields(variant)
}

pub fn check_fields(variant: &Variant) -> Result<(), Wrong> {
    let mut names = HashSet::new();
    if variant.fields.is_empty() {
        return wrong("there is no [[field]]", FORMAT);
    }
    for field in &variant.fields {
        if !names.insert(&field.name) {
            return wrong(
                format!("two fields are called '{}'", field.name),
                "rename one",
            );
        }
        if let Some(length) = variant.length
            && field.end() > length
        {
            return wrong(
                format!(
                    "{} ends after the {length} bytes of the payload",
                    field.name
                ),
                "offsets are in bytes, from 0",
            );
        }
        if variant.first_byte.is_some() && field.offset == 0 {
            return wrong(
                format!(
                    "{} covers the first byte, which identifies the variant",
                    field.name
                ),
                "set its offset to 1 or more",
            );
        }
    }
    if variant.length.is_some_and(|length| length > LENGTH_MAX) {
        return wrong(format!("the payload exceeds {LENGTH_MAX} bytes"), FORMAT);
    }
    Ok(())
}

pub fn check_vector(codec: &Codec, vector: &Vector) -> Result<(), Wrong> {
    const HINT: &str = "the codec and its vector disagree: correct one of them";
    let Some(payload) = unhex(&vector.payload) else {
        return wrong(
            "the vector's payload is not hexadecimal",
            "write two digits per byte",
        );
    };
    match (codec.decode(&payload), &vector.values, &vector.refused) {
        (Ok(values), Some(wanted), None) => {
            let got: BTreeMap<String, f64> = values
                .iter()
                .map(|value| (value.name.clone().into_owned(), value.value))
                .collect();
            if got != *wanted {
                return wrong(format!("the vector's payload decodes to {got:?}"), HINT);
            }
            Ok(())
        }
        (Err(error), None, Some(words)) if error.to_string().contains(words.as_str()) => Ok(()),
        (Err(error), ..) => wrong(format!("the vector's payload is refused: {error}"), HINT),
        (Ok(_), _, Some(_)) => wrong("the vector's payload is not refused", HINT),
        (Ok(_), None, None) => wrong(
            "the vector has neither values nor refused",
            "give it values or refused",
        ),
    }
}

/// Bytes of hexadecimal digits, with spaces between them.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|char| !char.is_ascii_whitespace())
        .map(|char| char.to_digit(16).map(|digit| digit as u8))
        .collect::<Option<_>>()?;
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| (pair.len() == 2).then(|| pair[0] << 4 | pair[1]))
        .collect()
}
