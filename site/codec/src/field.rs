//! A field of a payload: bytes at an offset, and their value.

use crate::language::Language;

/// A title for display, in the languages of the dashboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    pub en: String,
    pub pt: String,
}

impl Title {
    /// The title in a language.
    pub fn in_language(&self, language: Language) -> &str {
        match language {
            Language::English => &self.en,
            Language::Portuguese => &self.pt,
        }
    }
}

/// Aggregation of a field's values over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Rises and falls; aggregated as minimum, mean and maximum.
    Gauge,
    /// A rising total that may restart at zero; aggregated as differences.
    Counter,
}

impl Kind {
    /// The name in codec files and in the API.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
        }
    }
}

/// Binary layout of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Integer { bytes: usize, signed: bool },
    Float { bytes: usize },
}

impl Layout {
    pub(crate) const NAMES: [(&str, Layout); 11] = [
        ("u8", Layout::integer(1, false)),
        ("i8", Layout::integer(1, true)),
        ("u16", Layout::integer(2, false)),
        ("i16", Layout::integer(2, true)),
        ("u24", Layout::integer(3, false)),
        ("i24", Layout::integer(3, true)),
        ("u32", Layout::integer(4, false)),
        ("i32", Layout::integer(4, true)),
        ("u48", Layout::integer(6, false)),
        ("f32", Layout::Float { bytes: 4 }),
        ("f64", Layout::Float { bytes: 8 }),
    ];

    const fn integer(bytes: usize, signed: bool) -> Layout {
        Layout::Integer { bytes, signed }
    }

    pub(crate) fn bytes(self) -> usize {
        match self {
            Layout::Integer { bytes, .. } | Layout::Float { bytes } => bytes,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        let known = Layout::NAMES.iter().find(|(_, layout)| *layout == self);
        known.map_or("?", |(name, _)| name)
    }
}

/// A field. Only a checked codec file can make one.
#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    pub title: Title,
    /// Offset of its first byte in the payload, or in the item's data for channel formats.
    pub offset: usize,
    pub(crate) layout: Layout,
    pub(crate) big_endian: bool,
    /// Lowest and highest bit, for unsigned integers.
    pub bits: Option<(u8, u8)>,
    /// value = raw * scale + add.
    pub scale: f64,
    pub add: f64,
    /// Unit in UCUM notation: `mm`, `Cel`, `1`.
    pub unit: String,
    pub kind: Kind,
    /// Raw value that marks a missing value.
    pub absent: Option<f64>,
    /// Valid range. Values outside are left out, as from a broken or missing sensor.
    pub valid: Option<(f64, f64)>,
    /// Device class in Home Assistant.
    pub class: Option<String>,
}

/// Maximum number of decimals that are scaled exactly. Above it, plain floating-point
/// arithmetic is used.
const DECIMALS_MAX: usize = 9;

impl Field {
    /// Name of the layout in codec files, such as `u16`.
    pub fn layout(&self) -> &'static str {
        self.layout.name()
    }

    /// True for a single bit, whose value is 0 or 1.
    pub fn is_flag(&self) -> bool {
        self.bits.is_some_and(|(low, high)| low == high)
    }

    pub fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// Offset of the byte after the field.
    pub(crate) fn end(&self) -> usize {
        self.offset + self.layout.bytes()
    }

    fn bytes(&self, raw: &[u8]) -> [u8; 8] {
        let mut bytes = [0; 8];
        bytes[..raw.len()].copy_from_slice(raw);
        if self.big_endian {
            bytes[..raw.len()].reverse();
        }
        bytes
    }

    /// The unscaled number. `None` if the payload is too short.
    fn raw(&self, payload: &[u8]) -> Option<f64> {
        let bytes = self.bytes(payload.get(self.offset..self.end())?);
        let word = u64::from_le_bytes(bytes);
        Some(match self.layout {
            Layout::Float { bytes: 4 } => {
                // Convert through decimal text: the 32-bit value 23.4 must not become
                // 23.399999618530273.
                let value = f32::from_bits(word as u32);
                value.to_string().parse().unwrap_or(f64::NAN)
            }
            Layout::Float { .. } => f64::from_bits(word),
            Layout::Integer { bytes, signed } => {
                let word = match self.bits {
                    Some((low, high)) => word >> low & mask(high - low + 1),
                    None => word,
                };
                let shift = 64 - 8 * bytes as u32;
                // At most 48 bits, so every integer is exact in an f64.
                if signed {
                    ((word << shift) as i64 >> shift) as f64
                } else {
                    word as f64
                }
            }
        })
    }

    /// The scaled value. `None` if it is absent or invalid.
    pub(crate) fn decode(&self, payload: &[u8]) -> Option<f64> {
        let raw = self.raw(payload)?;
        if self.absent == Some(raw) {
            return None;
        }
        let value = self.scaled(raw);
        let valid = self
            .valid
            .is_none_or(|(least, most)| (least..=most).contains(&value));
        (value.is_finite() && valid).then_some(value)
    }

    /// Scales in decimal, so that 3 x 0.2 is 0.6: multiplies integers, then divides once.
    fn scaled(&self, raw: f64) -> f64 {
        if self.scale == 1.0 && self.add == 0.0 {
            return raw;
        }
        let decimals = decimals(self.scale).max(decimals(self.add));
        if decimals > DECIMALS_MAX {
            return raw * self.scale + self.add;
        }
        let power = 10f64.powi(decimals as i32);
        (raw * (self.scale * power).round() + (self.add * power).round()) / power
    }

    /// Writes a value, or the code for a missing one.
    pub(crate) fn encode(&self, value: Option<f64>, payload: &mut [u8]) -> Result<(), String> {
        let name = &self.name;
        let raw = match (value, self.absent) {
            (Some(value), _) if !value.is_finite() => {
                return Err(format!("{name}: {value} is not a finite number"));
            }
            (Some(value), absent) => {
                if let Some((least, most)) = self.valid
                    && !(least..=most).contains(&value)
                {
                    return Err(format!("{name}: {value} is outside of {least} to {most}"));
                }
                let raw = (value - self.add) / self.scale;
                let raw = match self.layout {
                    Layout::Integer { .. } => raw.round(),
                    Layout::Float { .. } => raw,
                };
                if absent == Some(raw) {
                    return Err(format!("{name}: {value} is the code for a missing value"));
                }
                raw
            }
            (None, Some(absent)) => absent,
            (None, None) => return Err(format!("{name} is missing")),
        };
        let place = payload
            .get_mut(self.offset..self.end())
            .ok_or_else(|| format!("{name} lies beyond the end of the payload"))?;
        let word = self.word(raw, value)?;
        let mut bytes = word.to_le_bytes();
        let bytes = &mut bytes[..place.len()];
        if self.big_endian {
            bytes.reverse();
        }
        for (to, byte) in place.iter_mut().zip(bytes) {
            // Bit fields share bytes with other fields.
            *to = if self.bits.is_some() {
                *to | *byte
            } else {
                *byte
            };
        }
        Ok(())
    }

    /// The bits of a raw number in the field's layout. `value` is the scaled one, for the error.
    fn word(&self, raw: f64, value: Option<f64>) -> Result<u64, String> {
        let (bytes, signed) = match self.layout {
            Layout::Float { bytes: 4 } => return Ok((raw as f32).to_bits().into()),
            Layout::Float { .. } => return Ok(raw.to_bits()),
            Layout::Integer { bytes, signed } => (bytes, signed),
        };
        let bits = match self.bits {
            Some((low, high)) => u32::from(high - low) + 1,
            None => 8 * bytes as u32,
        };
        let (least, most) = if signed {
            (
                -(2f64.powi(bits as i32 - 1)),
                2f64.powi(bits as i32 - 1) - 1.0,
            )
        } else {
            (0.0, 2f64.powi(bits as i32) - 1.0)
        };
        if !(least..=most).contains(&raw) {
            let (name, value) = (&self.name, value.unwrap_or(raw));
            return Err(format!("{name}: {value} does not fit {bits} bits"));
        }
        let word = raw as i64 as u64;
        Ok(match self.bits {
            Some((low, _)) => word << low,
            None => word,
        })
    }
}

fn mask(bits: u8) -> u64 {
    u64::MAX >> (64 - u32::from(bits.clamp(1, 64)))
}

/// Number of decimals in the shortest text of this number.
fn decimals(number: f64) -> usize {
    let text = number.to_string();
    text.split_once('.').map_or(0, |(_, behind)| behind.len())
}
