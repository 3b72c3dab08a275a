//! Comma-separated values as [RFC4180] describes them, for rows and for tables.

use selo_engine::row::Row;

pub use selo_base::csv::line;

/// All rows in tidy form: one line per row, one column per field of [`Row`], in
/// declaration order. An absent value is an empty field.
pub fn rows(rows: &[Row]) -> String {
    let mut text = line(columns());
    for row in rows {
        text.push_str(&line(fields(row)));
    }
    text
}

/// The names of the fields of [`Row`] in declaration order. They come from the type
/// itself, so a new field appears here without further work.
pub fn columns() -> &'static [String] {
    static COLUMNS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    COLUMNS.get_or_init(names::of::<Row>)
}

/// The fields of a row in the order of [`columns`]. Cause and notes are sentences.
pub fn fields(row: &Row) -> Vec<String> {
    let Ok(serde_json::Value::Object(object)) = serde_json::to_value(row) else {
        unreachable!("a row is a struct with string keys");
    };
    columns()
        .iter()
        .map(|name| match name.as_str() {
            "cause" => row.why().unwrap_or_default(),
            "notes" => row.remarks().unwrap_or_default(),
            name => object.get(name).map_or_else(String::new, field),
        })
        .collect()
}

fn field(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Number(number) => match number.as_f64() {
            // Whole numbers are written without a fraction: 8520, not 8520.0.
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// Reads the field names of a struct without an instance of it.
mod names {
    use serde::de::{self, Deserialize, Deserializer, Visitor};

    /// Field names of `T` in the order of its declaration.
    pub fn of<'de, T: Deserialize<'de>>() -> Vec<String> {
        let mut names = Vec::new();
        // The deserializer records the names, then always returns an error.
        let _ = T::deserialize(Listen(&mut names));
        names
    }

    struct Listen<'a>(&'a mut Vec<String>);

    impl<'de> Deserializer<'de> for Listen<'_> {
        type Error = de::value::Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
            Err(de::Error::custom("only structs have field names"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Self::Error> {
            self.0
                .extend(fields.iter().map(|field| (*field).to_owned()));
            Err(de::Error::custom("the names are known now"))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
            option unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_only_where_needed() {
        assert_eq!(
            line(["plain", "a,b", "say \"x\"", "two\nlines", " edge", ""]),
            "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\" edge\",\r\n"
        );
    }

    #[test]
    fn columns_follow_the_schema() {
        let columns = columns();
        assert_eq!(columns.first().map(String::as_str), Some("schema"));
        assert_eq!(columns.last().map(String::as_str), Some("commit"));
        // The columns are exactly the fields of the JSON Schema.
        let schema = schemars::schema_for!(Row);
        let mut named: Vec<&str> = schema.as_value()["properties"]
            .as_object()
            .map(|properties| properties.keys().map(String::as_str).collect())
            .unwrap_or_default();
        let mut sorted: Vec<&str> = columns.iter().map(String::as_str).collect();
        named.sort_unstable();
        sorted.sort_unstable();
        assert_eq!(sorted, named);
    }
}
