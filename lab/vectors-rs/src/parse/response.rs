//! The lines of a NIST response file: comments, `[SECTION]`, `NAME = value`, and the
//! word FAIL.

use super::source::SourceText;
use crate::Error;

/// A line that says something.
pub(super) struct Line<'a> {
    pub number: usize,
    pub item: Item<'a>,
}

pub(super) enum Item<'a> {
    Section(&'a str),
    Pair(&'a str, &'a str),
}

/// The one line that is a word: a pair of this name, without a value.
pub(super) const FAIL: &str = "FAIL";

/// The lines of the file, without comments and blanks.
pub(super) fn lines<'a>(
    place: &'a SourceText<'_>,
) -> impl Iterator<Item = Result<Line<'a>, Error>> + 'a {
    place
        .text
        .lines()
        .enumerate()
        .filter_map(move |(index, line)| {
            let (number, line) = (index + 1, line.trim());
            if line.is_empty() || line.starts_with('#') {
                return None;
            }
            if let Some(section) = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                return Some(Ok(Line {
                    number,
                    item: Item::Section(section.trim()),
                }));
            }
            Some(match line.split_once('=') {
                Some((name, value)) => Ok(Line {
                    number,
                    item: Item::Pair(name.trim(), value.trim()),
                }),
                None if line == FAIL => Ok(Line {
                    number,
                    item: Item::Pair(FAIL, ""),
                }),
                None => Err(place.error(
                    number,
                    "neither `NAME = value` nor `[SECTION]` nor a comment",
                )),
            })
        })
}

/// A value of hexadecimal bytes.
pub(super) fn hexadecimal(
    place: &SourceText<'_>,
    line: usize,
    name: &str,
    value: &str,
) -> Result<Vec<u8>, Error> {
    hex::decode(value)
        .map_err(|error| place.error(line, format!("{name} is not hexadecimal: {error}")))
}

/// A decimal value.
pub(super) fn decimal(
    place: &SourceText<'_>,
    line: usize,
    name: &str,
    value: &str,
) -> Result<usize, Error> {
    value
        .parse()
        .map_err(|_| place.error(line, format!("{name} is not a number: `{value}`")))
}

/// Stores a field once.
pub(super) fn set<T>(
    place: &SourceText<'_>,
    line: usize,
    name: &str,
    field: &mut Option<T>,
    value: T,
) -> Result<(), Error> {
    if field.replace(value).is_some() {
        return Err(place.error(line, format!("{name} appears twice in one vector")));
    }
    Ok(())
}
