//! The index of the vectors, and its sets.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::parse::{self, Format, SourceText};
use crate::{Algorithm, Case, Error};

/// All sets of `lab/vectors/index.toml`. Loading only reads the index.
#[derive(Debug, Clone)]
pub struct Catalog {
    sets: Vec<Set>,
}

/// One source of vectors: a section of a document, or a suite.
#[derive(Debug, Clone)]
pub struct Set {
    /// `fips197`, `aesavs-mct-cbc`, ...
    pub id: String,
    /// Title for readers.
    pub title: String,
    /// Document and section.
    pub source: String,
    /// The files of the set.
    pub files: Vec<VectorFile>,
}

/// One file of a set.
#[derive(Debug, Clone)]
pub struct VectorFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Format of the file.
    pub format: Format,
    /// The algorithms that the file has vectors for.
    pub algorithms: Vec<Algorithm>,
}

impl Catalog {
    /// Reads `index.toml` in the directory of the vectors.
    pub fn load(directory: &Path) -> Result<Catalog, Error> {
        Catalog::load_with(directory, &[])
    }

    /// Reads `index.toml`, which may also name the algorithms in `more`.
    pub fn load_with(directory: &Path, more: &[Algorithm]) -> Result<Catalog, Error> {
        let path = directory.join("index.toml");
        let text = read(&path)?;
        Catalog::parse(directory, &path, &text, more)
    }

    /// Parses an index. Its paths are relative to `directory`; messages quote `path`.
    pub fn parse(
        directory: &Path,
        path: &Path,
        text: &str,
        more: &[Algorithm],
    ) -> Result<Catalog, Error> {
        let place = SourceText { path, text };
        let index: Index = toml::from_str(text).map_err(|error| place.toml(&error))?;
        let mut sets: Vec<Set> = Vec::new();
        for set in index.sets {
            let line = set.span().start;
            let set = set.into_inner();
            if sets.iter().any(|other| other.id == set.id) {
                return Err(place.at(line, format!("the set `{}` appears twice", set.id)));
            }
            let files = set
                .files
                .into_iter()
                .map(|file| file.resolve(directory, &place, more))
                .collect::<Result<_, _>>()?;
            sets.push(Set {
                id: set.id,
                title: set.title,
                source: set.source,
                files,
            });
        }
        Ok(Catalog { sets })
    }

    /// Every set, in the order of the index.
    pub fn sets(&self) -> &[Set] {
        &self.sets
    }

    /// The set with this id.
    pub fn set(&self, id: &str) -> Option<&Set> {
        self.sets.iter().find(|set| set.id == id)
    }

    /// The sets with vectors for an algorithm; none for an unknown name.
    pub fn sets_for(&self, algorithm: &str) -> Vec<&Set> {
        self.sets
            .iter()
            .filter(|set| set.applies_to(algorithm))
            .collect()
    }
}

impl Set {
    /// True if the set has vectors for an algorithm.
    pub fn applies_to(&self, algorithm: &str) -> bool {
        self.files.iter().any(|file| file.applies_to(algorithm))
    }

    /// The algorithms that the set has vectors for.
    pub fn algorithms(&self) -> Vec<Algorithm> {
        Algorithm::all()
            .filter(|algorithm| self.applies_to(algorithm.name()))
            .collect()
    }

    /// The cases for an algorithm, in the order of the files.
    pub fn cases(&self, algorithm: &str) -> Result<Vec<Case>, Error> {
        let mut cases = Vec::new();
        for file in &self.files {
            let Some(algorithm) = file.algorithms.iter().find(|a| a.name() == algorithm) else {
                continue;
            };
            let text = read(&file.path)?;
            cases.extend(parse::cases(file.format, &file.path, &text, *algorithm)?);
        }
        Ok(cases)
    }
}

impl VectorFile {
    fn applies_to(&self, algorithm: &str) -> bool {
        self.algorithms
            .iter()
            .any(|other| other.name() == algorithm)
    }
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Index {
    #[serde(rename = "set")]
    sets: Vec<Spanned<IndexSet>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexSet {
    id: String,
    title: String,
    source: String,
    files: Vec<IndexFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexFile {
    path: Spanned<String>,
    format: Format,
    algorithms: Vec<Spanned<String>>,
}

impl IndexFile {
    fn resolve(
        self,
        directory: &Path,
        place: &SourceText<'_>,
        more: &[Algorithm],
    ) -> Result<VectorFile, Error> {
        let relative = Path::new(self.path.get_ref());
        // A vector file must lie below the index; no other file may be opened.
        if !relative
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)))
        {
            let message = format!(
                "`{}` does not stay inside the directory of the vectors",
                relative.display()
            );
            return Err(place.at(self.path.span().start, message));
        }
        let mut algorithms = Vec::new();
        for name in &self.algorithms {
            let further = more.iter().find(|a| a.name() == name.get_ref()).copied();
            let algorithm = (further.map_or_else(|| Algorithm::named(name.get_ref()), Ok))
                .map_err(|e| place.at(name.span().start, e.to_string()))?;
            algorithms.push(algorithm);
        }
        Ok(VectorFile {
            path: directory.join(relative),
            format: self.format,
            algorithms,
        })
    }
}
