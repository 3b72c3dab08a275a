//! The language of a report. A report is made in English; for another language every sentence is
//! looked up in one catalogue, which has templates: `{n} of {t}` stands for a number and for a text
//! that is looked up in turn. What no template matches is a name, and stays.

mod document;
mod markup;
mod template;

use std::cell::RefCell;
use std::collections::BTreeSet;

use template::{Gap, Template};

/// Portuguese for every sentence: an English line, then its translation after `=`.
const PORTUGUESE: [&str; 3] = [
    include_str!("language/pt-BR.txt"),
    include_str!("language/boards.pt-BR.txt"),
    include_str!("language/papers.pt-BR.txt"),
];

/// A language of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Portuguese,
}

impl Language {
    /// The tag of the language, as the attribute `lang` takes it.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Portuguese => "pt-BR",
        }
    }
}

/// What stands between sentences. Each sentence is translated for itself.
const SENTENCES: [&str; 3] = [" · ", ". ", "; "];

/// Separators inside a sentence, from the outermost, with their translation.
const SEPARATORS: [(&str, &str); 5] = [
    (": ", ": "),
    (", ", ", "),
    (" + ", " + "),
    (" and ", " e "),
    (" or ", " ou "),
];

/// Words that no name has. A text with one of them is a sentence.
const PROSE: [&str; 30] = [
    "the", "of", "is", "are", "was", "to", "with", "from", "that", "its", "it", "than", "not",
    "by", "in", "at", "be", "has", "have", "which", "and", "or", "on", "a", "an", "for", "as",
    "what", "how", "others",
];

/// Translates the texts of one report.
#[derive(Debug, Default)]
pub struct Translator {
    language: Language,
    templates: Vec<Template>,
    /// Texts that no template matched: names, or sentences that the catalogue lacks.
    unknown: RefCell<BTreeSet<String>>,
}

impl Translator {
    pub fn new(language: Language) -> Translator {
        let mut templates = match language {
            Language::English => Vec::new(),
            Language::Portuguese => PORTUGUESE.into_iter().flat_map(template::read).collect(),
        };
        // The template with the most fixed letters says the most about a text.
        templates.sort_by_key(|template| std::cmp::Reverse(template.weight()));
        Translator {
            language,
            templates,
            unknown: RefCell::default(),
        }
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// True if texts stay as they are.
    pub fn is_english(&self) -> bool {
        self.language == Language::English
    }

    /// The texts so far that no template matched.
    pub fn unknown(&self) -> BTreeSet<String> {
        self.unknown.borrow().clone()
    }

    /// A text in the language of the report. A sentence that the catalogue does not know, such as
    /// a note of a paper, stays whole: half of a sentence helps nobody.
    pub fn text(&self, text: &str) -> String {
        if self.is_english() || !text.contains(char::is_alphabetic) {
            return text.to_owned();
        }
        if let Some(found) = self.by_template(text, true, &mut BTreeSet::new()) {
            return found;
        }
        if let Some(sentence) = text.strip_suffix('.') {
            return format!("{}.", self.text(sentence));
        }
        let mut unknown = BTreeSet::new();
        let translated = self.known(text, &mut unknown);
        let prose = unknown.iter().any(|text| is_prose(text));
        self.unknown.borrow_mut().extend(unknown);
        if prose { text.to_owned() } else { translated }
    }

    /// A text by the first template that matches, or by its parts. `unknown` gets the names in it,
    /// and what has no translation.
    fn known(&self, text: &str, unknown: &mut BTreeSet<String>) -> String {
        for fixed in [true, false] {
            if let Some(found) = self.by_template(text, fixed, unknown) {
                return found;
            }
        }
        for separator in SENTENCES {
            if text.contains(separator) {
                let parts: Vec<String> =
                    text.split(separator).map(|part| self.text(part)).collect();
                return parts.join(separator);
            }
        }
        for (separator, translated) in SEPARATORS {
            if text.contains(separator) {
                let parts: Vec<String> = text
                    .split(separator)
                    .map(|part| self.known(part, unknown))
                    .collect();
                return parts.join(translated);
            }
        }
        if text.contains(char::is_alphabetic) {
            unknown.insert(text.to_owned());
        }
        text.to_owned()
    }

    /// A text that may be a number: `1,234.5` is `1.234,5` in Portuguese.
    pub fn figure(&self, text: &str) -> String {
        if !self.is_english() && template::is_number(text) {
            return template::number(text);
        }
        self.text(text)
    }

    /// The translation by the first template that matches the whole text, of those with or
    /// without gaps.
    fn by_template(
        &self,
        text: &str,
        fixed: bool,
        unknown: &mut BTreeSet<String>,
    ) -> Option<String> {
        let suiting = |template: &&Template| template.is_fixed() == fixed;
        let template = self
            .templates
            .iter()
            .filter(suiting)
            .find(|template| template.gaps(text).is_some())?;
        template.fill(text, &mut |gap| match gap {
            Gap::Text(part) => self.known(part, unknown),
            Gap::List(part) => self.text(part),
            Gap::Name(name) => {
                unknown.insert(name.to_owned());
                name.to_owned()
            }
        })
    }
}

/// True if an unknown text is a sentence and no name.
fn is_prose(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| PROSE.contains(&word))
}

#[cfg(test)]
mod tests;
