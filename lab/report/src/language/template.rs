//! The templates of a catalogue.

/// A sentence with gaps, and its translation.
#[derive(Debug)]
pub(super) struct Template {
    pieces: Vec<Piece>,
    translated: Vec<Piece>,
}

/// A gap that is translated, or whose name is noted.
pub(super) enum Gap<'t> {
    Text(&'t str),
    List(&'t str),
    Name(&'t str),
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Fixed(String),
    /// `{n}`: a number.
    Number,
    /// `{t}`: a part of a sentence, which is translated too.
    Text,
    /// `{l}`: several parts or sentences, which are translated too.
    List,
    /// `{}`: a name, which stays.
    Name,
    /// `{x}`: words of another program or of a data file, which stay.
    Foreign,
}

/// Reads a catalogue: a line of English, then its translation in a line that begins with `=`.
/// Lines that begin with `#` are remarks.
pub(super) fn read(catalogue: &str) -> Vec<Template> {
    let mut english = None;
    let mut templates = Vec::new();
    for line in catalogue.lines().filter(|line| !line.starts_with('#')) {
        match (line.strip_prefix("= "), english) {
            (Some(translated), Some(of)) => {
                templates.push(Template {
                    pieces: pieces(of),
                    translated: pieces(translated),
                });
                english = None;
            }
            _ if line.is_empty() => {}
            _ => english = Some(line),
        }
    }
    templates
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((kind, after)) = after.split_once('}') else {
            break;
        };
        if !before.is_empty() {
            pieces.push(Piece::Fixed(before.to_owned()));
        }
        pieces.push(match kind {
            "n" => Piece::Number,
            "t" => Piece::Text,
            "l" => Piece::List,
            "x" => Piece::Foreign,
            _ => Piece::Name,
        });
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Fixed(rest.to_owned()));
    }
    pieces
}

/// True for a number, alone or with a sign: `2,600`, `4.62×`, `0.5 ± 0.1`. A version such as `5.4.0`
/// is none.
pub(super) fn is_number(text: &str) -> bool {
    let part = |part: &str| {
        part.chars().any(|c| c.is_ascii_digit())
            && part.matches('.').count() < 2
            && part
                .chars()
                .all(|c| c.is_ascii_digit() || "+-−±×~≈=≃∿#,.%M".contains(c))
    };
    let sign = |part: &str| {
        matches!(
            part,
            "±" | "%" | "M" | "=" | "≃" | "≈" | "∿" | "#" | "~" | "×"
        )
    };
    let mut parts = text.split(' ');
    parts.next().is_some_and(part) && parts.all(|one| sign(one) || part(one))
}

/// A number with the comma and the point of Portuguese.
pub(super) fn number(text: &str) -> String {
    let swap = |character| match character {
        ',' => '.',
        '.' => ',',
        other => other,
    };
    text.chars().map(swap).collect()
}

impl Template {
    /// The number of fixed letters.
    pub(super) fn weight(&self) -> usize {
        let fixed = |piece: &Piece| match piece {
            Piece::Fixed(text) => text.len(),
            _ => 0,
        };
        self.pieces.iter().map(fixed).sum()
    }

    /// True if the template has no gap.
    pub(super) fn is_fixed(&self) -> bool {
        matches!(self.pieces[..], [Piece::Fixed(_)])
    }

    /// What stands in the gaps, if the text has the form of this template.
    pub(super) fn gaps<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let mut found = Vec::new();
        matches(&self.pieces, text, &mut found).then_some(found)
    }

    /// The translation of a text, if it has the form of this template. `of` translates the texts
    /// in its gaps.
    pub(super) fn fill(&self, text: &str, of: &mut dyn FnMut(Gap<'_>) -> String) -> Option<String> {
        let mut gaps = self.gaps(text)?.into_iter();
        let mut translated = String::new();
        for piece in &self.translated {
            match piece {
                Piece::Fixed(text) => translated.push_str(text),
                Piece::Number => translated.push_str(&number(gaps.next()?)),
                Piece::Text => translated.push_str(&of(Gap::Text(gaps.next()?))),
                Piece::List => translated.push_str(&of(Gap::List(gaps.next()?))),
                Piece::Name => translated.push_str(&of(Gap::Name(gaps.next()?))),
                Piece::Foreign => translated.push_str(gaps.next()?),
            }
        }
        Some(translated)
    }
}

/// True if the text has the form of the pieces. A gap takes as little as possible.
fn matches<'t>(pieces: &[Piece], text: &'t str, found: &mut Vec<&'t str>) -> bool {
    let Some((first, others)) = pieces.split_first() else {
        return text.is_empty();
    };
    if let Piece::Fixed(fixed) = first {
        let rest = text.strip_prefix(fixed.as_str());
        return rest.is_some_and(|rest| matches(others, rest, found));
    }
    let suits = |gap: &str| match first {
        Piece::Number => is_number(gap),
        // A part of a sentence ends where the sentence does, and a name before a comma.
        Piece::Text => free_of(gap, &[". ", "; ", ": "]),
        Piece::Name => free_of(gap, &[". ", "; ", ": ", ", "]),
        _ => !gap.is_empty(),
    };
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    // Where the next piece is fixed, only its places can end the gap.
    for end in ends.skip(1) {
        let (gap, rest) = text.split_at(end);
        if matches!(others.first(), Some(Piece::Fixed(fixed)) if !rest.starts_with(fixed.as_str()))
            || (others.is_empty() && !rest.is_empty())
            || !suits(gap)
        {
            continue;
        }
        found.push(gap);
        if matches(others, rest, found) {
            return true;
        }
        found.pop();
    }
    false
}

/// True for a text with something in it, but none of the separators.
fn free_of(gap: &str, separators: &[&str]) -> bool {
    !gap.is_empty() && !separators.iter().any(|separator| gap.contains(separator))
}
