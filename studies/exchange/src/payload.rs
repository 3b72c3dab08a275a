//! The messages: a string of 1,215 bytes and an image of about 2 MB, as in [ferreira2020], a file,
//! or a given number of bytes. Code generates the string and the image, so they are the same
//! everywhere.

use std::path::Path;

use crate::error::{Error, Result};
use crate::wire::MAX_PAYLOAD;

/// Bytes of the string.
const STRING: usize = 1215;
/// Width and height of the image in pixels: 3 x 816 x 816 bytes and a head of 15 are 1,997,583.
const SIDE: u32 = 816;

/// A payload and its name in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Payload {
    /// Parses `string`, `image`, a number of bytes, or the name of a file.
    pub fn parse(text: &str) -> Result<Payload> {
        let bytes = match text {
            "string" => string(),
            "image" => image(),
            _ => match text.parse::<u32>() {
                Ok(size) if size <= MAX_PAYLOAD => (0..size).map(|i| (i % 251) as u8).collect(),
                Ok(_) => {
                    return Err(Error::usage(
                        format!("{text} bytes is too large"),
                        format!("use at most {MAX_PAYLOAD} bytes"),
                    ));
                }
                Err(_) => return Payload::of_file(Path::new(text)),
            },
        };
        Ok(Payload {
            name: text.to_owned(),
            bytes,
        })
    }

    fn of_file(path: &Path) -> Result<Payload> {
        let wrong = |why: String| Error::File {
            path: path.to_owned(),
            why,
            hint: format!(
                "use string, image, a number of bytes, or a file of at most {MAX_PAYLOAD} bytes"
            ),
        };
        let size = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
        if size.len() > u64::from(MAX_PAYLOAD) {
            return Err(wrong(format!("{} bytes is too large", size.len())));
        }
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let name = path.file_name().map_or_else(
            || "file".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        Ok(Payload { name, bytes })
    }
}

/// Readings of a station, one a line, up to 1,215 bytes.
fn string() -> Vec<u8> {
    let mut text = String::new();
    let mut line = 0;
    while text.len() < STRING {
        let (minute, rain) = (line * 5 % 60, line * line % 97);
        text.push_str(&format!(
            "2020-08-{:02}T{:02}:{minute:02} rain {}.{} mm, {} C\n",
            19 + line / 288,
            line / 12 % 24,
            rain / 10,
            rain % 10,
            15 + line % 12,
        ));
        line += 1;
    }
    text.truncate(STRING);
    text.into_bytes()
}

/// A picture of coloured waves in the format PPM, which every image viewer opens. It uses integers
/// only, so it is the same on every machine.
fn image() -> Vec<u8> {
    let mut bytes = format!("P6\n{SIDE} {SIDE}\n255\n").into_bytes();
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (dx, dy) = (x.abs_diff(SIDE / 2), y.abs_diff(SIDE / 3));
            let ring = (dx * dx + dy * dy) / 97;
            bytes.push((ring % 256) as u8);
            bytes.push(((x * y) / 53 % 256) as u8);
            bytes.push(((x + 2 * y) % 256) as u8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn payloads_have_their_size_and_are_the_same_everywhere() {
        let string = Payload::parse("string").expect("there is one").bytes;
        assert_eq!(string.len(), 1215);
        assert!(string.starts_with(b"2020-08-19T00:00 rain 0.0 mm, 15 C\n"));
        let image = Payload::parse("image").expect("there is one").bytes;
        assert_eq!(image.len(), 1_997_583);
        assert_eq!(
            hex::encode(Sha256::digest(&image))[..16],
            *"e2e1d41e4da41e6f"
        );
        assert_eq!(Payload::parse("300").expect("a size").bytes.len(), 300);
        assert!(Payload::parse("999999999").is_err());
        assert!(Payload::parse("no-such-file").is_err());
    }
}
