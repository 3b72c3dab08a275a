//! Whole programs: the firmwares that a list of sources describes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::builder::{Builder, Image};
use crate::data::{matching, read_toml};
use crate::error::{Error, Result};
use crate::library::Unit;
use crate::schedule;

/// What a whole firmware is made of (`studies/firmware/node/node.toml`). Paths are relative to the
/// project's root.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The role that is meant if none is named.
    #[serde(default)]
    pub role: Option<String>,
    #[serde(default)]
    pub include: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    #[serde(default)]
    pub link_flags: Vec<String>,
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
}

/// Sources that are compiled alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The role that it belongs to; without one it belongs to each.
    #[serde(default)]
    pub role: Option<String>,
    /// The variants that it belongs to, which are a node's suites; without any, each.
    #[serde(default)]
    pub suites: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    /// A file name may have a `*`.
    pub files: Vec<String>,
}

/// The program of which a whole firmware is the growth.
const EMPTY: &str = "lab/firmware/footprint/empty.c";

impl Builder<'_> {
    /// The whole firmware that `list` describes, for a unit.
    pub fn program(&self, unit: &Unit<'_>, list: &Path) -> Result<Image> {
        let program: Program = read_toml(list)?;
        self.build_program(unit, list, &program, &[])
    }

    /// Another role of it than the one that is measured; `defines`, such as
    /// `-DNAME=VALUE`, win over the unit's.
    pub fn program_role(
        &self,
        unit: &Unit<'_>,
        list: &Path,
        role: &str,
        defines: &[String],
    ) -> Result<Image> {
        let mut program: Program = read_toml(list)?;
        let known = |group: &Group| group.role.as_deref() == Some(role);
        if !program.groups.iter().any(known) {
            return Err(Error::Data {
                path: list.to_owned(),
                message: format!("the file defines no role '{role}'"),
            });
        }
        program.role = Some(role.to_owned());
        self.build_program(unit, list, &program, defines)
    }

    /// A whole program that is no unit's. `{NAME}` at the beginning of its files and folders
    /// stands for the folder of `places` by that name; `list` is where it is described.
    pub fn standalone(
        &self,
        program: &Program,
        places: &BTreeMap<String, PathBuf>,
        list: &Path,
        what: &str,
    ) -> Result<Image> {
        let root = &self.project.root;
        let path = |text: &str| {
            let of = |(name, folder): (&String, &PathBuf)| {
                let rest = text.strip_prefix(&format!("{{{name}}}"))?;
                Some(folder.join(rest.trim_start_matches('/')))
            };
            places
                .iter()
                .find_map(of)
                .unwrap_or_else(|| root.join(text))
        };
        let include: Vec<PathBuf> = program
            .include
            .iter()
            .map(|folder| path(folder))
            .chain(self.port.include.iter().map(|folder| root.join(folder)))
            .collect();
        let board = &self.board.toolchain;
        let common = [&board.flags[..], &self.port.flags, &program.flags].concat();
        let mut sources = Vec::new();
        for source in &self.port.program_sources {
            sources.push((root.join(source), common.clone()));
        }
        for group in &program.groups {
            let flags = [&common[..], &group.flags].concat();
            for file in &group.files {
                let found = matching(&path(file), list)?;
                sources.extend(found.into_iter().map(|source| (source, flags.clone())));
            }
        }
        let objects = self.objects(&sources, &include)?;
        let link = [
            &board.link_flags[..],
            &self.port.link_flags,
            &program.link_flags,
        ];
        self.link(&objects, &common, &link.concat(), what)
    }

    /// Objects of sources with their flags, in that order: a library has a hundred, so every
    /// core compiles.
    pub(super) fn objects(
        &self,
        sources: &[(PathBuf, Vec<String>)],
        include: &[PathBuf],
    ) -> Result<Vec<PathBuf>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut objects = Vec::new();
        schedule::run(
            sources.len(),
            cores,
            |place| {
                let (source, flags) = &sources[place];
                self.object(source, include, flags)
            },
            |_| {},
            |_| Ok(()),
            |object| {
                objects.push(object);
                Ok(())
            },
        )?;
        Ok(objects)
    }

    fn build_program(
        &self,
        unit: &Unit<'_>,
        list: &Path,
        program: &Program,
        defines: &[String],
    ) -> Result<Image> {
        let with = |flags: Vec<String>| [&flags[..], defines].concat();
        let root = &self.project.root;
        let include: Vec<PathBuf> = program.include.iter().map(|i| root.join(i)).collect();
        let mut objects = Vec::new();
        let variant = unit.variant;
        let chosen = |group: &&Group| {
            (group.role.is_none() || group.role == program.role)
                && (group.suites.is_empty() || group.suites.iter().any(|suite| suite == variant))
        };
        for group in program.groups.iter().filter(chosen) {
            let flags = with(self.program_flags(unit, program, &group.flags));
            for file in &group.files {
                for source in matching(&root.join(file), list)? {
                    objects.push(self.object(&source, &include, &flags)?);
                }
            }
        }
        let common = with(self.program_flags(unit, program, &[]));
        let flags_of_library = with(self.library_flags(unit, program));
        for source in unit.sources()? {
            objects.push(self.object(&source, &include, &flags_of_library)?);
        }
        let mut link = self.program_link_flags(program);
        link.extend(unit.library.link_flags.iter().cloned());
        self.link(&objects, &common, &link, &unit.label())
    }

    /// A program that does nothing, built as [`Builder::program`] is.
    pub fn empty_program(&self, unit: &Unit<'_>, list: &Path) -> Result<Image> {
        let program: Program = read_toml(list)?;
        let flags = self.program_flags(unit, &program, &[]);
        let object = self.object(&self.project.root.join(EMPTY), &[], &flags)?;
        let link = self.program_link_flags(&program);
        self.link(&[object], &flags, &link, "the empty program")
    }

    fn program_link_flags(&self, program: &Program) -> Vec<String> {
        [
            &self.board.toolchain.link_flags[..],
            &program.link_flags[..],
        ]
        .concat()
    }

    /// The board's flags, the program's, a group's and last the unit's, which win.
    fn program_flags(&self, unit: &Unit<'_>, program: &Program, group: &[String]) -> Vec<String> {
        let board = &self.board.toolchain.flags[..];
        let of_unit = unit.program_flags();
        self.vary([board, &program.flags[..], group, &of_unit[..]].concat())
    }

    /// The same for the unit's own sources, whose flags are part of its variant.
    fn library_flags(&self, unit: &Unit<'_>, program: &Program) -> Vec<String> {
        let board = &self.board.toolchain.flags[..];
        let of_unit = unit.flags(&self.board.port);
        self.vary([board, &program.flags[..], &of_unit[..]].concat())
    }
}
