//! Titles of values, as the codecs give them in each language.

use std::collections::BTreeMap;

use selo_codec::{Catalogue, Field, Language, Title};
use serde_json::{Map, Value as Json, json};

/// Titles of values. Empty: names stand for themselves.
#[derive(Debug, Clone, Default)]
pub struct Titles {
    by_codec: BTreeMap<(String, String), Title>,
    /// `None`: two codecs mean different things by the name.
    by_name: BTreeMap<String, Option<Title>>,
}

/// Splits the name of a channel's value, such as `temperature_1`.
fn parts(name: &str) -> Option<(&str, &str)> {
    let (bare, channel) = name.rsplit_once('_')?;
    let is_number = !channel.is_empty() && channel.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((bare, channel))
}

impl Titles {
    /// The titles of all codecs.
    pub fn of(codecs: &Catalogue) -> Titles {
        let mut titles = Titles::default();
        for codec in codecs.iter() {
            let items = codec.items().flat_map(|(_, _, fields)| fields);
            for field in codec.fields().into_iter().chain(items) {
                titles.add(&codec.name, field);
            }
        }
        titles
    }

    fn add(&mut self, codec: &str, field: &Field) {
        let (name, title) = (field.name.clone(), field.title.clone());
        let known = self
            .by_name
            .entry(name.clone())
            .or_insert_with(|| Some(title.clone()));
        if known.as_ref().is_some_and(|known| *known != title) {
            *known = None;
        }
        self.by_codec.insert((codec.into(), name), title);
    }

    fn find(&self, codec: Option<&str>, name: &str) -> Option<&Title> {
        let of_codec = codec.and_then(|codec| self.by_codec.get(&(codec.into(), name.into())));
        of_codec.or_else(|| self.by_name.get(name)?.as_ref())
    }

    /// The title of a value. Without one it is the name, in words.
    pub fn title(&self, codec: Option<&str>, name: &str, language: Language) -> String {
        let of = |name: &str| Some(self.find(codec, name)?.in_language(language).to_owned());
        let of_channel = || {
            let (bare, channel) = parts(name)?;
            Some(format!("{} {channel}", of(bare)?))
        };
        of(name)
            .or_else(of_channel)
            .unwrap_or_else(|| name.replace('_', " "))
    }

    /// The titles of these values in all languages, for the dashboard. Values without a title are
    /// left out.
    pub fn json<'a>(&self, names: impl Iterator<Item = &'a str>) -> Json {
        let mut all = Map::new();
        for name in names {
            let bare = parts(name).map_or(name, |(bare, _)| bare);
            for name in [name, bare] {
                if let Some(title) = self.find(None, name) {
                    all.insert(name.into(), json!({"en": title.en, "pt-BR": title.pt}));
                }
            }
        }
        all.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: &str = "name = \"NAME\"\ntitle = { en = \"A\", pt = \"B\" }\nendian = \"little\"\n\n[[field]]\n\
        name = \"level\"\ntitle = { en = \"TITLE level\", pt = \"Nível\" }\noffset = 0\ntype = \"u8\"\nunit = \"1\"\n";

    fn add(codecs: &mut Catalogue, name: &str, title: &str) {
        let text = LEVEL.replace("NAME", name).replace("TITLE", title);
        let vector = "\n[[vector]]\npayload = \"05\"\nvalues = { level = 5 }\n";
        codecs.add(name, &(text + vector)).expect("a codec");
    }

    #[test]
    fn a_value_has_the_title_of_its_codec_or_of_all() {
        let mut codecs = Catalogue::built_in().expect("right");
        add(&mut codecs, "river", "Water");
        let titles = Titles::of(&codecs);
        let pt = |codec, name| titles.title(codec, name, Language::Portuguese);
        assert_eq!(pt(None, "temperature"), "Temperatura");
        assert_eq!(pt(Some("cayenne-lpp"), "temperature_3"), "Temperatura 3");
        assert_eq!(pt(Some("gone"), "level"), "Nível");
        assert_eq!(pt(None, "no_such_2x"), "no such 2x");
        assert_eq!(
            titles.title(None, "level", Language::English),
            "Water level"
        );
        // Two codecs mean different things.
        add(&mut codecs, "noise", "Sound");
        let titles = Titles::of(&codecs);
        assert_eq!(titles.title(None, "level", Language::English), "level");
        assert_eq!(
            titles.title(Some("noise"), "level", Language::English),
            "Sound level"
        );
        let json = titles.json(["level", "temperature_1", "x"].into_iter());
        assert_eq!(
            json,
            json!({"temperature": {"en": "Temperature", "pt-BR": "Temperatura"}})
        );
    }
}
