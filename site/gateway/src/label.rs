//! The label of a device, for its case or its box. It carries the data that a person or a
//! scanner needs to install the same key on node and gateway: `selo:1:<id>:<suite>:<key>`, with
//! the key in base64url. Output formats are text, terminal blocks, SVG and PNG.
//!
//! A label contains the key. Anyone who reads it can impersonate the device.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use qrcode::{Color, EcLevel, QrCode};
use selo_link::{DeviceId, DeviceKey, Suite};
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::registry::Record;

const PREFIX: &str = "selo:1:";
/// Quiet zone: light modules around the code that scanners require [ISO18004, 6.3.8].
const QUIET: usize = 4;

/// The text of a label.
pub fn text(record: &Record) -> Zeroizing<String> {
    let key = key_text(&record.key);
    Zeroizing::new(format!(
        "{PREFIX}{}:{}:{}",
        record.id,
        record.suite,
        key.as_str()
    ))
}

/// A key in base64url, 43 characters.
pub fn key_text(key: &DeviceKey) -> Zeroizing<String> {
    Zeroizing::new(URL_SAFE_NO_PAD.encode(key.expose()))
}

/// The content of a key file: 64 hexadecimal digits, 43 characters of base64url, a whole label,
/// or 32 raw bytes.
#[derive(Debug)]
pub struct KeyFile {
    pub key: DeviceKey,
    /// Device id and suite, if the file is a label.
    pub device: Option<(DeviceId, Suite)>,
}

/// Parses the content of a key file. The error message never repeats the content.
pub fn parse_key_file(bytes: &[u8]) -> Result<KeyFile> {
    let invalid = || {
        Error::Invalid(
            "this is not a valid device key: it is 64 hexadecimal digits, 43 characters of base64url, \
             a label selo:1:..., or 32 bytes"
                .into(),
        )
    };
    let text = std::str::from_utf8(bytes).ok().map(str::trim);
    if let Some(rest) = text.and_then(|text| text.strip_prefix(PREFIX)) {
        let mut parts = rest.split(':');
        let mut part = || parts.next().ok_or_else(invalid);
        let (id, suite, key) = (part()?, part()?, part()?);
        let id = id.parse().map_err(|_| invalid())?;
        let suite = suite.parse().map_err(|_| invalid())?;
        if parts.next().is_some() {
            return Err(invalid());
        }
        return Ok(KeyFile {
            key: parse_key(key).ok_or_else(invalid)?,
            device: Some((id, suite)),
        });
    }
    let key = match (text.and_then(parse_key), <[u8; 32]>::try_from(bytes)) {
        (Some(key), _) => key,
        (None, Ok(raw)) => DeviceKey::new(raw),
        (None, Err(_)) => return Err(invalid()),
    };
    Ok(KeyFile { key, device: None })
}

/// Parses a key from hexadecimal digits or base64url.
pub fn parse_key(text: &str) -> Option<DeviceKey> {
    let mut key = Zeroizing::new([0; 32]);
    match text.len() {
        64 => hex::decode_to_slice(text, &mut key[..]).ok()?,
        43 | 44 => {
            let text = text.trim_end_matches('=');
            let size = URL_SAFE_NO_PAD.decode_slice(text, &mut key[..]).ok()?;
            (size == 32).then_some(())?;
        }
        _ => return None,
    }
    Some(DeviceKey::new(*key))
}

/// The label as a QR code [ISO18004].
pub struct Code {
    modules: Vec<Color>,
    width: usize,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code({0} x {0})", self.width)
    }
}

impl Code {
    /// Encodes `text` at level M: a scanner reads the code with up to 15 % of it damaged.
    pub fn new(text: &str) -> Result<Code> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M).map_err(|error| {
            Error::Invalid(format!("cannot make a QR code of this label: {error}"))
        })?;
        Ok(Code {
            width: code.width(),
            modules: code.into_colors(),
        })
    }

    /// Modules per side, including the quiet zone.
    fn side(&self) -> usize {
        self.width + 2 * QUIET
    }

    /// True if the module is dark. Coordinates include the quiet zone.
    fn dark(&self, x: usize, y: usize) -> bool {
        let inside = |at: usize| at.checked_sub(QUIET).filter(|at| *at < self.width);
        match (inside(x), inside(y)) {
            (Some(x), Some(y)) => self.modules[y * self.width + x] == Color::Dark,
            _ => false,
        }
    }

    /// The code as lines of half-block characters. Draws the light modules, for a terminal with
    /// light text on a dark background.
    pub fn terminal(&self) -> String {
        let mut out = String::new();
        for y in (0..self.side()).step_by(2) {
            for x in 0..self.side() {
                let below_edge = y + 1 >= self.side();
                let (upper, lower) = (!self.dark(x, y), !below_edge && !self.dark(x, y + 1));
                out.push(match (upper, lower) {
                    (true, true) => '█',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (false, false) => ' ',
                });
            }
            out.push('\n');
        }
        out
    }

    /// The code as SVG.
    pub fn svg(&self) -> String {
        let side = self.side();
        let mut path = String::new();
        for y in 0..side {
            for x in (0..side).filter(|x| self.dark(*x, y)) {
                path.push_str(&format!("M{x} {y}h1v1h-1z"));
            }
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" \
             shape-rendering=\"crispEdges\"><rect width=\"{side}\" height=\"{side}\" \
             fill=\"#fff\"/><path d=\"{path}\"/></svg>\n"
        )
    }

    /// The code as a PNG [PNG], 8 x 8 pixels per module.
    pub fn png(&self) -> Result<Vec<u8>> {
        const SCALE: usize = 8;
        let side = self.side() * SCALE;
        let row_bytes = side.div_ceil(8);
        let mut pixels = vec![0u8; row_bytes * side];
        for y in 0..side {
            for x in 0..side {
                if !self.dark(x / SCALE, y / SCALE) {
                    pixels[y * row_bytes + x / 8] |= 0x80 >> (x % 8);
                }
            }
        }
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, side as u32, side as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::One);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&pixels));
        written
            .map_err(|error| Error::Invalid(format!("cannot make a PNG of this label: {error}")))?;
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let key = DeviceKey::new(std::array::from_fn(|i| i as u8 * 7));
        Record::new(DeviceId(0x3f9a_01c2), Suite::ChaChaPolyBlake2s, key)
    }

    #[test]
    fn a_label_says_what_it_should_and_is_read_again() {
        let record = record();
        let label = text(&record);
        assert_eq!(
            *label,
            "selo:1:3f9a01c2:chachapoly-blake2s:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK-2vcTL0tk"
        );
        let read = parse_key_file(format!("{}\n", *label).as_bytes()).expect("a label");
        assert_eq!(read.device, Some((record.id, record.suite)));
        assert_eq!(read.key.expose(), record.key.expose());
    }

    #[test]
    fn a_key_is_read_in_every_form() {
        let key = record().key;
        for bytes in [
            hex::encode(key.expose()).into_bytes(),
            hex::encode_upper(key.expose()).into_bytes(),
            format!(" {}\r\n", key_text(&key).as_str()).into_bytes(),
            format!("{}=", key_text(&key).as_str()).into_bytes(),
            key.expose().to_vec(),
        ] {
            let read = parse_key_file(&bytes).expect("a key");
            assert_eq!(read.key.expose(), key.expose());
            assert!(read.device.is_none());
        }
    }

    #[test]
    fn what_is_no_key_is_refused_and_not_repeated() {
        for text in [
            "",
            "secret",
            "selo:1:3f9a01c2:ascon:AAAA",
            "selo:1:3f9a01c2:des:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK-2vcTL0tk",
            "selo:1:xyz:ascon:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK-2vcTL0tk",
            "selo:1:3f9a01c2:ascon:AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK-2vcTL0tk:more",
            &"z".repeat(64),
            &"0".repeat(63),
            &"=".repeat(43),
        ] {
            let error = parse_key_file(text.as_bytes()).expect_err("refused");
            assert!(
                text.is_empty() || !error.to_string().contains(text),
                "{error}"
            );
        }
    }

    #[test]
    fn the_pictures_show_the_same_modules() {
        let code = Code::new(&text(&record())).expect("a code");
        let side = code.side();
        let terminal = code.terminal();
        let lines: Vec<Vec<char>> = terminal
            .lines()
            .map(|line| line.chars().collect())
            .collect();
        assert_eq!(lines.len(), side.div_ceil(2));
        let svg = code.svg();
        let png = code.png().expect("a picture");
        let decoder = png::Decoder::new(std::io::Cursor::new(&png));
        let mut reader = decoder.read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("pixels");
        assert_eq!(
            (info.width, info.height),
            (side as u32 * 8, side as u32 * 8)
        );
        let mut dark = 0;
        for y in 0..side {
            for x in 0..side {
                let drawn = match lines[y / 2][x] {
                    '█' => true,
                    '▀' => y % 2 == 0,
                    '▄' => y % 2 == 1,
                    _ => false,
                };
                assert_eq!(drawn, !code.dark(x, y), "terminal {x} {y}");
                let pixel = pixels[y * 8 * info.line_size + x] != 0;
                assert_eq!(pixel, !code.dark(x, y), "PNG {x} {y}");
                assert_eq!(
                    svg.contains(&format!("M{x} {y}h")),
                    code.dark(x, y),
                    "SVG {x} {y}"
                );
                dark += usize::from(code.dark(x, y));
            }
        }
        assert!(dark * 4 > code.width * code.width, "{dark}");
        assert!(!svg.contains("selo:"));
    }
}
