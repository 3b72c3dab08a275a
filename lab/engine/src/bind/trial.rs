//! Tries recipes against official vectors, and keeps the first that passes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use selo_vectors::{Case, CaseKind, CaseResult, Direction};

use super::bound::{Binding, Bound, Outcome, Trial};
use super::call::{Call, calls};
use super::foreign::foreign;
use super::link::{Known, Objects, symbols};
use super::recipe::{Recipe, recipes};
use super::remedy::{EMPTY, EMPTY_TEXT, Remedies};
use super::slot::Slot;
use super::{glue, manifest};
use crate::algorithm::Algorithm;
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::{Library, Unit};
use crate::measure::Lab;
use crate::scan::Scanned;
use crate::scan::words::words;

/// Most recipes that are tried for one algorithm.
const TRIALS: usize = 40;

/// The same for an algorithm of which another key size has been bound.
const TRIALS_OF_SIBLING: usize = 8;

/// Only a recipe of at most this cost is clear enough to be a suspect.
const CLEAR: u32 = 12;

/// Functions that hung, crashed or did not compile so often are not tried with other arguments.
const STOPS: usize = 2;

/// One of so many trials is for functions that a source hides, where a library shows others.
const HIDDEN_SHARE: usize = 4;

/// Recipes that are tried in any case if another key size is bound.
const FIRST: usize = 2;

/// Time for trials of algorithms that cannot be bound. What is left is not told.
const PATIENCE: Duration = Duration::from_secs(120);

/// Most remedies that are added after one trial.
const REMEDIES: usize = 8;

/// Most recipes for a mode of which no name speaks.
const GUESSES: usize = 6;

/// Most recipes for an algorithm of which another key size could not be bound.
const TRIALS_AFTER_FAILURE: usize = 6;

/// Cases of each direction in a trial.
const CASES: usize = 3;

/// Blocks of the longest case of a trial.
const HEAVIEST: u32 = 12;

/// The message of what does not compile, and the library's source in which that is.
type NotCompiled = (String, Option<PathBuf>);

/// Binds the algorithms of a scanned library on the lab's board. `found` is called after every
/// trial. Errors of the machine are returned.
pub fn bind<'l>(
    lab: &Lab<'_>,
    scanned: &'l Scanned,
    algorithms: &[&'l Algorithm],
    found: &mut dyn FnMut(&Trial),
) -> Result<Binding<'l>> {
    let folder = tempfile::Builder::new()
        .prefix("selo-bind-")
        .tempdir()
        .map_err(|source| Error::Write {
            path: std::env::temp_dir(),
            source,
        })?;
    let calls = calls(scanned);
    let mut binder = Binder {
        lab,
        scanned,
        folder: folder.path(),
        calls: &calls,
        binding: Binding::default(),
        remedies: Remedies::default(),
        looked: BTreeSet::new(),
        failed: BTreeSet::new(),
        known: BTreeMap::new(),
        spent: Duration::ZERO,
        found,
    };
    for algorithm in algorithms {
        crate::schedule::check_interrupt()?;
        binder.algorithm(algorithm)?;
    }
    let mut binding = binder.binding;
    binding.foreign = foreign(scanned);
    if !binding.foreign.is_empty() {
        // Helpers of another scheme are not suspected of being what their names resemble.
        binding.suspects.clear();
    }
    Ok(binding)
}

struct Binder<'b, 'l> {
    lab: &'b Lab<'b>,
    scanned: &'l Scanned,
    folder: &'b Path,
    calls: &'b [Call<'l>],
    binding: Binding<'l>,
    /// What the sources need, as far as trials have shown.
    remedies: Remedies,
    /// Headers that were looked for above the library's folder.
    looked: BTreeSet<String>,
    /// Interfaces and families of which an algorithm could not be bound.
    failed: BTreeSet<(String, String)>,
    /// What is known of the sources, by the flags and remedies that they are compiled with.
    known: BTreeMap<(Vec<String>, Remedies), Known>,
    /// Time of the trials of algorithms that could not be bound.
    spent: Duration,
    found: &'b mut dyn FnMut(&Trial),
}

impl<'l> Binder<'_, 'l> {
    fn algorithm(&mut self, algorithm: &'l Algorithm) -> Result<()> {
        let cases = self.cases(algorithm)?;
        let (candidates, most) = self.candidates(algorithm);
        if candidates.is_empty() || cases.is_empty() {
            return Ok(());
        }
        let only_guesses = candidates.iter().all(Recipe::guesses_mode);
        let shows = !candidates.iter().all(Recipe::includes_source);
        let mut suspects = Suspects::default();
        // Functions that nothing defines are not defined with other arguments either, and those
        // that hang or crash seldom stop doing so.
        let mut hopeless: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut opaque = false;
        let started = Instant::now();
        // What a source hides comes last and has a share; so have the flags.
        let hidden = candidates.iter().filter(|recipe| recipe.includes_source());
        let share = hidden.count().min(most / HIDDEN_SHARE);
        let (mut tried, mut wrong) = (0, BTreeSet::new());
        let tries_anyway = usize::from(self.sibling(algorithm).is_some()) * FIRST;
        for (at, recipe) in candidates.into_iter().enumerate() {
            if at >= tries_anyway && self.spent + started.elapsed() > PATIENCE {
                break;
            }
            if opaque && !recipe.returns_state() && !recipe.includes_source() {
                continue;
            }
            let units = recipe.calls().iter().any(|call| call.has(Slot::KeyBits));
            let names = [
                recipe.names(),
                recipe.flags.clone(),
                vec![units.to_string()],
            ]
            .concat();
            if hopeless.get(&names).is_some_and(|count| *count >= STOPS) {
                continue;
            }
            if recipe.flags.is_empty() {
                let left = most - if recipe.includes_source() { 0 } else { share };
                if tried >= left || wrong.contains(&recipe.forwards()) {
                    continue;
                }
                tried += 1;
            }
            let (outcome, bound) = self.try_both(&recipe, &cases)?;
            if outcome.lacks_a_definition() {
                hopeless.insert(names, STOPS);
            } else if matches!(outcome, Outcome::Stopped { .. }) || outcome.fails_in_library() {
                *hopeless.entry(names).or_default() += 1;
            }
            opaque |= outcome.says_opaque();
            let ran = matches!(outcome, Outcome::Wrong { .. });
            if matches!(outcome, Outcome::Wrong { forwards: true, .. }) {
                // Another decryption makes no encryption right.
                wrong.insert(recipe.forwards());
            }
            let trial = Trial {
                algorithm: algorithm.name.clone(),
                calls: recipe.calls().iter().map(|call| shown(call)).collect(),
                flags: recipe.flags.clone(),
                outcome,
            };
            (self.found)(&trial);
            self.binding.trials.push(trial);
            match bound {
                Some(bound) if bound.proven_on.is_some() => {
                    self.binding.bound.push(bound);
                    return Ok(());
                }
                // What a source hides is not what the library offers, if it shows other functions.
                Some(bound) if shows && bound.recipe.includes_source() => {}
                Some(bound) if self.may_accuse(&bound) => suspects.note(bound, ran),
                _ => {}
            }
        }
        self.spent += started.elapsed();
        self.failed.insert(kin(algorithm));
        if only_guesses {
            // Nothing says that the library has the mode.
            return Ok(());
        }
        self.binding.suspects.extend(suspects.likeliest());
        self.binding.open.push(algorithm.name.clone());
        Ok(())
    }

    /// True if a failed recipe may say something about the library: its functions are the
    /// algorithm's, and its sources are not parts of other sources.
    fn may_accuse(&self, bound: &Bound<'_>) -> bool {
        let is_part = |source: &PathBuf| {
            let mut includes = self.scanned.includes.values().flatten();
            includes.any(|name| source.ends_with(name.trim_start_matches("../")))
        };
        let recipe = &bound.recipe;
        !recipe.guesses_mode() && !recipe.is_of_a_mode() && !bound.sources.iter().any(is_part)
    }

    /// The recipes to try, in order: the likeliest, then some of them with flags that may select
    /// the key size; and how many of those without flags.
    fn candidates(&self, algorithm: &'l Algorithm) -> (Vec<Recipe<'l>>, usize) {
        let mut found = recipes(self.scanned, self.calls, algorithm);
        let sibling = self.sibling(algorithm);
        if let Some(sibling) = &sibling {
            // Otherwise the order of the recipes is kept.
            found.sort_by_cached_key(|recipe| unlike(recipe, sibling));
        }
        let flags = flags(self.scanned, algorithm);
        let mut with_flags = Vec::new();
        for recipe in found.iter().take(3) {
            with_flags.extend(flags.iter().map(|flags| Recipe {
                flags: flags.clone(),
                ..recipe.clone()
            }));
        }
        let failed = self.failed.contains(&kin(algorithm));
        let has_sibling = sibling.is_some();
        let guesses = found.iter().all(Recipe::guesses_mode);
        // The functions of another size are seldom those of a hash.
        let same = |of: &Recipe<'l>| found.iter().any(|recipe| recipe.names() == of.names());
        let most = match (sibling, failed, guesses) {
            (Some(sibling), ..) if !same(&sibling) => TRIALS / 2,
            (Some(_), ..) => TRIALS_OF_SIBLING,
            (None, true, true) => 0,
            (None, false, true) => GUESSES,
            (None, true, false) => TRIALS_AFTER_FAILURE,
            (None, false, false) => TRIALS,
        };
        // What does not work with any flags for one key size seldom does for another.
        if guesses || failed && !has_sibling {
            with_flags.clear();
        }
        if most == 0 {
            return (Vec::new(), 0);
        }
        found.extend(with_flags.into_iter().take(TRIALS_OF_SIBLING));
        (found, most)
    }

    /// Tries a recipe; if its glue does not compile, once more with the headers that the sources
    /// include.
    fn try_both(
        &mut self,
        recipe: &Recipe<'l>,
        cases: &[Case],
    ) -> Result<(Outcome, Option<Bound<'l>>)> {
        let mut first = self.try_one(recipe, cases)?;
        for _ in 0..REMEDIES {
            let Outcome::DoesNotBuild { message } = &first.0 else {
                break;
            };
            let mut remedies = self.remedies.clone();
            if !remedies.add(message, self.scanned, &mut self.looked) {
                break;
            }
            self.remedies = remedies;
            self.write_empty()?;
            first = self.try_one(recipe, cases)?;
        }
        if !matches!(first.0, Outcome::DoesNotBuild { .. }) || first.0.lacks_a_definition() {
            return Ok(first);
        }
        let recipe = Recipe {
            as_source: true,
            ..recipe.clone()
        };
        let second = self.try_one(&recipe, cases)?;
        Ok(match second.0 {
            Outcome::DoesNotBuild { .. } => first,
            _ => second,
        })
    }

    /// Writes the empty headers.
    fn write_empty(&self) -> Result<()> {
        for header in &self.remedies.empty {
            let path = self.folder.join(EMPTY).join(header);
            let error = |source| Error::Write {
                path: path.clone(),
                source,
            };
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(error)?;
            }
            std::fs::write(&path, EMPTY_TEXT).map_err(error)?;
        }
        Ok(())
    }

    /// The recipe of another key size of the same interface and family; for ECB also that of the
    /// block cipher.
    fn sibling(&self, algorithm: &Algorithm) -> Option<Recipe<'l>> {
        let alike = |of: Interface| {
            of == algorithm.interface
                || (of == Interface::BlockCipher && algorithm.interface == Interface::ModeEcb)
        };
        let of = |bound: &&Bound<'_>| {
            alike(bound.recipe.algorithm.interface)
                && bound.recipe.algorithm.family == algorithm.family
        };
        self.binding
            .bound
            .iter()
            .rev()
            .find(of)
            .map(|bound| bound.recipe.clone())
    }

    /// A few short cases, of both directions where the algorithm has them. Of each direction, one
    /// tells a mode from single blocks if any case does.
    fn cases(&self, algorithm: &Algorithm) -> Result<Vec<Case>> {
        let mut chosen: Vec<Case> = Vec::new();
        let mut telling: [Option<Case>; 3] = [None, None, None];
        let mut count = [0; 3];
        for set in self.lab.catalog.sets_for(&algorithm.name) {
            let cases = set.cases(&algorithm.name)?;
            for case in selo_vectors::stratified(&cases, 24) {
                let Some(place) = place_of(case) else {
                    continue;
                };
                if case.weight <= HEAVIEST && count[place] < CASES {
                    count[place] += 1;
                    chosen.push(case.clone());
                }
            }
            for case in cases.iter().filter(|case| case.weight <= HEAVIEST) {
                if let Some(place) = place_of(case).filter(|_| tells(algorithm, case)) {
                    telling[place].get_or_insert_with(|| case.clone());
                }
            }
        }
        for (place, case) in telling.into_iter().enumerate() {
            let known = |other: &Case| place_of(other) == Some(place) && tells(algorithm, other);
            if !chosen.iter().any(known) {
                chosen.extend(case);
            }
        }
        Ok(chosen)
    }

    fn try_one(
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
        let mut outcome = self.run(&unit(&library, recipe.algorithm), cases)?;
        self.explain(&mut outcome, recipe);
        let proven = matches!(outcome, Outcome::Passed { .. });
        let bound = Bound {
            recipe: recipe.clone(),
            sources,
            glue: text,
            remedies: self.remedies.clone(),
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
        let sources = Objects::new(self.scanned, &compile, known).closure(&glue)?;
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

    fn run(&self, unit: &Unit<'_>, cases: &[Case]) -> Result<Outcome> {
        let image = match self.lab.agent_in_room(unit) {
            Ok(image) => image,
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

/// Recipes of one algorithm that do not pass, of which the likeliest is kept.
#[derive(Default)]
struct Suspects<'l> {
    ran: Option<Bound<'l>>,
    not_run: Option<Bound<'l>>,
    /// The sources of the recipes that did not run.
    sources: BTreeSet<Vec<PathBuf>>,
}

impl<'l> Suspects<'l> {
    fn note(&mut self, bound: Bound<'l>, ran: bool) {
        if bound.recipe.cost > CLEAR {
            return;
        }
        if ran {
            self.ran.get_or_insert(bound);
        } else {
            self.sources.insert(bound.sources.clone());
            self.not_run.get_or_insert(bound);
        }
    }

    /// What ran tells more than what did not. What did not run says something about the library
    /// only if all of it is in one source: of a library with a source for each machine, those of
    /// other machines never compile.
    fn likeliest(self) -> Option<Bound<'l>> {
        let one = self.sources.len() == 1;
        self.ran.or(self.not_run.filter(|_| one))
    }
}

/// How unlike a recipe is to that of another key size: whether it lacks one of its functions, and
/// how many of them it calls in another way.
fn unlike(recipe: &Recipe<'_>, sibling: &Recipe<'_>) -> (bool, usize) {
    let calls = recipe.calls();
    let same = |of: &&Call<'_>| {
        let mut alike = calls.iter().filter(|call| call.function() == of.function());
        alike.any(|call| call.slots == of.slots)
    };
    let names = recipe.names();
    let lacks = sibling.names().iter().any(|name| !names.contains(name));
    let other = sibling.calls().iter().filter(|call| !same(call)).count();
    (lacks, other)
}

/// The direction of a case: 0 forwards, 1 back, 2 what must be refused; `None` for cases that a
/// trial does not run.
fn place_of(case: &Case) -> Option<usize> {
    Some(match &case.kind {
        CaseKind::Blocks { direction, .. }
        | CaseKind::CbcUnpadded { direction, .. }
        | CaseKind::CbcPadded { direction, .. }
        | CaseKind::Ctr { direction, .. } => match direction {
            Direction::Encrypt => 0,
            Direction::Decrypt => 1,
        },
        CaseKind::Hash { .. } | CaseKind::Mac { valid: true, .. } => 0,
        CaseKind::AeadSeal { .. } => 0,
        CaseKind::AeadOpen { .. } => 1,
        CaseKind::SharedSecret { .. } | CaseKind::Agreement { .. } => 0,
        CaseKind::PublicKey { .. } | CaseKind::KeyPair { .. } => 1,
        CaseKind::AgreementRefused { .. } => 2,
        CaseKind::Sign { .. } => 0,
        CaseKind::Verify { valid: true, .. } => 1,
        CaseKind::Verify { valid: false, .. } => 2,
        _ => return None,
    })
}

/// True if a case tells what others may not: a mode from single blocks, or, of an authenticated
/// cipher, whether the usual nonce and a message that is not empty are taken.
fn tells(algorithm: &Algorithm, case: &Case) -> bool {
    match &case.kind {
        CaseKind::AeadSeal { message, .. } | CaseKind::AeadOpen { message, .. } => {
            let usual = u32::try_from(message.nonce.len()).ok() == algorithm.nonce_bytes;
            usual && !message.plaintext.is_empty()
        }
        _ => tells_modes(case),
    }
}

/// True if a function for single blocks, or one that ignores the IV, cannot pass the case by
/// chance: with an IV of zeros and one block, each mode gives what the block cipher gives.
fn tells_modes(case: &Case) -> bool {
    match &case.kind {
        CaseKind::Blocks { input, .. } => input.len() > 16,
        CaseKind::CbcUnpadded { input, iv, .. } | CaseKind::CbcPadded { input, iv, .. } => {
            input.len() > 16 && iv.iter().any(|byte| *byte != 0)
        }
        CaseKind::Ctr { input, counter, .. } => {
            input.len() > 16 && counter.iter().any(|byte| *byte != 0)
        }
        CaseKind::Hash {
            message, repeat: 1, ..
        } => message.len() > 64,
        _ => false,
    }
}

/// What the key sizes of an algorithm have in common.
fn kin(algorithm: &Algorithm) -> (String, String) {
    (
        format!("{:?}", algorithm.interface),
        algorithm.family.clone(),
    )
}

fn unit<'u>(library: &'u Library, algorithm: &'u Algorithm) -> Unit<'u> {
    Unit {
        library,
        implementation: &library.implementations[0],
        algorithm,
        variant: manifest::VARIANT,
    }
}

/// Macros that the sources test, that nothing defines, and whose names say that they switch the
/// algorithm or its modes on.
fn enabling(scanned: &Scanned, algorithm: &Algorithm) -> Vec<String> {
    const SWITCH: [&str; 10] = [
        "use", "using", "enable", "enabled", "with", "support", "config", "have", "include",
        "feature",
    ];
    const MODES: [&str; 6] = ["ecb", "cbc", "ctr", "gcm", "ccm", "aes"];
    let family = algorithm.family.to_lowercase();
    let wanted = |name: &&String| {
        let words = words(name);
        let says = |of: &str| words.iter().any(|word| word == of);
        let about = MODES.iter().any(|mode| says(mode)) || says(&family);
        let switches = SWITCH.iter().any(|word| says(word)) || words.len() == 1;
        let against = ["no", "not", "disable", "hw", "ni", "neon", "asm", "h"];
        // Names with two underscores are the compiler's own.
        let own = !name.starts_with("__");
        own && about && switches && !against.iter().any(|word| says(word))
    };
    let tested = scanned
        .tested
        .iter()
        .filter(|name| !scanned.macros.contains_key(*name));
    tested
        .filter(wanted)
        .map(|name| format!("-D{name}=1"))
        .collect()
}

/// Flags that may select the key size: macros that the sources test and that name it.
fn flags(scanned: &Scanned, algorithm: &Algorithm) -> Vec<Vec<String>> {
    let ciphers = [
        Interface::BlockCipher,
        Interface::ModeEcb,
        Interface::ModeCbc,
        Interface::ModeCtr,
    ];
    let Some(bytes) = algorithm
        .key_bytes
        .filter(|_| ciphers.contains(&algorithm.interface))
    else {
        return Vec::new();
    };
    let bits = (8 * bytes).to_string();
    let mut found = Vec::new();
    let enabling = enabling(scanned, algorithm);
    if !enabling.is_empty() {
        found.push(enabling);
    }
    for name in &scanned.tested {
        let lower = name.to_lowercase();
        let about_key = lower.contains("key")
            && ["len", "size", "bits", "bytes"]
                .iter()
                .any(|w| lower.contains(w));
        // A macro of any name whose default is a key size.
        let is_size = scanned
            .number(name)
            .is_some_and(|number| [128, 192, 256].contains(&number));
        if name.contains(&bits) {
            found.push(vec![format!("-D{name}=1")]);
        } else if is_size {
            found.push(vec![format!("-D{name}={bits}")]);
        } else if about_key {
            found.push(vec![format!("-D{name}={bits}")]);
            found.push(vec![format!("-D{name}={bytes}")]);
        }
    }
    found
}

/// A call as text: `aes_encrypt(State, In, Out)`.
fn shown(call: &Call<'_>) -> String {
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
