//! Splits a body into its messages while it arrives. A short body is one message if it is valid
//! JSON as a whole. A body that begins with `[` is a list. Any other body has one message per
//! line.

use std::collections::VecDeque;

use serde_json::value::RawValue;

use crate::message::MESSAGE_MAX;

/// A body that is being split.
#[derive(Debug, Default)]
pub struct Pieces {
    form: Form,
    /// The incomplete message.
    piece: Vec<u8>,
    done: VecDeque<Vec<u8>>,
}

#[derive(Debug, Default, PartialEq)]
enum Form {
    /// The body may still be a single message.
    #[default]
    Short,
    Lines,
    List(List),
}

/// Position in a list.
#[derive(Debug, Default, PartialEq)]
struct List {
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// The last token was a comma, so an element must follow.
    after_comma: bool,
    ended: bool,
}

impl Pieces {
    /// Returns the next complete message. A message that is too long is truncated, but stays over
    /// the limit.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        self.done.pop_front()
    }

    /// Appends received bytes. Returns an error if a list is malformed.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), String> {
        if self.form != Form::Short {
            return self.go_on(bytes);
        }
        if self.piece.is_empty() && bytes.trim_ascii_start().is_empty() {
            return Ok(());
        }
        if self.piece.len() + bytes.len() <= MESSAGE_MAX {
            self.piece.extend_from_slice(bytes);
            return Ok(());
        }
        self.decide(bytes)
    }

    /// Ends the body.
    pub fn end(&mut self) -> Result<(), String> {
        if self.form == Form::Short {
            let text = self.piece.trim_ascii();
            if text.is_empty() {
                return Err("the body is empty".into());
            }
            if text[0] != b'[' && serde_json::from_slice::<&RawValue>(text).is_ok() {
                self.finish();
                return Ok(());
            }
            self.decide(&[])?;
        }
        match &self.form {
            Form::List(list) if !list.ended => Err("the list does not end".into()),
            Form::List(_) => Ok(()),
            _ => {
                self.finish();
                Ok(())
            }
        }
    }

    /// Decides between a list and lines.
    fn decide(&mut self, more: &[u8]) -> Result<(), String> {
        let begun = std::mem::take(&mut self.piece);
        let text = begun.trim_ascii_start();
        let first = text.first().or_else(|| more.trim_ascii_start().first());
        if first != Some(&b'[') {
            self.form = Form::Lines;
            self.go_on(text)?;
            return self.go_on(more);
        }
        self.form = Form::List(List::default());
        // The opening bracket is in one of the two parts.
        match text.split_first() {
            Some((_, rest)) => {
                self.go_on(rest)?;
                self.go_on(more)
            }
            None => self.go_on(&more.trim_ascii_start()[1..]),
        }
    }

    fn go_on(&mut self, bytes: &[u8]) -> Result<(), String> {
        for byte in bytes {
            match &mut self.form {
                Form::List(_) => self.of_list(*byte)?,
                _ if *byte == b'\n' => self.finish(),
                _ => self.push(*byte),
            }
        }
        Ok(())
    }

    fn of_list(&mut self, byte: u8) -> Result<(), String> {
        let Form::List(list) = &mut self.form else {
            return Ok(());
        };
        if list.ended {
            return match byte {
                byte if byte.is_ascii_whitespace() => Ok(()),
                _ => Err("more follows after the list".into()),
            };
        }
        if list.in_string {
            let escapes = !list.escaped && byte == b'\\';
            list.in_string = list.escaped || byte != b'"';
            list.escaped = escapes;
            self.push(byte);
            return Ok(());
        }
        match byte {
            b',' | b']' if list.depth == 0 => {
                let empty = self.piece.trim_ascii().is_empty();
                // Only `[]` may have nothing before its end.
                if empty && (byte == b',' || list.after_comma) {
                    return Err("an element of the list is missing".into());
                }
                (list.after_comma, list.ended) = (byte == b',', byte == b']');
                if !empty {
                    self.finish();
                }
                return Ok(());
            }
            b'"' => list.in_string = true,
            b'{' | b'[' => list.depth = list.depth.saturating_add(1),
            b'}' | b']' => list.depth = list.depth.saturating_sub(1),
            _ => {}
        }
        self.push(byte);
        Ok(())
    }

    fn push(&mut self, byte: u8) {
        // Blanks before a message are not part of it and do not count towards its length.
        let blank = self.piece.is_empty() && byte.is_ascii_whitespace();
        if !blank && self.piece.len() <= MESSAGE_MAX {
            self.piece.push(byte);
        }
    }

    fn finish(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        if !piece.trim_ascii().is_empty() {
            self.done.push_back(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Splits a body that arrives `size` bytes at a time.
    fn pieces(body: &[u8], size: usize) -> Result<Vec<String>, String> {
        let mut pieces = Pieces::default();
        for some in body.chunks(size) {
            pieces.take(some)?;
        }
        pieces.end()?;
        let mut all = Vec::new();
        while let Some(piece) = pieces.next() {
            all.push(String::from_utf8_lossy(piece.trim_ascii()).into_owned());
        }
        Ok(all)
    }

    #[test]
    fn a_body_has_the_pieces_that_it_seems_to_have() {
        for size in [1, 2, 7, 1000] {
            let of = |body: &str| pieces(body.as_bytes(), size);
            assert_eq!(of(" {\n\"a\": 1\n} "), Ok(vec!["{\n\"a\": 1\n}".into()]));
            assert_eq!(
                of("{}\n\n{\"a\"\n7"),
                Ok(vec!["{}".into(), "{\"a\"".into(), "7".into()])
            );
            assert_eq!(of(" [] "), Ok(vec![]));
            assert_eq!(
                of("[{\"a\":\"]\\\",\"}, [1,2] ,x]\n"),
                Ok(vec![
                    "{\"a\":\"]\\\",\"}".into(),
                    "[1,2]".into(),
                    "x".into()
                ])
            );
            for wrong in ["", " \n ", "[", "[{}", "[,]", "[1,]", "[1]x", "[\"]"] {
                assert!(of(wrong).is_err(), "{wrong}");
            }
        }
    }

    #[test]
    fn what_is_too_long_is_kept_no_further() {
        let long = format!("[\"{}\",1]", "a".repeat(MESSAGE_MAX * 3));
        let all = pieces(long.as_bytes(), 4096).expect("a list");
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].len(), MESSAGE_MAX + 1);
    }

    proptest! {
        #[test]
        fn a_list_has_its_elements_however_it_comes(
            texts in proptest::collection::vec(".{0,20}", 0..8),
            size in 1_usize..50,
            pad in 0_usize..2,
        ) {
            let elements: Vec<String> = texts
                .iter()
                .map(|text| serde_json::json!({"t": text, "l": [text]}).to_string())
                .collect();
            // Long bodies take another code path than short ones.
            let blank = " ".repeat(pad * MESSAGE_MAX);
            let list = format!("{blank}[{}]{blank}", elements.join(" , "));
            prop_assert_eq!(pieces(list.as_bytes(), size), Ok(elements));
        }

        #[test]
        fn nothing_makes_it_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = pieces(&body, 3);
        }
    }
}
