//! Payload codecs as data: they define the meaning of a node's bytes. A codec is a file in
//! `site/codecs/` (format: `site/codecs/README.md`). No code refers to a codec by name.
//!
//! ```
//! let codecs = selo_codec::Catalogue::built_in()?;
//! let codec = codecs.get("rain-gauge")?;
//! let values = codec.decode(&[0, 0, 0, 0, 62, 0, 0, 0, 46, 9, 0, 0, 116, 14, 0, 0])?;
//! assert_eq!((&*values[0].name, values[0].value, values[0].unit), ("rain_total", 12.4, "mm"));
//! # Ok::<(), selo_codec::Error>(())
//! ```

mod catalogue;
mod codec;
mod error;
mod field;
mod file;
mod language;
mod name;
mod unit;

pub use catalogue::Catalogue;
pub use codec::{Codec, Value};
pub use error::{Error, Result};
pub use field::{Field, Kind, Title};
pub use language::Language;
pub use name::check_name;
pub use unit::shown as shown_unit;

/// Codec of devices without an explicit one.
pub const DEFAULT: &str = "rain-gauge";
