//! A field of a codec file, checked.

use std::cmp::Ordering;

use super::raw::{Endian, KindName, RawField, RawTitle};
use super::wrong::{FORMAT, Wrong, wrong};
use crate::field::{Field, Kind, Layout, Title};

/// Maximum payload size of a codec, bytes. The link carries 45 bytes; other carriers may carry
/// more.
pub const LENGTH_MAX: usize = 1024;

pub fn title(raw: &RawTitle) -> Result<Title, Wrong> {
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

pub fn field(raw: &RawField, endian: Endian) -> Result<Field, Wrong> {
    let name = &raw.name;
    if !is_identifier(name, 32) {
        return wrong(
            format!("'{}' is not a valid field name", name.escape_debug()),
            "use lower-case letters, digits and _, at most 32, with a letter first",
        );
    }
    let layout = layout(raw)?;
    let bits = bits(raw, layout)?;
    check_value(raw)?;
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

fn layout(raw: &RawField) -> Result<Layout, Wrong> {
    let name = &raw.name;
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
    if raw.offset + layout.bytes() > LENGTH_MAX {
        return wrong(
            format!("{name} ends after byte {LENGTH_MAX}"),
            "offsets are in bytes, from 0",
        );
    }
    Ok(*layout)
}

/// The lowest and the highest bit, if the field has only some bits of its bytes.
fn bits(raw: &RawField, layout: Layout) -> Result<Option<(u8, u8)>, Wrong> {
    let name = &raw.name;
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
    Ok(bits)
}

/// Checks scale, unit, range and class.
fn check_value(raw: &RawField) -> Result<(), Wrong> {
    let name = &raw.name;
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
    Ok(())
}
