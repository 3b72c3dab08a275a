//! Tries recipes against official vectors, and keeps the first that passes.

mod binder;
mod candidates;
mod cases;
mod doubt;
mod elsewhere;
mod flags;
mod learned;
mod mended;
mod shown;
mod sizes;
mod stuck;
mod suspects;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use selo_vectors::{Case, CaseKind, CaseResult};

use self::binder::Binder;
use self::candidates::kin;
use self::cases::{cases, place_of};
pub use self::elsewhere::Elsewhere;
use self::shown::{End, Shown};
use self::sizes::Absent;
use super::bound::{Binding, Bound, Outcome, Trial};
use super::call::{Call, calls};
use super::foreign::foreign;
use super::link::{Objects, symbols};
use super::recipe::Recipe;
use super::remedy::{Looked, Remedies};
use super::uncalled::uncalled;
use super::{glue, manifest};
use crate::algorithm::Algorithm;
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::{Library, Unit};
use crate::measure::{Lab, overflow};
use crate::scan::Scanned;

/// Recipes that are tried in any case, unless no name speaks of the mode.
const FIRST: usize = 2;

/// Time for trials of algorithms that cannot be bound. What is left is not told.
const PATIENCE: Duration = Duration::from_secs(120);

/// Time for all trials of a library on a board, if the user gives none. A library of hundreds of
/// sources takes longer.
pub const WHOLE: Duration = Duration::from_secs(600);

/// The message of what does not compile, and the library's source in which that is.
type NotCompiled = (String, Option<PathBuf>);

/// The plausible ways to call each function of a library, which are the same on all boards.
#[derive(Debug)]
pub struct Calls<'l>(Vec<Call<'l>>);

impl<'l> Calls<'l> {
    pub fn of(scanned: &'l Scanned) -> Calls<'l> {
        Calls(calls(scanned))
    }
}

/// What is to be bound.
#[derive(Clone, Copy, Debug)]
pub struct Given<'g, 'l> {
    pub scanned: &'l Scanned,
    pub calls: &'g Calls<'l>,
    pub algorithms: &'g [&'l Algorithm],
    /// Time for all trials of the library on a board.
    pub whole: Duration,
}

/// Binds the algorithms of a scanned library on the lab's board. `elsewhere` has what trials on another
/// board have shown. `found` is called after every trial. Errors of the machine are returned.
pub fn bind<'l>(
    lab: &Lab<'_>,
    given: Given<'_, 'l>,
    elsewhere: &Elsewhere<'l>,
    found: &mut dyn FnMut(&Trial),
) -> Result<Binding<'l>> {
    let Given {
        scanned,
        algorithms,
        ..
    } = given;
    let folder = tempfile::Builder::new()
        .prefix("selo-bind-")
        .tempdir()
        .map_err(|source| Error::Write {
            path: std::env::temp_dir(),
            source,
        })?;
    let mut binder = Binder {
        lab,
        scanned,
        folder: folder.path(),
        calls: &given.calls.0,
        elsewhere,
        binding: Binding::default(),
        remedies: Remedies::default(),
        looked: Looked::default(),
        failed: BTreeSet::new(),
        doubts: Vec::new(),
        absent: Absent::new(),
        known: BTreeMap::new(),
        spent: Duration::ZERO,
        until: Instant::now() + given.whole,
        runtime: lab.builder.runtime(),
        found,
    };
    for algorithm in in_order(scanned, algorithms) {
        crate::schedule::check_interrupt()?;
        binder.algorithm(algorithm)?;
    }
    let remedies = binder.remedies;
    let mut binding = binder.binding;
    binding.remedies = remedies;
    doubt::resolve(&binder.doubts, &mut binding);
    let is_scheme = |bound: &Bound<'_>| bound.recipe.algorithm.interface.keeps_parts();
    let tried = |interface: Interface| {
        let of = algorithms.iter().filter(|one| one.interface == interface);
        let names: Vec<&String> = of.map(|algorithm| &algorithm.name).collect();
        let mut trials = binding.trials.iter();
        trials.any(|trial| names.contains(&&trial.algorithm))
    };
    let (kem, signature) = (tried(Interface::Kem), tried(Interface::LargeSignature));
    binding.foreign = foreign(scanned, kem, signature);
    binding.uncalled = uncalled(scanned, &binding.bound);
    if kem || signature || !binding.foreign.is_empty() {
        // Helpers of another scheme are not suspected of being what their names resemble.
        binding.suspects.retain(is_scheme);
    }
    Ok(binding)
}

/// The algorithms in the order of their trials: of several key sizes first those that names speak of.
fn in_order<'l>(scanned: &Scanned, algorithms: &[&'l Algorithm]) -> Vec<&'l Algorithm> {
    let first = |of: &Algorithm| algorithms.iter().position(|one| kin(one) == kin(of));
    let mut ordered = algorithms.to_vec();
    ordered.sort_by_cached_key(|one| (first(one), !sizes::are_named(scanned, one)));
    ordered
}

impl<'l> Binder<'_, 'l> {
    fn algorithm(&mut self, algorithm: &'l Algorithm) -> Result<()> {
        let cases = cases(self.lab, algorithm)?;
        let (candidates, most) = self.candidates(algorithm);
        if candidates.is_empty() || cases.is_empty() || self.elsewhere.is_doubtful(algorithm) {
            return Ok(());
        }
        // What another board has shown is no guess.
        let only_guesses = candidates.iter().all(Recipe::guesses_mode)
            && self.elsewhere.recipe(algorithm).is_none();
        let size = (algorithm.family.clone(), algorithm.key_bytes);
        if self.elsewhere.is_another_size(algorithm)
            || self.absent.contains(&size)
            || sizes::is_another(self.scanned, &self.binding, algorithm)
        {
            self.absent.insert(size);
            if !only_guesses {
                self.binding.other_sizes.push(algorithm.name.clone());
            }
            return Ok(());
        }
        let started = Instant::now();
        let mut shown = Shown::of(algorithm, &candidates, most);
        // The likeliest are cheap, and the time may have gone to an algorithm that comes first.
        let tries_anyway = usize::from(!only_guesses) * FIRST;
        let end = self.try_each(candidates, &cases, tries_anyway, &mut shown)?;
        if end == End::Bound {
            return Ok(());
        }
        self.spent += started.elapsed();
        self.failed.insert(kin(algorithm));
        if only_guesses {
            // Nothing says that the library has the mode.
            return Ok(());
        }
        if end == End::OutOfTime {
            // More trials could have found a call that is right.
            self.binding.untried.push(algorithm.name.clone());
            return Ok(());
        }
        self.doubts.extend(shown.doubt.if_any());
        self.binding.suspects.extend(shown.suspects.likeliest());
        self.binding.open.push(algorithm.name.clone());
        Ok(())
    }

    /// Tries recipes of one algorithm, until one passes or it is not worth going on. The first
    /// `tries_anyway` are tried although the time for algorithms without a binding is over.
    fn try_each(
        &mut self,
        candidates: Vec<Recipe<'l>>,
        cases: &[Case],
        tries_anyway: usize,
        shown: &mut Shown<'l>,
    ) -> Result<End> {
        let started = Instant::now();
        for (at, recipe) in candidates.into_iter().enumerate() {
            let is_tired = at >= tries_anyway && self.spent + started.elapsed() > PATIENCE;
            if is_tired || shown.stuck.is_hopeless() {
                break;
            }
            if self.is_over() {
                return Ok(End::OutOfTime);
            }
            if !shown.learned.is_worth_trying(&recipe) {
                continue;
            }
            let (outcome, bound) = self.try_both(&recipe, cases)?;
            shown.note(&recipe, &outcome);
            self.report(&recipe, &outcome);
            match bound {
                Some(bound) if bound.proven_on.is_some() => {
                    self.binding.bound.push(bound);
                    return Ok(End::Bound);
                }
                Some(bound) if self.may_accuse(&bound) => shown.suspects.note(bound, &outcome),
                _ => {}
            }
            // The keys alone may be larger than the board, whatever the calls.
            if recipe.algorithm.interface.keeps_parts() && outcome == Outcome::NoRoom {
                break;
            }
        }
        Ok(End::Tried)
    }

    /// Keeps a trial for the report, and tells who waits for it.
    fn report(&mut self, recipe: &Recipe<'_>, outcome: &Outcome) {
        let trial = Trial {
            algorithm: recipe.algorithm.name.clone(),
            calls: recipe.calls().iter().map(|call| text_of(call)).collect(),
            flags: recipe.flags.clone(),
            outcome: outcome.clone(),
        };
        (self.found)(&trial);
        self.binding.trials.push(trial);
    }

    /// True if a failed recipe may say something about the library: its functions are the
    /// algorithm's, and its sources are not parts of other sources.
    fn may_accuse(&self, bound: &Bound<'_>) -> bool {
        let is_part = |source: &PathBuf| {
            let mut includes = self.scanned.includes.values().flatten();
            includes.any(|name| source.ends_with(name.trim_start_matches("../")))
        };
        let recipe = &bound.recipe;
        let nameless = recipe.keys.as_ref().is_some_and(|keys| keys.nameless);
        !nameless
            && recipe.apart.is_none()
            && !recipe.guesses_mode()
            && !recipe.is_of_a_mode()
            && !bound.sources.iter().any(is_part)
    }

    pub(super) fn try_one(
        &mut self,
        recipe: &Recipe<'l>,
        cases: &[Case],
    ) -> Result<(Outcome, Option<Bound<'l>>)> {
        let text = glue::text(self.scanned, recipe);
        let extension = if glue::is_cpp_glue(self.scanned, recipe) {
            "cpp"
        } else {
            "c"
        };
        let path = self.folder.join(format!("glue.{extension}"));
        std::fs::write(&path, &text).map_err(|source| Error::Write {
            path: path.clone(),
            source,
        })?;
        let mut library =
            manifest::library(self.scanned, recipe, &self.remedies, &path, self.folder);
        library.root.clone_from(&self.lab.project.root);
        let sources = match self.sources(&library, recipe)? {
            Ok(sources) => sources,
            Err((message, None)) => return Ok((Outcome::DoesNotBuild { message }, None)),
            Err((message, Some(source))) => {
                let bound = Bound {
                    recipe: recipe.clone(),
                    sources: vec![source],
                    glue: text,
                    remedies: self.remedies.clone(),
                    caller_checks_keys: false,
                    proven_on: None,
                };
                return Ok((Outcome::DoesNotBuild { message }, Some(bound)));
            }
        };
        let absolute = sources
            .iter()
            .map(|source| self.scanned.folder.join(source));
        library.implementations[0].sources = absolute
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        let mut unchecked = false;
        let mut outcome = self.run(&unit(&library, recipe.algorithm), cases, &mut unchecked)?;
        self.explain(&mut outcome, recipe);
        let proven = matches!(outcome, Outcome::Passed { .. });
        let bound = Bound {
            recipe: recipe.clone(),
            sources,
            glue: text,
            remedies: self.remedies.clone(),
            caller_checks_keys: unchecked,
            proven_on: proven.then(|| self.lab.board.name.clone()),
        };
        Ok((outcome, Some(bound)))
    }

    /// Adds to undefined references what the sources say that may define them and do not compile.
    fn explain(&mut self, outcome: &mut Outcome, recipe: &Recipe<'_>) {
        if !outcome.lacks_a_definition() {
            return;
        }
        let Outcome::DoesNotBuild { message } = outcome else {
            return;
        };
        let key = (recipe.flags.clone(), self.remedies.clone());
        let Some(known) = self.known.get_mut(&key) else {
            return;
        };
        let names: BTreeSet<String> = message
            .lines()
            .filter_map(|line| line.split_once("undefined reference to "))
            .map(|(_, name)| name.trim_matches(['`', '\'', '‘', '’']).to_owned())
            .collect();
        let why: Vec<String> = names
            .iter()
            .filter_map(|name| known.failure(self.scanned, name))
            .map(|(path, message)| format!("\n{}: {message}", path.display()))
            .collect();
        message.extend(why);
    }

    /// The sources that the glue needs, or the message of what does not compile.
    fn sources(
        &mut self,
        library: &Library,
        recipe: &Recipe<'_>,
    ) -> Result<std::result::Result<Vec<PathBuf>, NotCompiled>> {
        let unit = unit(library, recipe.algorithm);
        let glue = match self.lab.builder.object_of(&unit, &unit.glue()) {
            Ok(glue) => symbols(&glue)?,
            Err(Error::Compile { output, .. }) => return Ok(Err((output, None))),
            Err(error) => return Err(error),
        };
        let folder = &self.scanned.folder;
        let compile = |source: &Path| self.lab.builder.object_of(&unit, &folder.join(source));
        let key = (recipe.flags.clone(), self.remedies.clone());
        let known = self.known.entry(key).or_default();
        let sources = Objects::new(self.scanned, &compile, known, &self.runtime).closure(&glue)?;
        if sources.is_empty() {
            let failure = recipe.names().iter().find_map(|name| {
                let (path, message) = known.failure(self.scanned, name)?;
                Some((format!("{}: {message}", path.display()), Some(path)))
            });
            if let Some(failure) = failure {
                return Ok(Err(failure));
            }
        }
        Ok(Ok(sources))
    }

    /// Runs the cases. `unchecked`: a public key was accepted that must be refused.
    fn run(&self, unit: &Unit<'_>, cases: &[Case], unchecked: &mut bool) -> Result<Outcome> {
        let image = match self.lab.agent_in_room(unit) {
            Ok(image) => image,
            Err(Error::Compile { output, .. }) if overflow(&output).is_some() => {
                return Ok(Outcome::NoRoom);
            }
            Err(Error::Compile { output, .. }) => {
                return Ok(Outcome::DoesNotBuild { message: output });
            }
            Err(error) => return Err(error),
        };
        if self.lab.excess_of(&image.weight).is_some() {
            return Ok(Outcome::NoRoom);
        }
        let stopped = |error: &Error| Outcome::Stopped {
            reason: error.to_string(),
        };
        let mut agent = match self.lab.start_agent(unit, &image) {
            Ok(agent) => agent,
            Err(error @ (Error::Stopped(_) | Error::Agent(_))) => return Ok(stopped(&error)),
            Err(error) => return Err(error),
        };
        let mut passed = 0;
        for case in cases {
            match agent.run_case(case) {
                Ok(CaseResult::Pass) => passed += 1,
                // Many leave this to their caller.
                Ok(CaseResult::Fail { .. })
                    if matches!(case.kind, CaseKind::EncapsulateRefused { .. }) =>
                {
                    *unchecked = true;
                }
                Ok(CaseResult::Fail { detail, .. }) => {
                    return Ok(Outcome::Wrong {
                        case: case.id.clone(),
                        detail,
                        forwards: place_of(case) == Some(0),
                    });
                }
                Ok(_) => {}
                Err(_) => {
                    return match agent.take_error() {
                        Some(error @ (Error::Stopped(_) | Error::Agent(_))) => Ok(stopped(&error)),
                        Some(error) => Err(error),
                        None => Ok(Outcome::NoVector),
                    };
                }
            }
        }
        Ok(match passed {
            0 => Outcome::NoVector,
            cases => Outcome::Passed { cases },
        })
    }
}

fn unit<'u>(library: &'u Library, algorithm: &'u Algorithm) -> Unit<'u> {
    Unit {
        library,
        implementation: &library.implementations[0],
        algorithm,
        variant: manifest::VARIANT,
    }
}

/// A call as text: `aes_encrypt(State, In, Out)`.
fn text_of(call: &Call<'_>) -> String {
    let function = call.function();
    let slots: Vec<String> = call
        .slots
        .iter()
        .map(|slot| format!("{slot:?}").to_lowercase())
        .collect();
    let class = function
        .class
        .as_ref()
        .map_or(String::new(), |class| format!("{class}::"));
    format!("{class}{}({})", function.name, slots.join(", "))
}
