//! Lines of comma-separated values [RFC4180].

/// One line of a CSV file, including its CRLF.
pub fn line<S: AsRef<str>>(fields: impl IntoIterator<Item = S>) -> String {
    let mut line = String::new();
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        push_field(&mut line, field.as_ref());
    }
    line.push_str("\r\n");
    line
}

/// Quotes a field that contains a separator, a quote, a line break, or blanks at its ends [RFC4180,
/// 2].
fn push_field(line: &mut String, field: &str) {
    let edges = field.starts_with(' ') || field.ends_with(' ');
    if edges || field.contains([',', '"', '\r', '\n']) {
        line.push('"');
        line.push_str(&field.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(field);
    }
}
