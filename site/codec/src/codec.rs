//! A codec: decodes a payload's bytes to values, and encodes values.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::field::{Field, Kind, Title};

/// A decoded value.
#[derive(Debug, Clone, PartialEq)]
pub struct Value<'a> {
    /// The field's name; in a channel format with its channel, such as `temperature_1`.
    pub name: Cow<'a, str>,
    /// Always finite.
    pub value: f64,
    pub unit: &'a str,
    pub kind: Kind,
    pub class: Option<&'a str>,
    /// True for a single bit, whose value is 0 or 1.
    pub flag: bool,
    pub title: &'a Title,
}

impl<'a> Value<'a> {
    fn new(field: &'a Field, name: Cow<'a, str>, value: f64) -> Value<'a> {
        Value {
            name,
            value,
            unit: &field.unit,
            kind: field.kind,
            class: field.class.as_deref(),
            flag: field.is_flag(),
            title: &field.title,
        }
    }
}

/// A codec. Only a checked file can make one.
#[derive(Debug, Clone)]
pub struct Codec {
    pub name: String,
    pub title: Title,
    /// Prefix of a message that sets the device's clock. Unix seconds follow (4 bytes,
    /// little-endian). `None` if the clock cannot be set.
    pub set_clock: Option<Vec<u8>>,
    pub(crate) format: Format,
}

#[derive(Debug, Clone)]
pub(crate) enum Format {
    /// Bytes without interpretation.
    Raw,
    /// Fields at fixed offsets.
    Fields(Vec<Variant>),
    /// Items of channel, type and data, as in Cayenne LPP.
    Channels(Vec<Item>),
}

/// One variant of a codec's payload.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub first_byte: Option<u8>,
    /// Exact length, bytes.
    pub length: Option<usize>,
    pub fields: Vec<Field>,
}

impl Variant {
    fn least(&self) -> usize {
        let ends = self.fields.iter().map(Field::end);
        ends.max().unwrap_or(0).max(self.first_byte.iter().len())
    }

    fn is_of(&self, payload: &[u8]) -> bool {
        self.first_byte
            .is_none_or(|byte| payload.first() == Some(&byte))
            && self.length.is_none_or(|length| payload.len() == length)
    }

    fn wants(&self) -> String {
        let byte = self.first_byte.map(|byte| format!("first byte {byte}"));
        let length = match self.length {
            Some(length) => format!("{length} bytes"),
            None => format!("at least {} bytes", self.least()),
        };
        byte.map_or(length.clone(), |byte| format!("{byte} and {length}"))
    }
}

/// A type of item.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub code: u8,
    pub size: usize,
    pub fields: Vec<Field>,
}

impl Codec {
    /// Decodes a payload. Leaves out absent values and values outside their valid range.
    ///
    /// # Errors
    /// [`Error::Payload`] if the payload does not match the codec.
    pub fn decode<'a>(&'a self, payload: &[u8]) -> Result<Vec<Value<'a>>> {
        match &self.format {
            Format::Raw => Ok(Vec::new()),
            Format::Fields(variants) => {
                let variant = variants
                    .iter()
                    .find(|variant| variant.is_of(payload) && payload.len() >= variant.least())
                    .ok_or_else(|| self.not_mine(variants, payload))?;
                let value = |field: &'a Field| {
                    let value = field.decode(payload)?;
                    Some(Value::new(field, Cow::Borrowed(&*field.name), value))
                };
                Ok(variant.fields.iter().filter_map(value).collect())
            }
            Format::Channels(items) => channels(&self.name, items, payload),
        }
    }

    /// True if the device's clock can be set and this payload shows that it is unknown, or
    /// wrong by more than `most` seconds. `now` is the time of reception, Unix seconds. The
    /// clock is the first value of class `timestamp`.
    pub fn wants_time(&self, payload: &[u8], now: u64, most: u64) -> bool {
        if self.set_clock.is_none() {
            return false;
        }
        let Ok(values) = self.decode(payload) else {
            return false;
        };
        let clock = values.iter().find(|value| value.class == Some("timestamp"));
        clock.is_none_or(|clock| (clock.value - now as f64).abs() > most as f64)
    }

    fn not_mine(&self, variants: &[Variant], payload: &[u8]) -> Error {
        let wants: Vec<_> = variants.iter().map(Variant::wants).collect();
        let has = match payload {
            [] => "it is empty".into(),
            [first, ..] => format!("it has {} bytes, the first is {first}", payload.len()),
        };
        let name = &self.name;
        Error::Payload(format!(
            "not a payload of {name}, which has {}: {has}",
            wants.join(", or ")
        ))
    }

    /// Encodes these values. Other values are marked absent, where the codec has a code for it.
    /// Uses the first variant that fits.
    ///
    /// # Errors
    /// [`Error::Encode`] if a value does not fit or is missing.
    pub fn encode(&self, values: &[(&str, f64)]) -> Result<Vec<u8>> {
        match &self.format {
            Format::Raw => Err(Error::Encode(format!("{} has no values", self.name))),
            Format::Fields(variants) => {
                let mut why = format!("{} has no variant", self.name);
                for variant in variants {
                    match variant.encode(values) {
                        Ok(payload) => return Ok(payload),
                        Err(error) => why = error,
                    }
                }
                Err(Error::Encode(why))
            }
            Format::Channels(items) => write_channels(items, values).map_err(Error::Encode),
        }
    }

    /// All fields of all variants, each name once. Empty for channel formats, whose fields
    /// depend on the payload.
    pub fn fields(&self) -> Vec<&Field> {
        let Format::Fields(variants) = &self.format else {
            return Vec::new();
        };
        let mut fields: Vec<&Field> = Vec::new();
        for field in variants.iter().flat_map(|variant| &variant.fields) {
            if fields.iter().all(|known| known.name != field.name) {
                fields.push(field);
            }
        }
        fields
    }

    /// Describes a valid payload, for people.
    pub fn describe(&self) -> String {
        match &self.format {
            Format::Raw => "any bytes, passed on unchanged".into(),
            Format::Fields(variants) => {
                let wants: Vec<_> = variants.iter().map(Variant::wants).collect();
                wants.join(", or ")
            }
            Format::Channels(items) => {
                format!("items of channel, type and data; {} types", items.len())
            }
        }
    }

    /// Item types of a channel format: code, data bytes, fields.
    pub fn items(&self) -> impl Iterator<Item = (u8, usize, &[Field])> {
        let items: &[Item] = match &self.format {
            Format::Channels(items) => items,
            _ => &[],
        };
        items
            .iter()
            .map(|item| (item.code, item.size, &item.fields[..]))
    }
}

impl Variant {
    fn encode(&self, values: &[(&str, f64)]) -> Result<Vec<u8>, String> {
        for (name, _) in values {
            if self.fields.iter().all(|field| field.name != *name) {
                return Err(format!("there is no field '{name}'"));
            }
        }
        let mut payload = vec![0; self.length.unwrap_or_else(|| self.least())];
        for field in &self.fields {
            let value = values.iter().find(|(name, _)| *name == field.name);
            field.encode(value.map(|(_, value)| *value), &mut payload)?;
        }
        if let (Some(byte), Some(first)) = (self.first_byte, payload.first_mut()) {
            *first = byte;
        }
        Ok(payload)
    }
}

fn channels<'a>(codec: &str, items: &'a [Item], payload: &[u8]) -> Result<Vec<Value<'a>>> {
    let mut values = Vec::new();
    let mut rest = payload;
    while !rest.is_empty() {
        let at = payload.len() - rest.len();
        let wrong = |why: String| Error::Payload(format!("not a payload of {codec}: {why}"));
        let [channel, code, data @ ..] = rest else {
            return Err(wrong(format!("byte {at} is a channel without a type")));
        };
        let item = items
            .iter()
            .find(|item| item.code == *code)
            .ok_or_else(|| wrong(format!("byte {}: there is no type {code}", at + 1)))?;
        let data = data
            .get(..item.size)
            .ok_or_else(|| wrong(format!("byte {at}: the item is cut short")))?;
        for field in &item.fields {
            if let Some(value) = field.decode(data) {
                let name = Cow::Owned(format!("{}_{channel}", field.name));
                values.push(Value::new(field, name, value));
            }
        }
        rest = &rest[2 + item.size..];
    }
    Ok(values)
}

fn write_channels(items: &[Item], values: &[(&str, f64)]) -> Result<Vec<u8>, String> {
    let mut payload = Vec::new();
    let mut done: Vec<(u8, u8)> = Vec::new();
    for (name, _) in values {
        let (field, channel) = name
            .rsplit_once('_')
            .and_then(|(field, channel)| Some((field, channel.parse::<u8>().ok()?)))
            .ok_or_else(|| format!("'{name}' lacks a channel; write it as in temperature_1"))?;
        let item = items
            .iter()
            .find(|item| item.fields.iter().any(|known| known.name == field))
            .ok_or_else(|| format!("there is no field '{field}'"))?;
        if done.contains(&(channel, item.code)) {
            continue;
        }
        done.push((channel, item.code));
        let mut data = vec![0; item.size];
        for field in &item.fields {
            let full = format!("{}_{channel}", field.name);
            let value = values.iter().find(|(name, _)| *name == full);
            field.encode(value.map(|(_, value)| *value), &mut data)?;
        }
        payload.extend([channel, item.code]);
        payload.extend(data);
    }
    Ok(payload)
}
