//! Translates the words of a picture: the texts between its tags.

use maud::{Markup, PreEscaped};

use super::Translator;

/// The same picture with translated texts and numbers.
pub(super) fn texts(markup: &Markup, translator: &Translator) -> Markup {
    let mut done = String::with_capacity(markup.0.len());
    let mut rest = markup.0.as_str();
    while let Some(open) = rest.find('<') {
        done.push_str(&text(&rest[..open], translator));
        let end = rest[open..]
            .find('>')
            .map_or(rest.len(), |end| open + end + 1);
        done.push_str(&rest[open..end]);
        rest = &rest[end..];
    }
    done.push_str(&text(rest, translator));
    PreEscaped(done)
}

fn text(escaped: &str, translator: &Translator) -> String {
    if escaped.trim().is_empty() {
        return escaped.to_owned();
    }
    let plain = escaped
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&");
    maud::html! { (translator.figure(&plain)) }.into_string()
}
