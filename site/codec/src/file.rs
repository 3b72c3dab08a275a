//! Parses a codec file from TOML to a [`Codec`]. Errors name file and line. The format is
//! described in `site/codecs/README.md`.

mod check;
mod field;
mod raw;
mod wrong;

use std::collections::HashSet;
use std::path::Path;

use toml::Spanned;

use crate::codec::{Codec, Format, Variant};
use crate::error::{Error, Result};
use crate::field::Field;
use crate::name;
use check::{check_fields, check_variant, check_vector, item, unhex};
use field::{field, title};
use raw::{Endian, File, FormatName, RawField};
use wrong::{FORMAT, Wrong};

/// Maximum size of the prefix `set_clock`, bytes.
const SET_CLOCK_MAX: usize = 16;

/// Parses a codec. `file` is its name in errors.
pub(crate) fn parse(file: &str, text: &str) -> Result<Codec> {
    let place = Place { file, text };
    let raw: File = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        place.error(at, Wrong(error.message().replace('\n', " "), FORMAT))
    })?;
    let start = raw.name.span().start;
    check_name(&place, &raw)?;
    check_format(&place, &raw)?;
    let format = match raw.format {
        FormatName::Raw => Format::Raw,
        FormatName::Channels => channels(&place, &raw)?,
        FormatName::Fields => fields(&place, &raw)?,
    };
    let codec = Codec {
        set_clock: set_clock(&place, &raw)?,
        name: raw.name.get_ref().clone(),
        title: title(&raw.title).map_err(|error| place.error(start, error))?,
        format,
    };
    for vector in &raw.vector {
        check_vector(&codec, vector.get_ref())
            .map_err(|error| place.error(vector.span().start, error))?;
    }
    Ok(codec)
}

/// A file, for errors that name its lines.
struct Place<'a> {
    file: &'a str,
    text: &'a str,
}

impl Place<'_> {
    /// The error at this byte of the text.
    fn error(&self, at: usize, Wrong(why, hint): Wrong) -> Error {
        let before = &self.text[..at.min(self.text.len())];
        Error::File {
            file: self.file.into(),
            line: 1 + before.matches('\n').count(),
            why,
            hint: hint.into(),
        }
    }
}

/// Checks the codec's name, which is also its file's name.
fn check_name(place: &Place<'_>, raw: &File) -> Result<()> {
    let name = raw.name.get_ref();
    let start = raw.name.span().start;
    name::check_name(name).map_err(|why| place.error(start, Wrong(why, "rename it")))?;
    let stem = Path::new(place.file).file_stem();
    if stem.is_some_and(|stem| stem != name.as_str()) {
        let why = format!("the codec's name '{name}' differs from its file's name");
        return Err(place.error(start, Wrong(why, "give both the same name")));
    }
    Ok(())
}

/// Checks that the file has only tables that belong to its format.
fn check_format(place: &Place<'_>, raw: &File) -> Result<()> {
    let only = |belongs: FormatName, present: bool, what: &str| {
        if present && raw.format != belongs {
            let why = format!("[[{what}]] is not allowed in this format");
            return Err(place.error(raw.name.span().start, Wrong(why, FORMAT)));
        }
        Ok(())
    };
    let fields = !raw.field.is_empty() || !raw.variant.is_empty() || raw.length.is_some();
    only(FormatName::Fields, fields, "field")?;
    only(FormatName::Channels, !raw.item.is_empty(), "item")
}

fn read_fields(
    place: &Place<'_>,
    list: &[Spanned<RawField>],
    endian: Endian,
) -> Result<Vec<Field>> {
    list.iter()
        .map(|raw| {
            field(raw.get_ref(), endian).map_err(|error| place.error(raw.span().start, error))
        })
        .collect()
}

fn channels(place: &Place<'_>, raw: &File) -> Result<Format> {
    let mut items = Vec::new();
    let mut names = HashSet::new();
    for raw_item in &raw.item {
        let fields = read_fields(place, &raw_item.get_ref().field, raw.endian)?;
        let start = raw_item.span().start;
        let item = item(raw_item.get_ref().code, fields, &items, &mut names)
            .map_err(|error| place.error(start, error))?;
        items.push(item);
    }
    if items.is_empty() {
        let why = "the codec has no [[item]]";
        return Err(place.error(raw.name.span().start, Wrong(why.into(), FORMAT)));
    }
    Ok(Format::Channels(items))
}

fn fields(place: &Place<'_>, raw: &File) -> Result<Format> {
    let start = raw.name.span().start;
    let common = read_fields(place, &raw.field, raw.endian)?;
    let mut variants = Vec::new();
    for raw_variant in &raw.variant {
        let mut fields = common.clone();
        fields.extend(read_fields(
            place,
            &raw_variant.get_ref().field,
            raw.endian,
        )?);
        let candidate = Variant {
            first_byte: raw_variant.get_ref().first_byte,
            length: raw_variant.get_ref().length,
            fields,
        };
        let at = raw_variant.span().start;
        check_variant(&candidate, &variants).map_err(|error| place.error(at, error))?;
        variants.push(candidate);
    }
    if variants.is_empty() {
        let only = Variant {
            first_byte: None,
            length: raw.length.as_ref().map(|length| *length.get_ref()),
            fields: common,
        };
        check_fields(&only).map_err(|error| place.error(start, error))?;
        variants.push(only);
    } else if raw.length.is_some() {
        let why = "a codec with variants cannot have a length of its own";
        return Err(place.error(start, Wrong(why.into(), "give each variant its length")));
    }
    Ok(Format::Fields(variants))
}

fn set_clock(place: &Place<'_>, raw: &File) -> Result<Option<Vec<u8>>> {
    let Some(text) = &raw.set_clock else {
        return Ok(None);
    };
    let bytes = unhex(text.get_ref());
    let bytes = bytes.filter(|bytes| (1..=SET_CLOCK_MAX).contains(&bytes.len()));
    let why = "set_clock is not a valid message".to_owned();
    let hint = "give 1 to 16 bytes in hexadecimal; the time follows them";
    let wrong = || place.error(text.span().start, Wrong(why, hint));
    bytes.map(Some).ok_or_else(wrong)
}
