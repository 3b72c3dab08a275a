//! Devices as a file: JSON or CSV, with or without keys. Used for backups, for moving to
//! another gateway, and for adding many devices.

use std::collections::HashSet;
use std::io::Read;

use selo_link::{DeviceId, DeviceKey};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::label;
use crate::reading::rfc3339;
use crate::registry::{Origin, Record, check_name};

/// Schema name in a JSON file.
pub const SCHEMA: &str = "selo.devices/1";

/// Format of a file of devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Json,
    Csv,
}

/// A device in a file or in a command's output. `key` is absent unless requested.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
    pub suite: String,
    /// Base64url. Reading also accepts hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The highest join counter accepted.
    #[serde(default)]
    pub join_counter: u32,
    #[serde(default)]
    pub created: Option<String>,
    #[serde(default)]
    pub revoked: Option<String>,
    #[serde(default)]
    pub last_seen: Option<String>,
    #[serde(default)]
    pub address: Option<String>,
    /// Missing in files of older versions: the default codec applies.
    #[serde(default)]
    pub codec: Option<String>,
    /// The origin of the key. Missing in files of older versions.
    #[serde(default)]
    pub origin: Option<String>,
    /// Follows from `origin` and `created`; ignored when read.
    #[serde(default)]
    pub quantum_safe_since: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: String,
    devices: Vec<Row>,
}

impl Row {
    /// The public data of a device, and its key if `with_key` is set.
    pub fn new(record: &Record, with_key: bool) -> Row {
        let time = |ms: u64| rfc3339(ms).to_string();
        Row {
            id: record.id.to_string(),
            name: record.name.clone(),
            suite: record.suite.to_string(),
            key: with_key.then(|| label::key_text(&record.key).to_string()),
            join_counter: record.join_counter,
            created: Some(time(record.created)),
            revoked: record.revoked.map(time),
            last_seen: record.last_seen.map(time),
            address: record.address.clone(),
            codec: Some(record.codec.clone()),
            origin: record.origin.map(|origin| origin.name().into()),
            quantum_safe_since: record.quantum_safe_since().map(time),
        }
    }

    /// Converts a row of a file to a device record. The error names the invalid field.
    fn record(self) -> Result<Record, String> {
        // CSV represents a missing value as an empty field.
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let id: DeviceId = self.id.parse().map_err(|_| {
            format!(
                "'{}' is not a valid device id: eight hexadecimal digits",
                self.id
            )
        })?;
        let suite = self
            .suite
            .parse()
            .map_err(|error: selo_link::UnknownSuite| error.to_string().replace("\nhint:", ";"))?;
        let key: DeviceKey = given(self.key)
            .ok_or("it has no key: was the file exported without --with-keys?")
            .and_then(|key| label::parse_key(&key).ok_or("its key is not valid"))?;
        let name = given(self.name);
        if let Some(name) = &name {
            check_name(name).map_err(|error| error.to_string())?;
        }
        let time = |text: Option<String>| -> Result<Option<u64>, String> {
            let Some(text) = given(text) else {
                return Ok(None);
            };
            let time = humantime::parse_rfc3339(&text).map_err(|_| {
                format!("'{text}' is not a valid time such as 2026-11-21T23:19:07Z")
            })?;
            let since = time.duration_since(std::time::UNIX_EPOCH);
            Ok(since.ok().map(|since| since.as_millis() as u64))
        };
        let mut record = Record::new(id, suite, key);
        record.name = name;
        record.join_counter = self.join_counter;
        record.created = time(self.created)?.unwrap_or(record.created);
        record.revoked = time(self.revoked)?;
        record.last_seen = time(self.last_seen)?;
        record.address = given(self.address);
        if let Some(codec) = given(self.codec) {
            record.codec = codec;
        }
        if let Some(name) = given(self.origin) {
            let origin = Origin::from_name(&name);
            record.origin = Some(origin.ok_or_else(|| format!("'{name}' is not a valid origin"))?);
        }
        Ok(record)
    }
}

/// Writes devices as JSON or CSV. Keys are included only if `with_keys` is set.
pub fn write(records: &[Record], format: Format, with_keys: bool) -> Result<Vec<u8>> {
    let rows = records.iter().map(|record| Row::new(record, with_keys));
    match format {
        Format::Json => {
            let document = Document {
                schema: SCHEMA.into(),
                devices: rows.collect(),
            };
            let mut out = serde_json::to_vec_pretty(&document)
                .map_err(|error| Error::Invalid(error.to_string()))?;
            out.push(b'\n');
            Ok(out)
        }
        Format::Csv => {
            let mut writer = csv::WriterBuilder::new()
                .has_headers(false)
                .from_writer(Vec::new());
            let invalid = |error: csv::Error| Error::Invalid(error.to_string());
            writer.write_record(COLUMNS).map_err(invalid)?;
            for row in rows {
                let text = |text: Option<String>| text.unwrap_or_default();
                writer
                    .write_record([
                        row.id,
                        text(row.name),
                        row.suite,
                        text(row.key),
                        row.join_counter.to_string(),
                        text(row.created),
                        text(row.revoked),
                        text(row.last_seen),
                        text(row.address),
                        text(row.codec),
                        text(row.origin),
                        text(row.quantum_safe_since),
                    ])
                    .map_err(invalid)?;
            }
            writer
                .into_inner()
                .map_err(|error| Error::Invalid(error.to_string()))
        }
    }
}

/// CSV columns, in order.
const COLUMNS: [&str; 12] = [
    "id",
    "name",
    "suite",
    "key",
    "join_counter",
    "created",
    "revoked",
    "last_seen",
    "address",
    "codec",
    "origin",
    "quantum_safe_since",
];

/// Reads devices. Fails as a whole if any row is invalid; the error names the first such row.
/// `what` is the file's name for messages.
pub fn read(mut from: impl Read, format: Format, what: &str) -> Result<Vec<Record>> {
    let invalid = |place: String, why: String| Error::Invalid(format!("{what}, {place}: {why}"));
    let rows: Vec<(String, Row)> = match format {
        Format::Json => {
            let document: Document = serde_json::from_reader(&mut from).map_err(|error| {
                let place = format!("line {}", error.line());
                invalid(place, error.to_string())
            })?;
            if document.schema != SCHEMA {
                let why = format!("'{}' is not {SCHEMA}", document.schema);
                return Err(invalid("schema".into(), why));
            }
            let place = |index: usize| format!("device {}", index + 1);
            let rows = document.devices.into_iter().enumerate();
            rows.map(|(index, row)| (place(index), row)).collect()
        }
        Format::Csv => {
            let mut reader = csv::Reader::from_reader(from);
            let mut rows = Vec::new();
            for (index, row) in reader.deserialize().enumerate() {
                let place = format!("line {}", index + 2);
                let row =
                    row.map_err(|error: csv::Error| invalid(place.clone(), error.to_string()))?;
                rows.push((place, row));
            }
            rows
        }
    };
    let mut ids = HashSet::new();
    let mut records = Vec::with_capacity(rows.len());
    for (place, row) in rows {
        let record = row.record().map_err(|why| invalid(place.clone(), why))?;
        if !ids.insert(record.id) {
            return Err(invalid(place, format!("{} occurs twice", record.id)));
        }
        records.push(record);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use selo_link::Suite;

    fn records() -> Vec<Record> {
        let record = |id: u32, name: Option<&str>| Record {
            name: name.map(str::to_owned),
            join_counter: id * 3,
            created: 1_795_303_147_042,
            ..Record::new(
                DeviceId(id),
                Suite::ALL[id as usize % 4],
                DeviceKey::new([id as u8; 32]),
            )
        };
        vec![
            record(1, None),
            Record {
                revoked: Some(1_795_303_147_000),
                last_seen: Some(0),
                address: Some("192.0.2.1:7".into()),
                codec: "raw".into(),
                origin: Some(Origin::Hybrid(selo_link::Kem::MlKem768)),
                ..record(0xffff_ffff / 3, Some("comma, \"quote\" and\u{e9}"))
            },
        ]
    }

    #[test]
    fn what_is_written_with_keys_is_read_again() {
        for format in [Format::Json, Format::Csv] {
            let written = write(&records(), format, true).expect("written");
            let read = read(&written[..], format, "a file").expect("read");
            assert_eq!(format!("{read:?}"), format!("{:?}", records()));
            for (read, written) in read.iter().zip(records()) {
                assert_eq!(read.key.expose(), written.key.expose());
            }
        }
    }

    #[test]
    fn without_keys_no_key_is_in_it_and_it_is_no_back_up() {
        for format in [Format::Json, Format::Csv] {
            let written = write(&records(), format, false).expect("written");
            let text = String::from_utf8_lossy(&written);
            for record in records() {
                assert!(!text.contains(label::key_text(&record.key).as_str()));
                assert!(!text.contains(&hex::encode(record.key.expose())));
            }
            let error = read(&written[..], format, "f").expect_err("refused");
            assert!(error.to_string().contains("--with-keys"), "{error}");
        }
    }

    #[test]
    fn a_short_table_is_enough() {
        let key = "00".repeat(32);
        let text = format!("id,name,suite,key\n00000001,,ascon,{key}\n");
        let read = read(text.as_bytes(), Format::Csv, "f").expect("read");
        assert_eq!((read.len(), read[0].join_counter), (1, 0));
        assert_eq!(read[0].codec, crate::registry::DEFAULT_CODEC);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let key = "00".repeat(32);
        for (row, words) in [
            ("1,,ascon,KEY", "line 2: '1' is not a valid device id"),
            ("00000001,,des,KEY", "line 2: there is no suite \"des\""),
            ("00000001,,ascon,00", "line 2: its key is not valid"),
            (
                "00000001,00000002,ascon,KEY",
                "line 2: '00000002' is not a valid name",
            ),
            (
                "00000001,,ascon,KEY\n00000001,,ascon,KEY",
                "line 3: 00000001 occurs twice",
            ),
            ("00000001,,ascon", "line 2"),
        ] {
            let text = format!("id,name,suite,key\n{}\n", row.replace("KEY", &key));
            let error = read(text.as_bytes(), Format::Csv, "f").expect_err("refused");
            assert!(error.to_string().contains(words), "{error}");
            assert!(!error.to_string().contains(&key), "{error}");
        }
        for (text, words) in [
            ("{", "line 1"),
            (
                "{\"schema\":\"other\",\"devices\":[]}",
                "'other' is not selo.devices/1",
            ),
            (
                "{\"schema\":\"selo.devices/1\",\"devices\":[{\"id\":\"x\"}]}",
                "suite",
            ),
        ] {
            let error = read(text.as_bytes(), Format::Json, "f").expect_err("refused");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
