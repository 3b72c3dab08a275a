//! SQLite, taught to read packed values. Only statements of this program may use these functions: the
//! views of a file must be read by any program.

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

use crate::message::data_of;
use crate::rollup::exact;

/// Adds the functions to a connection.
pub fn add(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    let text = |name, count, function: fn(&Context<'_>) -> Option<String>| {
        connection.create_scalar_function(name, count, flags, move |context| Ok(function(context)))
    };
    text("selo_data", 2, |context| {
        Some(object(text_of(context, 0)?, text_of(context, 1)?))
    })?;
    text("selo_names", 1, |context| {
        Some(names(&data_of(text_of(context, 0)?)))
    })?;
    text("selo_values", 1, |context| {
        let data = data_of(text_of(context, 0)?);
        let mut list = Vec::new();
        put_list(&mut list, data.into_values());
        String::from_utf8(list).ok()
    })?;
    connection.create_scalar_function("selo_value", 3, flags, |context| Ok(value_of(context)))?;
    connection.create_scalar_function("selo_exact", 1, flags, |context| {
        Ok(context.get::<Option<f64>>(0)?.map(exact))
    })
}

fn text_of<'a>(context: &'a Context<'_>, place: usize) -> Option<&'a str> {
    match context.get_raw(place) {
        ValueRef::Text(text) => std::str::from_utf8(text).ok(),
        _ => None,
    }
}

/// The value with the name ?3 of a list ?2 with the names ?1.
fn value_of(context: &Context<'_>) -> Option<f64> {
    let (names, data) = (text_of(context, 0)?, text_of(context, 1)?);
    let name = text_of(context, 2)?;
    let place = names.split(',').position(|one| one == name)?;
    numbers(data).nth(place)?.parse().ok()
}

/// The numbers of a list, as they are written.
fn numbers(list: &str) -> impl Iterator<Item = &str> {
    list.trim_start_matches('[')
        .trim_end_matches(']')
        .split(',')
}

/// `{"a":1.5}` of `a` and `[1.5]`.
fn object(names: &str, list: &str) -> String {
    let mut object = String::with_capacity(names.len() + list.len() + 16);
    object.push('{');
    if !names.is_empty() {
        for (name, number) in names.split(',').zip(numbers(list)) {
            if object.len() > 1 {
                object.push(',');
            }
            object.push('"');
            object.push_str(name);
            object.push_str("\":");
            object.push_str(number);
        }
    }
    object.push('}');
    object
}

/// The names of these values, as `layout` has them.
fn names(data: &BTreeMap<String, f64>) -> String {
    let names: Vec<&str> = data.keys().map(String::as_str).collect();
    names.join(",")
}

/// Writes `[1.5,2.0]`.
pub fn put_list(list: &mut Vec<u8>, values: impl Iterator<Item = f64>) {
    list.clear();
    list.push(b'[');
    for value in values {
        if list.len() > 1 {
            list.push(b',');
        }
        // It is finite, because messages are JSON, and a list in memory takes all.
        let _ = serde_json::to_writer(&mut *list, &value);
    }
    list.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_becomes_an_object_and_back() {
        for data in [r#"{"a":1e+300,"b.c":-0.1}"#, r#"{"x":5.0}"#, "{}"] {
            let values = data_of(data);
            let mut list = Vec::new();
            put_list(&mut list, values.values().copied());
            let list = String::from_utf8(list).expect("text");
            assert_eq!(object(&names(&values), &list), data);
        }
    }
}
