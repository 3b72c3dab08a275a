//! The implementations of the first experiment: parts of this program, and libraries of the lab.
//! Any library with glue for a cipher can take part: it is built for this machine and loaded.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use selo_engine::board::NATIVE;
use selo_engine::library::Unit;
use selo_engine::loaded::{GROWTH, Loaded};
use selo_engine::project::{Project, Selection};
use selo_engine::source::{Sources, Step};

use crate::cipher::{BuiltIn, Cipher, TAG};
use crate::error::{Error, Result};

/// Bytes of an IV.
const IV: usize = 16;

/// An implementation of ciphers.
#[derive(Clone, Debug)]
pub enum Implementation {
    BuiltIn(BuiltIn),
    Library(Arc<Library>),
}

impl From<BuiltIn> for Implementation {
    fn from(built_in: BuiltIn) -> Implementation {
        Implementation::BuiltIn(built_in)
    }
}

impl Implementation {
    /// Resolves `spec`: a built-in implementation, or a library, which is built for those of
    /// `ciphers` that it offers. Looks for the project only if `spec` names a library.
    pub fn named(
        spec: &str,
        ciphers: &[Cipher],
        project: impl FnOnce() -> Result<Project>,
        say: fn(&str),
    ) -> Result<Implementation> {
        if let Some(built_in) = BuiltIn::by_name(spec) {
            return Ok(built_in.into());
        }
        let library = Library::build(&project()?, spec, ciphers, say)?;
        Ok(Implementation::Library(Arc::new(library)))
    }

    /// The name as stored in rows. A library's name includes its version.
    pub fn name(&self) -> &str {
        match self {
            Implementation::BuiltIn(built_in) => built_in.name(),
            Implementation::Library(library) => &library.name,
        }
    }

    pub fn offers(&self, cipher: Cipher) -> bool {
        match self {
            Implementation::BuiltIn(built_in) => built_in.offers(cipher),
            Implementation::Library(library) => library.ciphers.contains_key(&cipher),
        }
    }

    /// Seals `message`. Binds `ad` to it if the cipher authenticates.
    pub fn seal(&self, cipher: Cipher, key: &[u8], ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        match self {
            Implementation::BuiltIn(built_in) => built_in.seal(cipher, key, ad, message),
            Implementation::Library(library) => library.seal(cipher, key, ad, message),
        }
    }

    /// Opens a message that [`Implementation::seal`] sealed. Returns `None` if the tag or the
    /// padding is wrong.
    pub fn open(
        &self,
        cipher: Cipher,
        key: &[u8],
        ad: &[u8],
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        match self {
            Implementation::BuiltIn(built_in) => built_in.open(cipher, key, ad, sealed),
            Implementation::Library(library) => library.open(cipher, key, ad, sealed),
        }
    }
}

/// A library, built for some of its ciphers.
#[derive(Debug)]
pub struct Library {
    /// Name, version and, if the user named one, the variant.
    name: String,
    /// Glue keeps one key, so it handles one message at a time.
    ciphers: BTreeMap<Cipher, Mutex<Loaded>>,
}

/// The library that `spec` names (`NAME` or `NAME:VARIANT`), and its units by cipher. Without a
/// variant, each cipher's first one is used.
fn units<'a>(project: &'a Project, spec: &str) -> Result<(String, BTreeMap<Cipher, Unit<'a>>)> {
    let (name, variant) = match spec.split_once(':') {
        Some((name, variant)) => (name, Some(variant)),
        None => (spec, None),
    };
    let known = || {
        let built_in = BuiltIn::ALL.iter().map(|one| one.name().to_owned());
        built_in.chain(names(project))
    };
    if !known().any(|one| one == name) {
        let known: Vec<String> = known().collect();
        let known = known.iter().map(String::as_str);
        return Err(selo_engine::Error::unknown("implementation", name, known).into());
    }
    let library = project.library(name)?;
    if let Some(variant) = variant {
        let all = library.implementations.iter();
        let known = || {
            all.clone()
                .flat_map(|one| &one.variants)
                .map(String::as_str)
        };
        if !known().any(|one| one == variant) {
            return Err(selo_engine::Error::unknown("variant", variant, known()).into());
        }
    }
    let selection = Selection {
        libraries: vec![name.to_owned()],
        algorithms: Vec::new(),
        variants: variant.map(str::to_owned).into_iter().collect(),
    };
    let mut found = BTreeMap::new();
    for unit in project.units(project.board(NATIVE)?, &selection)? {
        if let Some(cipher) = Cipher::by_name(&unit.algorithm.name)
            && Loaded::can_be(&unit)
        {
            found.entry(cipher).or_insert(unit);
        }
    }
    let mut label = format!("{name} {}", library.version);
    if let Some(variant) = variant {
        label = format!("{label} {variant}");
    }
    Ok((label, found))
}

/// The libraries with a cipher that build for this machine, without the built-in ones.
pub fn names(project: &Project) -> Vec<String> {
    let built_in = |name: &str| BuiltIn::by_name(name).is_some();
    let offers = |name: &str| {
        let selection = Selection {
            libraries: vec![name.to_owned()],
            ..Selection::default()
        };
        let board = project.board(NATIVE).ok();
        let units = board.and_then(|board| project.units(board, &selection).ok());
        units
            .into_iter()
            .flatten()
            .any(|unit| Cipher::by_name(&unit.algorithm.name).is_some() && Loaded::can_be(&unit))
    };
    let libraries = project.libraries.iter().filter(|one| !one.test_only);
    let names = libraries.map(|one| &one.name);
    names
        .filter(|name| !built_in(name) && offers(name))
        .cloned()
        .collect()
}

/// The ciphers that a library offers on this machine.
pub fn offered(project: &Project, name: &str) -> Result<Vec<Cipher>> {
    Ok(units(project, name)?.1.into_keys().collect())
}

impl Library {
    /// Fetches, builds and loads the library of `spec`, for those of `ciphers` that it offers.
    fn build(project: &Project, spec: &str, ciphers: &[Cipher], say: fn(&str)) -> Result<Library> {
        let (name, units) = units(project, spec)?;
        let sources = Sources::new(&project.root, false);
        let mut built = BTreeMap::new();
        for (cipher, unit) in units {
            if !ciphers.contains(&cipher) {
                continue;
            }
            sources.fetch(unit.library, &mut |step| {
                if let Step::Fetching(source) = step {
                    say(&format!("fetching {} {}", source.package, source.version));
                }
            })?;
            built.insert(cipher, Mutex::new(Loaded::build(project, &unit)?));
        }
        Ok(Library {
            name,
            ciphers: built,
        })
    }

    /// The library of a cipher, with `key` set up.
    fn keyed(&self, cipher: Cipher, key: &[u8]) -> Result<MutexGuard<'_, Loaded>> {
        let library = self
            .ciphers
            .get(&cipher)
            .ok_or_else(|| self.failed("it does not offer this cipher"))?;
        // After a panic the lock is poisoned, but the next user sets up a key of its own.
        let mut library = library.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = zeroize::Zeroizing::new(key.to_vec());
        let mut nothing = vec![0; key.len() + GROWTH];
        match library.call("key-setup", &mut [&mut key], &mut nothing)? {
            (0, _) => Ok(library),
            (status, _) => Err(self.failed(&format!("key-setup returned status {status}"))),
        }
    }

    fn failed(&self, why: &str) -> Error {
        Error::Implementation {
            name: self.name.clone(),
            why: why.to_owned(),
        }
    }

    fn seal(&self, cipher: Cipher, key: &[u8], ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        let mut library = self.keyed(cipher, key)?;
        let size = cipher.sealed_size(message.len());
        let mut sealed = vec![0; size + ad.len() + 2 * GROWTH];
        let mut nonce = [0; IV];
        let nonce = &mut nonce[..cipher.nonce_size()];
        getrandom::fill(nonce).map_err(Error::Random)?;
        let mut message = message.to_vec();
        let (status, written) = if cipher.authenticated() {
            let (head, body) = sealed.split_at_mut(nonce.len());
            head.copy_from_slice(nonce);
            let mut ad = ad.to_vec();
            let (status, written) =
                library.call("seal", &mut [nonce, &mut ad, &mut message], body)?;
            (status, head.len() + written)
        } else {
            library.call("encrypt", &mut [nonce, &mut message], &mut sealed)?
        };
        if status != 0 {
            return Err(self.failed(&format!("sealing returned status {status}")));
        }
        if written != size {
            // For example, glue that keeps sizes in 16 bits.
            let why = format!(
                "it sealed {} bytes into {written} bytes, not {size}",
                message.len()
            );
            return Err(self.failed(&why));
        }
        sealed.truncate(size);
        Ok(sealed)
    }

    fn open(
        &self,
        cipher: Cipher,
        key: &[u8],
        ad: &[u8],
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        let mut sealed = sealed.to_vec();
        let nonce = cipher.nonce_size();
        let least = if cipher.authenticated() {
            nonce + TAG
        } else {
            2 * IV
        };
        if sealed.len() < least {
            return Ok(None);
        }
        let mut library = self.keyed(cipher, key)?;
        let mut out = vec![0; sealed.len() + ad.len() + GROWTH];
        let (status, written) = if cipher.authenticated() {
            let (nonce, body) = sealed.split_at_mut(nonce);
            let mut ad = ad.to_vec();
            library.call("open", &mut [nonce, &mut ad, body], &mut out)?
        } else {
            library.call("decrypt", &mut [&mut sealed], &mut out)?
        };
        if status != 0 {
            return Ok(None);
        }
        let most = sealed.len() - least;
        let right = if cipher.authenticated() {
            written == most
        } else {
            (most..most + IV).contains(&written)
        };
        if !right {
            let why = format!("it opened {} bytes into {written} bytes", sealed.len());
            return Err(self.failed(&why));
        }
        out.truncate(written);
        Ok(Some(out))
    }
}
