//! Writes a manifest and glue for a library that was scanned: glue that works where the
//! functions are clear, and otherwise a beginning with the candidates and their places.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use super::roles::{Mode, Role, Takes, words};
use super::{Found, Scanned, hashes, is_cpp, sealing};
use crate::algorithm::Algorithm;
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::project::MANIFEST;

/// What is to be written: names of files, and their texts.
#[derive(Clone, Debug)]
pub struct Skeleton {
    pub files: Vec<(String, String)>,
    /// Algorithms with glue that should work.
    pub algorithms: Vec<String>,
    /// What a person must look at.
    pub open: Vec<String>,
}

/// Glue that another module has written.
pub(super) struct Glue {
    /// Of the file's name: `glue-KIND.c`.
    pub kind: &'static str,
    pub algorithms: Vec<String>,
    pub operations: Vec<&'static str>,
    pub text: String,
    /// That it is this algorithm is a guess.
    pub guessed: bool,
    /// Names of the library's functions in it.
    pub used: Vec<String>,
    /// It calls methods of a class.
    pub cpp: bool,
}

/// The functions of a library that make one interface.
struct Binding<'l> {
    interface: Interface,
    algorithms: Vec<&'l str>,
    setups: Vec<&'l Found>,
    set_iv: Option<&'l Found>,
    encrypt: &'l Found,
    decrypt: Option<&'l Found>,
    class: Option<String>,
    /// Key sizes were not told: a guess.
    guessed: bool,
}

/// Works the files out. `name` is the library's, `into` the folder that they go to.
pub fn skeleton(scanned: &Scanned, algorithms: &[Algorithm], name: &str, into: &Path) -> Skeleton {
    let bindings = bindings(scanned, algorithms);
    let mut files = Vec::new();
    let mut listed = String::new();
    let mut open = Vec::new();
    let cpp = scanned.sources.iter().any(|source| is_cpp(source));
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let to_library = relative(into, &scanned.folder);
    let mut file = |kind: &'static str, cpp: bool| {
        let number = count.entry(kind).or_default();
        *number += 1;
        let extension = if cpp { "cpp" } else { "c" };
        match number {
            1 => format!("glue-{kind}.{extension}"),
            number => format!("glue-{kind}-{number}.{extension}"),
        }
    };
    for binding in &bindings {
        let kind = interface_name(binding.interface);
        let file = file(kind, cpp || binding.class.is_some());
        let mut operations = vec!["key-setup", "encrypt"];
        operations.extend(binding.decrypt.map(|_| "decrypt"));
        files.push((file.clone(), glue(scanned, binding)));
        implementation(
            &mut listed,
            scanned,
            &to_library,
            &binding.algorithms,
            &file,
            &operations,
            binding.guessed,
        );
        if binding.guessed {
            open.push(format!(
                "{MANIFEST}: the size of the key is a guess for {}",
                binding.algorithms.join(", ")
            ));
        }
        let both = [Some(binding.encrypt), binding.decrypt];
        for found in both.into_iter().flatten() {
            let function = &found.entry.function;
            let changed = function.parameters.iter().zip(&found.entry.takes);
            if changed
                .clone()
                .any(|(parameter, takes)| *takes == Takes::InOut && parameter.is_const)
            {
                open.push(format!(
                    "{}: {} calls the buffer const that it can only change; is it so?",
                    found.place(),
                    function.name
                ));
            }
        }
        if binding.decrypt.is_none() {
            open.push(format!("{file}: no function that decrypts was found"));
        }
    }
    let mut more = hashes::glues(scanned, algorithms);
    more.extend(sealing::glues(scanned, algorithms));
    for glue in &mut more {
        let file = file(glue.kind, cpp || glue.cpp);
        let rest = scanned
            .entries
            .iter()
            .filter(|found| !glue.used.contains(&found.entry.function.name));
        candidates(&mut glue.text, &rest.collect::<Vec<_>>(), UNUSED);
        files.push((file.clone(), glue.text.clone()));
        let names: Vec<&str> = glue.algorithms.iter().map(String::as_str).collect();
        implementation(
            &mut listed,
            scanned,
            &to_library,
            &names,
            &file,
            &glue.operations,
            false,
        );
        if glue.guessed {
            open.push(format!(
                "{MANIFEST}: that it is {} is a guess",
                names.join(", ")
            ));
        }
    }
    if bindings.is_empty() && more.is_empty() {
        let file = format!("glue.{}", if cpp { "cpp" } else { "c" });
        files.push((file.clone(), empty_glue(scanned)));
        implementation(
            &mut listed,
            scanned,
            &to_library,
            &["aes-128"],
            &file,
            &["key-setup", "encrypt"],
            true,
        );
        open.push(format!(
            "{file}: no function was clear enough; fill the calls in"
        ));
        open.push(format!("{MANIFEST}: say which algorithms it offers"));
    }
    if scanned.licence.is_none() {
        open.push(format!("{MANIFEST}: the licence was not recognised"));
    }
    let manifest = manifest(scanned, &to_library, name, &listed);
    files.insert(0, (MANIFEST.to_owned(), manifest));
    let ciphers = bindings.iter().flat_map(|binding| &binding.algorithms);
    let mut offered: Vec<String> = ciphers.map(|name| (*name).to_owned()).collect();
    offered.extend(more.into_iter().flat_map(|glue| glue.algorithms));
    Skeleton {
        files,
        algorithms: offered,
        open,
    }
}

impl Skeleton {
    /// Writes the files; none that is there is touched.
    pub fn write(&self, into: &Path) -> Result<Vec<PathBuf>> {
        let error = |path: &Path, source| Error::Write {
            path: path.to_owned(),
            source,
        };
        std::fs::create_dir_all(into).map_err(|source| error(into, source))?;
        let paths: Vec<PathBuf> = self.files.iter().map(|(name, _)| into.join(name)).collect();
        if let Some(there) = paths.iter().find(|path| path.symlink_metadata().is_ok()) {
            return Err(Error::Exists {
                path: there.clone(),
            });
        }
        for (path, (_, text)) in paths.iter().zip(&self.files) {
            use std::io::Write as _;
            let file = std::fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(path);
            file.and_then(|mut file| file.write_all(text.as_bytes()))
                .map_err(|source| error(path, source))?;
        }
        Ok(paths)
    }
}

fn bindings<'l>(scanned: &'l Scanned, algorithms: &'l [Algorithm]) -> Vec<Binding<'l>> {
    let clear = |found: &&Found| {
        let class = found.entry.function.class.as_ref();
        found.entry.is_clear()
            && class.is_none_or(|class| !scanned.abstract_classes.contains(class))
    };
    let mut bindings: Vec<Binding<'l>> = Vec::new();
    for (mode, interface) in [
        (Mode::Block, Interface::BlockCipher),
        (Mode::Cbc, Interface::ModeCbc),
        (Mode::Ctr, Interface::ModeCtr),
    ] {
        let encrypts = scanned.entries.iter().filter(clear).filter(|found| {
            let role = found.entry.role;
            found.entry.mode == mode
                && (role == Role::Encrypt || (role == Role::Crypt && mode == Mode::Ctr))
        });
        for encrypt in encrypts {
            bindings.extend(bind(scanned, algorithms, interface, encrypt, &clear));
        }
    }
    // Of two ways to the same algorithms, the first that the headers declare.
    let mut kept: Vec<Binding<'l>> = Vec::new();
    for binding in bindings {
        let new = |name: &&str| !kept.iter().any(|other| other.algorithms.contains(name));
        let algorithms: Vec<&str> = binding
            .algorithms
            .iter()
            .filter(|name| new(name))
            .copied()
            .collect();
        if !algorithms.is_empty() {
            kept.push(Binding {
                algorithms,
                ..binding
            });
        }
    }
    kept
}

fn bind<'l>(
    scanned: &'l Scanned,
    algorithms: &'l [Algorithm],
    interface: Interface,
    encrypt: &'l Found,
    clear: &dyn Fn(&&'l Found) -> bool,
) -> Option<Binding<'l>> {
    let owner = owner(encrypt);
    let class = encrypt.entry.function.class.clone();
    let in_class = |found: &Found| match (&class, &found.entry.function.class) {
        (None, None) => true,
        (Some(class), Some(other)) => class == other || descends(scanned, class, other),
        _ => false,
    };
    let bits = encrypt.entry.key_bits;
    let same_bits = |found: &Found| {
        found.entry.key_bits.is_none() || bits.is_none() || found.entry.key_bits == bits
    };
    let fits = |found: &&Found| {
        let other = self::owner(found);
        in_class(found)
            && same_bits(found)
            && (other == owner || other.is_none() || owner.is_none())
    };
    let of = |role: Role| {
        scanned
            .entries
            .iter()
            .filter(clear)
            .filter(fits)
            .filter(move |f| f.entry.role == role)
    };
    let decrypt = of(Role::Decrypt).find(|found| found.entry.mode == encrypt.entry.mode);
    let decrypt = decrypt.or((encrypt.entry.role == Role::Crypt
        || interface == Interface::ModeCtr)
        .then_some(encrypt));
    let takes_iv = encrypt.entry.takes(Takes::Iv);
    let set_iv = of(Role::SetIv)
        .next()
        .filter(|_| interface != Interface::BlockCipher && !takes_iv);
    // With an IV in the set-up only where nothing else takes it.
    let wants_iv = interface != Interface::BlockCipher && !takes_iv && set_iv.is_none();
    let mut setups: Vec<&Found> = of(Role::SetUp)
        .filter(|found| found.entry.direction.is_none() && found.entry.takes(Takes::Iv) == wants_iv)
        .take(1)
        .collect();
    if setups.is_empty() {
        for direction in [Role::Encrypt, Role::Decrypt] {
            setups.extend(of(Role::SetUp).find(|found| found.entry.direction == Some(direction)));
        }
    }
    if setups.is_empty() {
        setups.extend(of(Role::SetUp).next());
    }
    let holds_key = encrypt.entry.takes(Takes::Key);
    if setups.is_empty() && !holds_key {
        return None;
    }
    let said = bits.or_else(|| setups.iter().find_map(|found| found.entry.key_bits));
    let any_size = setups
        .iter()
        .any(|found| found.entry.takes(Takes::KeyBytes) || found.entry.takes(Takes::KeyBits));
    let (sizes, guessed) = match (said, any_size, scanned.key_bits()) {
        (Some(bits), ..) => (vec![bits], false),
        (None, true, _) => (vec![128, 192, 256], false),
        (None, false, Some((_, bits))) => (vec![bits], false),
        (None, false, None) => (vec![128], true),
    };
    let named: String = [
        encrypt.entry.function.name.as_str(),
        class.as_deref().unwrap_or_default(),
        &encrypt.file.to_string_lossy(),
        &scanned
            .folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy(),
    ]
    .join(" ")
    .to_lowercase()
    .replace("rijndael", "aes");
    let algorithms: Vec<&str> = algorithms
        .iter()
        .filter(|algorithm| {
            algorithm.interface == interface
                && named.contains(&algorithm.family)
                && algorithm
                    .key_bytes
                    .is_some_and(|bytes| sizes.contains(&(bytes * 8)))
        })
        .map(|algorithm| algorithm.name.as_str())
        .collect();
    (!algorithms.is_empty()).then_some(Binding {
        interface,
        algorithms,
        setups,
        set_iv,
        encrypt,
        decrypt,
        class,
        guessed,
    })
}

/// Whether a class is made from another, over as many steps as there are classes.
pub(super) fn descends(scanned: &Scanned, class: &str, from: &str) -> bool {
    let mut open = vec![class];
    for _ in 0..=scanned.classes.len() {
        let Some(next) = open.pop() else {
            return false;
        };
        if next == from {
            return true;
        }
        open.extend(
            scanned
                .classes
                .get(next)
                .into_iter()
                .flatten()
                .map(String::as_str),
        );
    }
    false
}

/// The type of the context that a function takes.
fn owner(found: &Found) -> Option<&str> {
    let at = found
        .entry
        .takes
        .iter()
        .position(|takes| *takes == Takes::Context)?;
    Some(found.entry.function.parameters[at].base.as_str())
}

fn interface_name(interface: Interface) -> &'static str {
    match interface {
        Interface::ModeCbc => "cbc",
        Interface::ModeCtr => "ctr",
        _ => "block",
    }
}

// ---- The manifest -------------------------------------------------------------

fn manifest(scanned: &Scanned, to_library: &str, name: &str, listed: &str) -> String {
    let mut text = String::new();
    let title = scanned
        .folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let _ = writeln!(
        text,
        "# {name} as a library: what it is, and how its images are built. Written by\n\
         # selo lab new-library from what the folder holds; look it over, it is yours.\n\
         # docs/researcher/survey-a-library.md goes through it.\n\n\
         name = {}\ntitle = {}\nversion = {}\nlicence = {}   # SPDX",
        quoted(name),
        quoted(&title),
        quoted(scanned.version.as_deref().unwrap_or("unknown")),
        quoted(scanned.licence.as_deref().unwrap_or("NOASSERTION")),
    );
    let mut folders: Vec<String> = scanned
        .headers
        .iter()
        .filter_map(|header| header.parent())
        .map(|folder| joined(to_library, folder))
        .collect();
    folders.sort();
    folders.dedup();
    let folders: Vec<String> = folders.iter().map(|folder| quoted(folder)).collect();
    let _ = writeln!(
        text,
        "\n# Where its headers are, relative to this file.\ninclude = [{}]",
        folders.join(", ")
    );
    text.push_str(
        "\n# Compiler flags for library and glue: its dialect, its switches.\n\
         # flags = [\"-std=c99\", \"-DSOME_SWITCH=1\"]\n",
    );
    if scanned.arduino {
        text.push_str(
            "\n# It asks for Arduino.h: the lab has a small one (lab/firmware/arduino).\narduino = true\n",
        );
    }
    for note in &scanned.notes {
        let _ = writeln!(text, "# Left out: {note}.");
    }
    text.push_str(listed);
    text
}

#[allow(clippy::too_many_arguments)] // the lines of an entry
fn implementation(
    text: &mut String,
    scanned: &Scanned,
    to_library: &str,
    algorithms: &[&str],
    glue: &str,
    operations: &[&str],
    guessed: bool,
) {
    let list = |names: &[&str]| {
        let quoted: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        quoted.join(", ")
    };
    let sources: Vec<String> = scanned
        .sources
        .iter()
        .map(|source| quoted(&joined(to_library, source)))
        .collect();
    text.push_str("\n[[implementation]]\n");
    if guessed {
        text.push_str("# A guess: nothing says how long the key is. `selo lab list algorithms` has the names.\n");
    } else if let Some((name, _)) = scanned.key_bits() {
        let _ = writeln!(text, "# The key's size is the library's {name}.");
    }
    let _ = writeln!(
        text,
        "algorithms = [{}]\n\
         variants = [\"plain\"]          # a name for the way it is built; another set of flags is another\n\
         glue = {}\n\
         sources = [{}]\n\
         operations = [{}]   # what the glue offers\n\
         flags = [\"-Os\"]",
        list(algorithms),
        quoted(glue),
        sources.join(", "),
        list(operations),
    );
}

/// A string of TOML, whatever is in it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

// ---- The glue -----------------------------------------------------------------

/// The comment at the head of glue, and the agent's header.
pub(super) fn heading(scanned: &Scanned, algorithms: &[impl AsRef<str>]) -> String {
    let algorithms: Vec<&str> = algorithms.iter().map(AsRef::as_ref).collect();
    format!(
        "/*\n * {} in the lab: {}.\n *\n * AGENT_MEASURE stands around the library's calls and nothing else: that is what is\n\
         \x20* timed. Written by selo lab new-library; check that each call does what you think.\n */\n\
         #include \"agent.h\"\n\n",
        safe(
            &scanned
                .folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
        ),
        algorithms.join(", ")
    )
}

/// The algorithm that a function is of, by its name, that of its file or of the library's
/// folder; true beside it if only a part of the algorithm's name is there.
pub(super) fn named<'a>(
    scanned: &Scanned,
    found: &Found,
    algorithms: &[&'a Algorithm],
) -> (Option<&'a Algorithm>, bool) {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let file = found.file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = scanned.folder.file_name().unwrap_or_default();
    let class = found.entry.function.class.as_deref().unwrap_or_default();
    let texts = [
        plain(&found.entry.function.name),
        plain(class),
        plain(&file),
        plain(&folder.to_string_lossy()),
    ];
    for text in &texts {
        let has = |algorithm: &&&Algorithm| text.contains(&plain(&algorithm.name));
        let longest = algorithms
            .iter()
            .filter(has)
            .max_by_key(|one| one.name.len());
        if let Some(algorithm) = longest {
            return (Some(algorithm), false);
        }
    }
    let all = texts.concat();
    let speaks_of = |algorithm: &&&Algorithm| {
        words(&algorithm.name)
            .iter()
            .filter(|word| word.chars().all(|c| c.is_ascii_alphabetic()))
            .all(|word| all.contains(word.as_str()))
    };
    let mut possible = algorithms.iter().filter(speaks_of);
    match (possible.next(), possible.next()) {
        (Some(algorithm), None) => (Some(algorithm), true),
        _ => (None, true),
    }
}

fn glue(scanned: &Scanned, binding: &Binding<'_>) -> String {
    let mut text = heading(scanned, &binding.algorithms);
    let mut used = binding.setups.clone();
    used.extend(binding.set_iv);
    used.push(binding.encrypt);
    used.extend(binding.decrypt);
    includes(&mut text, scanned, &used);
    text.push_str("\n#include <string.h>\n\nenum { BLOCK = 16 };\n\n");
    state(&mut text, binding);
    key_setup(&mut text, binding);
    match binding.interface {
        Interface::ModeCbc => cbc(&mut text, binding),
        Interface::ModeCtr => ctr(&mut text, binding),
        _ => block(&mut text, binding),
    }
    text.push_str("AGENT_OPERATIONS(\n    AGENT_OPERATION(KEY_SETUP, \"key-setup\", key_setup)\n");
    text.push_str("    AGENT_OPERATION(ENCRYPT, \"encrypt\", encrypt)");
    if binding.decrypt.is_some() {
        text.push_str("\n    AGENT_OPERATION(DECRYPT, \"decrypt\", decrypt)");
    }
    text.push_str(")\n");
    others(&mut text, scanned, binding);
    text
}

/// The headers of the functions that are used, or their declarations where they have none.
pub(super) fn includes(text: &mut String, scanned: &Scanned, used: &[&Found]) {
    let mut headers: Vec<String> = Vec::new();
    for found in used {
        let is_header = scanned.headers.contains(&found.file);
        let name = found
            .file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if is_header && !headers.contains(&name) {
            headers.push(name);
        } else if !is_header {
            let function = &found.entry.function;
            let _ = writeln!(
                text,
                "/* {} declares no header; from {}: */",
                function.name,
                found.place()
            );
            let _ = writeln!(text, "{};", shown(found));
        }
    }
    for header in headers {
        let _ = writeln!(text, "#include \"{header}\"");
    }
}

fn state(text: &mut String, binding: &Binding<'_>) {
    if let Some(class) = &binding.class {
        let _ = writeln!(text, "static {class} cipher;");
    }
    for (name, found) in contexts(binding) {
        if let Some(base) = owner(found) {
            let _ = writeln!(text, "static {base} {name};");
        } else {
            let at = found
                .entry
                .takes
                .iter()
                .position(|takes| *takes == Takes::Schedule);
            let base = at.map_or("uint32_t", |at| {
                found.entry.function.parameters[at].base.as_str()
            });
            let _ = writeln!(
                text,
                "static {base} {name}[64]; /* room for the round keys of 256-bit keys */"
            );
        }
    }
    if keeps_key(binding) {
        text.push_str("static uint8_t key[AGENT_KEY_BYTES];\n");
    }
    text.push('\n');
}

/// The contexts by name: one, or one a direction.
fn contexts<'b>(binding: &'b Binding<'_>) -> Vec<(&'static str, &'b Found)> {
    let holds =
        |found: &&Found| found.entry.takes(Takes::Context) || found.entry.takes(Takes::Schedule);
    if binding.setups.len() == 2 && binding.setups.iter().all(holds) {
        return vec![
            ("encrypt_context", binding.setups[0]),
            ("decrypt_context", binding.setups[1]),
        ];
    }
    let mut used = binding.setups.clone();
    used.push(binding.encrypt);
    used.into_iter()
        .find(|found| holds(found))
        .map(|found| ("context", found))
        .into_iter()
        .collect()
}

/// The key must outlive key-setup: a later call takes it.
fn keeps_key(binding: &Binding<'_>) -> bool {
    let later = [Some(binding.encrypt), binding.decrypt, binding.set_iv];
    later
        .into_iter()
        .flatten()
        .any(|found| found.entry.takes(Takes::Key))
        || sets_up_with_iv(binding)
}

/// The set-up takes the IV, so it is called for every message.
fn sets_up_with_iv(binding: &Binding<'_>) -> bool {
    binding.interface != Interface::BlockCipher
        && binding
            .setups
            .iter()
            .any(|found| found.entry.takes(Takes::Iv))
}

fn key_setup(text: &mut String, binding: &Binding<'_>) {
    text.push_str(
        "static uint8_t key_setup(struct agent_call *call)\n{\n    if (call->in[0].size != AGENT_KEY_BYTES)\n        return AGENT_BAD_SIZE;\n",
    );
    let mut calls = Vec::new();
    if keeps_key(binding) {
        if sets_up_with_iv(binding) || binding.setups.is_empty() {
            calls.push("memcpy(key, call->in[0].data, AGENT_KEY_BYTES)".to_owned());
        } else {
            text.push_str("    memcpy(key, call->in[0].data, AGENT_KEY_BYTES);\n");
        }
    }
    if !sets_up_with_iv(binding) {
        for setup in &binding.setups {
            let context = context_for(binding, setup.entry.direction.unwrap_or(Role::Encrypt));
            // An IV that a block cipher's set-up wants has no effect on single blocks.
            let iv = "call->in[0].data";
            calls.push(call(
                binding,
                setup,
                &Names {
                    context,
                    key: "raw",
                    iv,
                    ..Names::default()
                },
            ));
        }
        if calls.iter().any(|call| call.contains("raw")) {
            text.push_str("    uint8_t *raw = call->in[0].data;\n");
        }
    }
    measure(text, &calls);
    text.push_str("    return 0;\n}\n\n");
}

fn context_for(binding: &Binding<'_>, role: Role) -> &'static str {
    match (contexts(binding).len(), role) {
        (2, Role::Decrypt) => "decrypt_context",
        (2, _) => "encrypt_context",
        _ => "context",
    }
}

fn block(text: &mut String, binding: &Binding<'_>) {
    for (name, found, role) in directions(binding) {
        let _ = writeln!(
            text,
            "static uint8_t {name}(struct agent_call *call)\n{{\n    if (call->in[0].size != BLOCK)\n        return AGENT_BAD_SIZE;\n    uint8_t *in = call->in[0].data, *out = call->out;"
        );
        in_place(text, found, "out", "in", "BLOCK");
        let names = Names {
            context: context_for(binding, role),
            input: "in",
            output: "out",
            size: "BLOCK",
            ..Names::default()
        };
        measure(text, &[call(binding, found, &names)]);
        text.push_str("    call->out_size = BLOCK;\n    return 0;\n}\n\n");
    }
}

fn cbc(text: &mut String, binding: &Binding<'_>) {
    let has_iv = binding.encrypt.entry.takes(Takes::Iv)
        || binding.set_iv.is_some()
        || sets_up_with_iv(binding);
    for (_, found, role) in directions(binding) {
        let context = context_for(binding, role);
        let before = before_message(binding, context);
        if role == Role::Encrypt {
            text.push_str(
                "/* The library takes whole blocks; the padding is the glue's, PKCS #7. The IV is what the\n\
                 \x20* random source gives: in[0]. */\n\
                 static uint8_t encrypt(struct agent_call *call)\n{\n\
                 \x20   agent_size size = call->in[1].size;\n\
                 \x20   agent_size padded = (agent_size)(size / BLOCK * BLOCK + BLOCK);\n\
                 \x20   if (call->in[0].size != BLOCK || padded > AGENT_IO_BYTES - BLOCK)\n        return AGENT_BAD_SIZE;\n\
                 \x20   uint8_t *in = call->in[1].data, *out = call->out + BLOCK;\n\
                 \x20   uint8_t iv[BLOCK];\n\
                 \x20   memcpy(iv, call->in[0].data, BLOCK);\n\
                 \x20   memcpy(call->out, iv, BLOCK);\n",
            );
            if !has_iv {
                text.push_str(
                    "    /* No function takes an IV: the library has one of its own. Give here the one that it\n\
                     \x20    * used, if it tells; the survey looks at the ciphertext as well. */\n\
                     \x20   memset(call->out, 0, BLOCK);\n    (void)iv;\n",
                );
            }
            text.push_str(
                "    memcpy(out, in, size);\n    memset(out + size, padded - size, (size_t)(padded - size));\n",
            );
            // The padded message stands in `out`: a call with two buffers reads it there.
            text.push_str("    (void)in;\n");
            let names = Names {
                context,
                input: "out",
                output: "out",
                size: "padded",
                iv: "iv",
                ..Names::default()
            };
            let mut calls = before;
            calls.push(call(binding, found, &names));
            measure(text, &calls);
            text.push_str(
                "    call->out_size = (agent_size)(BLOCK + padded);\n    return 0;\n}\n\n",
            );
        } else {
            text.push_str(
                "static uint8_t decrypt(struct agent_call *call)\n{\n\
                 \x20   agent_size size = call->in[0].size;\n\
                 \x20   if (size < 2 * BLOCK || size % BLOCK != 0)\n        return 1;\n\
                 \x20   size = (agent_size)(size - BLOCK);\n\
                 \x20   uint8_t *in = call->in[0].data + BLOCK, *out = call->out;\n\
                 \x20   uint8_t iv[BLOCK];\n\
                 \x20   memcpy(iv, call->in[0].data, BLOCK);\n",
            );
            if !has_iv {
                text.push_str("    (void)iv;\n");
            }
            let names = Names {
                context,
                input: "in",
                output: "out",
                size: "size",
                iv: "iv",
                ..Names::default()
            };
            // A PC repeats the call: what it changes is put back each time.
            let mut calls = Vec::new();
            if found.entry.takes(Takes::InOut) {
                text.push_str(
                    "    /* It works in place, and a PC repeats it: the copy is part of it. */\n",
                );
                calls.push("memcpy(out, in, size)".to_owned());
            }
            if found.entry.takes(Takes::Iv) {
                calls.push("memcpy(iv, call->in[0].data, BLOCK)".to_owned());
            }
            calls.extend(before);
            calls.push(call(binding, found, &names));
            measure(text, &calls);
            text.push_str(
                "    /* 3: the padding is malformed; then nothing but zeros comes out. */\n\
                 \x20   uint8_t padding = out[size - 1], wrong = padding == 0 || padding > BLOCK;\n\
                 \x20   for (uint8_t i = 1; !wrong && i <= padding; i++)\n        wrong |= out[size - i] != padding;\n\
                 \x20   if (wrong)\n        memset(out, 0, size);\n\
                 \x20   call->out_size = (agent_size)(wrong ? 0 : size - padding);\n    return wrong ? 3 : 0;\n}\n\n",
            );
        }
    }
}

fn ctr(text: &mut String, binding: &Binding<'_>) {
    let found = binding.encrypt;
    let context = context_for(binding, Role::Encrypt);
    text.push_str(
        "static uint8_t encrypt(struct agent_call *call)\n{\n\
         \x20   if (call->in[0].size != BLOCK || call->in[1].size > AGENT_IO_BYTES)\n        return AGENT_BAD_SIZE;\n\
         \x20   uint8_t *iv = call->in[0].data, *in = call->in[1].data, *out = call->out;\n\
         \x20   agent_size size = call->in[1].size;\n",
    );
    in_place(text, found, "out", "in", "size");
    let mut calls = before_message(binding, context);
    let names = Names {
        context,
        input: "in",
        output: "out",
        size: "size",
        iv: "iv",
        ..Names::default()
    };
    calls.push(call(binding, found, &names));
    measure(text, &calls);
    text.push_str("    (void)iv;\n    call->out_size = size;\n    return 0;\n}\n\n");
    text.push_str("/* In CTR, decrypting is encrypting. */\nstatic uint8_t decrypt(struct agent_call *call) { return encrypt(call); }\n\n");
}

/// What is called for each message before its bytes.
fn before_message(binding: &Binding<'_>, context: &'static str) -> Vec<String> {
    let names = Names {
        context,
        key: "key",
        iv: "iv",
        ..Names::default()
    };
    if sets_up_with_iv(binding) {
        return binding
            .setups
            .iter()
            .map(|setup| call(binding, setup, &names))
            .collect();
    }
    binding
        .set_iv
        .map(|found| call(binding, found, &names))
        .into_iter()
        .collect()
}

fn directions<'b>(binding: &'b Binding<'_>) -> Vec<(&'static str, &'b Found, Role)> {
    let mut directions = vec![("encrypt", binding.encrypt, Role::Encrypt)];
    directions.extend(
        binding
            .decrypt
            .map(|found| ("decrypt", found, Role::Decrypt)),
    );
    directions
}

/// A function that changes its buffer works on the output, into which the input is copied.
fn in_place(text: &mut String, found: &Found, output: &str, input: &str, size: &str) {
    if found.entry.takes(Takes::InOut) {
        let _ = writeln!(
            text,
            "    memcpy({output}, {input}, {size}); /* it works in place */"
        );
    }
}

fn measure(text: &mut String, calls: &[String]) {
    if let [first, more @ ..] = calls {
        let _ = write!(text, "    AGENT_MEASURE({first}");
        for call in more {
            let _ = write!(text, ";\n                  {call}");
        }
        text.push_str(");\n");
    }
}

/// What stands for each thing that a call takes.
#[derive(Clone, Copy)]
struct Names {
    context: &'static str,
    key: &'static str,
    iv: &'static str,
    input: &'static str,
    output: &'static str,
    size: &'static str,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            context: "context",
            key: "key",
            iv: "iv",
            input: "in",
            output: "out",
            size: "size",
        }
    }
}

fn call(binding: &Binding<'_>, found: &Found, names: &Names) -> String {
    let function = &found.entry.function;
    let arguments = function
        .parameters
        .iter()
        .zip(&found.entry.takes)
        .map(|(parameter, takes)| {
            let name = match takes {
                Takes::Context if parameter.pointers == 0 => names.context.to_owned(),
                Takes::Context => format!("&{}", names.context),
                Takes::Schedule => names.context.to_owned(),
                Takes::Key => names.key.to_owned(),
                Takes::Iv => names.iv.to_owned(),
                Takes::In => names.input.to_owned(),
                Takes::Out | Takes::InOut => names.output.to_owned(),
                Takes::Size => names.size.to_owned(),
                Takes::KeyBytes => "AGENT_KEY_BYTES".to_owned(),
                Takes::KeyBits => "8 * AGENT_KEY_BYTES".to_owned(),
                Takes::Unclear => "0".to_owned(),
            };
            // uint8_t is unsigned char; other bytes are converted.
            let bytes = parameter.pointers == 1
                && matches!(
                    takes,
                    Takes::Key | Takes::Iv | Takes::In | Takes::Out | Takes::InOut
                );
            let same = ["uint8_t", "unsigned char", "void", "byte", "std::uint8_t"]
                .contains(&parameter.base.as_str());
            if bytes && !same {
                return format!("({} *){name}", parameter.base);
            }
            name
        });
    let arguments: Vec<String> = arguments.collect();
    let object = if binding.class.is_some() {
        "cipher."
    } else {
        ""
    };
    format!("{object}{}({})", function.name, arguments.join(", "))
}

/// The functions that were found and not used, with their places.
fn others(text: &mut String, scanned: &Scanned, binding: &Binding<'_>) {
    let used = |found: &&Found| {
        let name = &found.entry.function.name;
        let mine = binding
            .setups
            .iter()
            .chain(&binding.set_iv)
            .chain(&binding.decrypt);
        let mut mine = mine.chain([&binding.encrypt]);
        !mine.any(|one| one.entry.function.name == *name)
    };
    let rest: Vec<&Found> = scanned.entries.iter().filter(used).collect();
    candidates(text, &rest, UNUSED);
}

const UNUSED: &str = "Found, and not used here:";

fn candidates(text: &mut String, found: &[&Found], title: &str) {
    if found.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n/* {title}");
    for one in found {
        let unclear = if one.entry.is_clear() {
            ""
        } else {
            "  (not clear what it takes)"
        };
        let _ = writeln!(
            text,
            " *   {}: {}{unclear}",
            safe(&one.place()),
            safe(&shown(one))
        );
    }
    text.push_str(" */\n");
}

fn empty_glue(scanned: &Scanned) -> String {
    let mut text = format!(
        "/*\n * {} in the lab. No function was clear enough to call: fill the calls in, and remove\n\
         \x20* the line with #error. docs/contributor/agent-protocol.md lists the operations of each interface.\n */\n\
         #include \"agent.h\"\n\n",
        safe(
            &scanned
                .folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
        )
    );
    for header in &scanned.headers {
        let _ = writeln!(
            text,
            "#include \"{}\"",
            header.file_name().unwrap_or_default().to_string_lossy()
        );
    }
    let all: Vec<&Found> = scanned.entries.iter().collect();
    candidates(&mut text, &all, "Found:");
    text.push_str(
        "\n#error \"fill in the calls of the library, then remove this line\"\n\n\
         static uint8_t key_setup(struct agent_call *call)\n{\n\
         \x20   if (call->in[0].size != AGENT_KEY_BYTES)\n        return AGENT_BAD_SIZE;\n\
         \x20   AGENT_MEASURE((void)0); /* the key is call->in[0].data */\n    return 0;\n}\n\n\
         static uint8_t encrypt(struct agent_call *call)\n{\n\
         \x20   if (call->in[0].size != 16)\n        return AGENT_BAD_SIZE;\n\
         \x20   AGENT_MEASURE((void)0); /* from call->in[0].data to call->out */\n\
         \x20   call->out_size = 16;\n    return 0;\n}\n\n\
         AGENT_OPERATIONS(\n    AGENT_OPERATION(KEY_SETUP, \"key-setup\", key_setup)\n\
         \x20   AGENT_OPERATION(ENCRYPT, \"encrypt\", encrypt))\n",
    );
    text
}

/// A function as it was declared, near enough.
fn shown(found: &Found) -> String {
    let function = &found.entry.function;
    let parameters = function.parameters.iter().map(|parameter| {
        let constant = if parameter.is_const { "const " } else { "" };
        let stars = "*".repeat(parameter.pointers);
        format!("{constant}{} {stars}{}", parameter.base, parameter.name)
            .trim_end()
            .to_owned()
    });
    let parameters: Vec<String> = parameters.collect();
    let class = function
        .class
        .as_ref()
        .map(|class| format!("{class}::"))
        .unwrap_or_default();
    let inside = if parameters.is_empty() {
        "void".to_owned()
    } else {
        parameters.join(", ")
    };
    format!("{} {class}{}({inside})", function.result, function.name)
}

/// A text that cannot end the comment it stands in.
fn safe(text: &str) -> String {
    text.replace("*/", "* /")
        .replace("/*", "/ *")
        .replace(['\n', '\r'], " ")
}

// ---- Paths ---------------------------------------------------------------------

/// The way from one folder to another: `..` where it must go up.
fn relative(from: &Path, to: &Path) -> String {
    let from: Vec<Component<'_>> = from.components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let down = to[common..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let way: Vec<String> = up.chain(down).collect();
    way.join("/")
}

fn joined(to_library: &str, path: &Path) -> String {
    let path = path.to_string_lossy();
    match (to_library, path.as_ref()) {
        ("", "") => ".".to_owned(),
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// A name for a library, made of a folder's.
pub fn library_name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let words = words(&name).join("-");
    if words.is_empty() {
        "library".to_owned()
    } else {
        words
    }
}
