//! Parses a codec file from TOML to a [`Codec`]. Errors name file and line. The format is
//! described in `site/codecs/README.md`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use toml::Spanned;

use crate::codec::{Codec, Format, Item, Variant};
use crate::error::{Error, Result};
use crate::field::{Field, Kind, Layout, Title};
use crate::name::check_name;

/// Maximum payload size of a codec, bytes. The link carries 45 bytes; other carriers may carry
/// more.
const LENGTH_MAX: usize = 1024;

/// Maximum size of the prefix `set_clock`, bytes.
const SET_CLOCK_MAX: usize = 16;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Spanned<String>,
    title: RawTitle,
    #[serde(default)]
    format: FormatName,
    #[serde(default)]
    endian: Endian,
    length: Option<Spanned<usize>>,
    /// Hexadecimal digits.
    set_clock: Option<Spanned<String>>,
    #[serde(default)]
    field: Vec<Spanned<RawField>>,
    #[serde(default)]
    variant: Vec<Spanned<RawVariant>>,
    #[serde(default)]
    item: Vec<Spanned<RawItem>>,
    #[serde(default)]
    vector: Vec<Spanned<Vector>>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct RawTitle {
    en: String,
    pt: String,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum FormatName {
    #[default]
    Fields,
    Channels,
    Raw,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Endian {
    #[default]
    Little,
    Big,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawVariant {
    first_byte: Option<u8>,
    length: Option<usize>,
    #[serde(default)]
    field: Vec<Spanned<RawField>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawItem {
    code: u8,
    #[serde(default)]
    field: Vec<Spanned<RawField>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawField {
    name: String,
    title: RawTitle,
    #[serde(default)]
    offset: usize,
    r#type: String,
    endian: Option<Endian>,
    bit: Option<u8>,
    bits: Option<(u8, u8)>,
    #[serde(default = "one")]
    scale: f64,
    #[serde(default)]
    add: f64,
    unit: String,
    #[serde(default)]
    kind: KindName,
    absent: Option<f64>,
    valid: Option<(f64, f64)>,
    class: Option<String>,
}

fn one() -> f64 {
    1.0
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum KindName {
    #[default]
    Gauge,
    Counter,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    payload: String,
    #[serde(default)]
    values: Option<BTreeMap<String, f64>>,
    /// Expected part of the error message, for a payload that must be refused.
    refused: Option<String>,
}

/// The error and a hint; the caller adds file and line.
struct Wrong(String, &'static str);

fn wrong<T>(why: impl Into<String>, hint: &'static str) -> Result<T, Wrong> {
    Err(Wrong(why.into(), hint))
}

const FORMAT: &str = "the format is described in site/codecs/README.md";

/// Parses a codec. `file` is its name in errors.
pub(crate) fn parse(file: &str, text: &str) -> Result<Codec> {
    let line = |at: usize| 1 + text[..at.min(text.len())].matches('\n').count();
    let at = |at: usize, Wrong(why, hint): Wrong| Error::File {
        file: file.into(),
        line: line(at),
        why,
        hint: hint.into(),
    };
    let raw: File = toml::from_str(text).map_err(|error| {
        let place = error.span().map_or(0, |span| span.start);
        at(place, Wrong(error.message().replace('\n', " "), FORMAT))
    })?;

    let name = raw.name.get_ref();
    let start = raw.name.span().start;
    check_name(name).map_err(|why| at(start, Wrong(why, "rename it")))?;
    let stem = std::path::Path::new(file).file_stem();
    if stem.is_some_and(|stem| stem != name.as_str()) {
        let why = format!("the codec's name '{name}' differs from its file's name");
        return Err(at(start, Wrong(why, "give both the same name")));
    }
    let only = |belongs: FormatName, present: bool, what: &str| {
        if present && raw.format != belongs {
            let why = format!("[[{what}]] is not allowed in this format");
            return Err(at(start, Wrong(why, FORMAT)));
        }
        Ok(())
    };
    let fields = !raw.field.is_empty() || !raw.variant.is_empty() || raw.length.is_some();
    only(FormatName::Fields, fields, "field")?;
    only(FormatName::Channels, !raw.item.is_empty(), "item")?;

    let read_fields = |list: &[Spanned<RawField>]| {
        list.iter()
            .map(|raw_field| {
                field(raw_field.get_ref(), raw.endian)
                    .map_err(|error| at(raw_field.span().start, error))
            })
            .collect::<Result<Vec<_>>>()
    };
    let format = match raw.format {
        FormatName::Raw => Format::Raw,
        FormatName::Channels => {
            let mut items = Vec::new();
            let mut names = HashSet::new();
            for raw_item in &raw.item {
                let fields = read_fields(&raw_item.get_ref().field)?;
                let place = raw_item.span().start;
                let item = item(raw_item.get_ref().code, fields, &items, &mut names)
                    .map_err(|error| at(place, error))?;
                items.push(item);
            }
            if items.is_empty() {
                let why = "the codec has no [[item]]";
                return Err(at(start, Wrong(why.into(), FORMAT)));
            }
            Format::Channels(items)
        }
        FormatName::Fields => {
            let common = read_fields(&raw.field)?;
            let mut variants = Vec::new();
            for raw_variant in &raw.variant {
                let mut fields = common.clone();
                fields.extend(read_fields(&raw_variant.get_ref().field)?);
                let candidate = Variant {
                    first_byte: raw_variant.get_ref().first_byte,
                    length: raw_variant.get_ref().length,
                    fields,
                };
                let place = raw_variant.span().start;
                check_variant(&candidate, &variants).map_err(|error| at(place, error))?;
                variants.push(candidate);
            }
            if variants.is_empty() {
                let only = Variant {
                    first_byte: None,
                    length: raw.length.as_ref().map(|length| *length.get_ref()),
                    fields: common,
                };
                check_fields(&only).map_err(|error| at(start, error))?;
                variants.push(only);
            } else if raw.length.is_some() {
                let why = "a codec with variants cannot have a length of its own";
                return Err(at(start, Wrong(why.into(), "give each variant its length")));
            }
            Format::Fields(variants)
        }
    };
    let set_clock = raw.set_clock.as_ref().map(|text| {
        let bytes = unhex(text.get_ref());
        let bytes = bytes.filter(|bytes| (1..=SET_CLOCK_MAX).contains(&bytes.len()));
        let why = "set_clock is not a valid message".to_owned();
        let hint = "give 1 to 16 bytes in hexadecimal; the time follows them";
        bytes.ok_or_else(|| at(text.span().start, Wrong(why, hint)))
    });
    let codec = Codec {
        set_clock: set_clock.transpose()?,
        name: name.clone(),
        title: title(&raw.title).map_err(|error| at(start, error))?,
        format,
    };
    for vector in &raw.vector {
        check_vector(&codec, vector.get_ref()).map_err(|error| at(vector.span().start, error))?;
    }
    Ok(codec)
}

fn title(raw: &RawTitle) -> Result<Title, Wrong> {
    for text in [&raw.en, &raw.pt] {
        if text.is_empty() || text.chars().count() > 64 || text.chars().any(char::is_control) {
            return wrong(
                format!("'{}' is not a valid title", text.escape_debug()),
                "a title has 1 to 64 printable characters",
            );
        }
    }
    Ok(Title {
        en: raw.en.clone(),
        pt: raw.pt.clone(),
    })
}

fn is_identifier(text: &str, most: usize) -> bool {
    let mut bytes = text.bytes();
    text.len() <= most
        && bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn field(raw: &RawField, endian: Endian) -> Result<Field, Wrong> {
    let name = &raw.name;
    if !is_identifier(name, 32) {
        return wrong(
            format!("'{}' is not a valid field name", name.escape_debug()),
            "use lower-case letters, digits and _, at most 32, with a letter first",
        );
    }
    let known = Layout::NAMES.iter().find(|(known, _)| *known == raw.r#type);
    let Some((_, layout)) = known else {
        let types: Vec<_> = Layout::NAMES.iter().map(|(name, _)| *name).collect();
        return wrong(
            format!(
                "{name}: there is no type '{}'; known types: {}",
                raw.r#type.escape_debug(),
                types.join(", ")
            ),
            FORMAT,
        );
    };
    let layout = *layout;
    if raw.offset + layout.bytes() > LENGTH_MAX {
        return wrong(
            format!("{name} ends after byte {LENGTH_MAX}"),
            "offsets are in bytes, from 0",
        );
    }
    let bits = match (raw.bit, raw.bits) {
        (Some(_), Some(_)) => return wrong(format!("{name} has both bit and bits"), "choose one"),
        (Some(bit), None) => Some((bit, bit)),
        (None, bits) => bits,
    };
    if let Some((low, high)) = bits {
        let unsigned = matches!(layout, Layout::Integer { signed: false, .. });
        if !unsigned {
            return wrong(
                format!("{name}: type {} cannot have bits", raw.r#type),
                "use u8, u16, u24 or u32",
            );
        }
        if low > high || usize::from(high) >= 8 * layout.bytes() {
            return wrong(
                format!("{name}: {} has no bits {low} to {high}", raw.r#type),
                "bits = [lowest, highest], counted from 0, the least significant",
            );
        }
    }
    if !raw.scale.is_finite() || raw.scale == 0.0 || !raw.add.is_finite() {
        return wrong(
            format!("{name}: scale or add is not a valid number"),
            "value = raw * scale + add",
        );
    }
    if raw.unit.is_empty()
        || raw.unit.len() > 16
        || !raw
            .unit
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
    {
        return wrong(
            format!("{name}: '{}' is not a valid unit", raw.unit.escape_debug()),
            "1 to 16 characters, such as mm, Cel, V, s, %, hPa; 1 for plain numbers",
        );
    }
    if raw
        .valid
        .is_some_and(|(least, most)| least.partial_cmp(&most).is_none_or(Ordering::is_gt))
    {
        return wrong(
            format!("{name}: its valid range is empty"),
            "valid = [least, most]",
        );
    }
    if raw
        .class
        .as_deref()
        .is_some_and(|class| !is_identifier(class, 32))
    {
        return wrong(format!("{name}: its class is not a valid name"), FORMAT);
    }
    Ok(Field {
        name: name.clone(),
        title: title(&raw.title)?,
        offset: raw.offset,
        layout,
        big_endian: raw.endian.unwrap_or(endian) == Endian::Big,
        bits,
        scale: raw.scale,
        add: raw.add,
        unit: raw.unit.clone(),
        kind: match raw.kind {
            KindName::Gauge => Kind::Gauge,
            KindName::Counter => Kind::Counter,
        },
        absent: raw.absent,
        valid: raw.valid,
        class: raw.class.clone(),
    })
}

fn item(
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

fn check_variant(variant: &Variant, others: &[Variant]) -> Result<(), Wrong> {
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

fn check_fields(variant: &Variant) -> Result<(), Wrong> {
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

fn check_vector(codec: &Codec, vector: &Vector) -> Result<(), Wrong> {
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

fn unhex(text: &str) -> Option<Vec<u8>> {
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
