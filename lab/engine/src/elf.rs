//! Reads the section sizes, the largest symbols and the marks of an ELF file.

use std::collections::BTreeSet;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, SymbolKind};

use crate::error::{Error, Result};
use crate::row::cause::Part;

/// Offset of AVR data addresses in ELF files (avr-libc's convention).
const AVR_DATA: u64 = 0x80_0000;

/// Static memory of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight {
    /// Code, constants and the initial values of variables, in bytes.
    pub flash: u64,
    /// Variables, in bytes.
    pub ram: u64,
    /// First data address above the variables, on AVR.
    pub static_end: Option<u64>,
    /// Address of the variable of avr-libc that holds the first address above the heap.
    pub heap_top: Option<u64>,
    /// Named objects that occupy flash or RAM, largest first.
    pub symbols: Vec<Symbol>,
}

/// A function or variable of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub bytes: u64,
    /// True for RAM, false for flash.
    pub in_ram: bool,
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

fn not_elf(path: &Path, error: object::Error) -> Error {
    Error::Image {
        path: path.to_owned(),
        message: error.to_string(),
    }
}

/// Reads the sizes and symbols of the ELF file at `path`.
pub fn weigh(path: &Path) -> Result<Weight> {
    let data = read(path)?;
    let file = object::File::parse(&*data).map_err(|error| not_elf(path, error))?;
    let avr = file.architecture() == object::Architecture::Avr;
    let (mut flash, mut ram) = (0, 0);
    let mut static_end = None;
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else {
            continue;
        };
        if sh_flags & u64::from(object::elf::SHF_ALLOC) == 0 || !counts(&section) {
            continue;
        }
        let writable = sh_flags & u64::from(object::elf::SHF_WRITE) != 0;
        let zeroed = section.kind() == SectionKind::UninitializedData;
        let in_ram = if avr {
            section.address() >= AVR_DATA
        } else {
            writable
        };
        if in_ram {
            ram += section.size();
            let end = section.address() + section.size();
            if avr && Some(end - AVR_DATA) > static_end {
                static_end = Some(end - AVR_DATA);
            }
        }
        if !in_ram || !zeroed {
            flash += section.size();
        }
    }
    Ok(Weight {
        flash,
        ram,
        static_end,
        heap_top: heap_top_of(&file).filter(|_| avr),
        symbols: symbols_of(&file),
    })
}

fn heap_top_of(file: &object::File<'_>) -> Option<u64> {
    let mut symbols = file.symbols();
    let variable = symbols.find(|symbol| symbol.name() == Ok("__brkval"))?;
    variable.address().checked_sub(AVR_DATA)
}

/// The functions and variables of an image, the largest first.
fn symbols_of(file: &object::File<'_>) -> Vec<Symbol> {
    let avr = file.architecture() == object::Architecture::Avr;
    let mut symbols: Vec<Symbol> = file
        .symbols()
        .filter(|symbol| matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data))
        .filter(|symbol| symbol.size() > 0)
        .filter_map(|symbol| {
            let in_ram = if avr {
                symbol.address() >= AVR_DATA
            } else {
                symbol.kind() == SymbolKind::Data
            };
            let name = symbol.name().ok()?.to_owned();
            Some(Symbol {
                name,
                bytes: symbol.size(),
                in_ram,
            })
        })
        .collect();
    symbols.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    symbols.dedup();
    symbols
}

/// The addresses of an image's marks, for runners that watch addresses
/// (lab/firmware/ports/bare/mark.h).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Addresses where a span begins, where it ends (`end`), and where the agent waits (`wait`).
    pub begin: Vec<u64>,
    pub end: Vec<u64>,
    pub wait: Vec<u64>,
}

/// Reads the marks of the ELF file at `path`.
pub fn marks(path: &Path) -> Result<Marks> {
    let data = read(path)?;
    let bad = |error| not_elf(path, error);
    let file = object::File::parse(&*data).map_err(bad)?;
    let bytes = if file.is_64() { 8 } else { 4 };
    let addresses = |number: u8| -> Result<Vec<u64>> {
        let Some(section) = file.section_by_name(&format!(".selo.mark{number}")) else {
            return Ok(Vec::new());
        };
        let data = section.data().map_err(bad)?;
        let little = |address: &[u8]| {
            let digits = address.iter().rev();
            digits.fold(0, |value, &byte| value << 8 | u64::from(byte))
        };
        Ok(data.chunks_exact(bytes).map(little).collect())
    };
    Ok(Marks {
        begin: addresses(1)?,
        end: addresses(2)?,
        wait: addresses(3)?,
    })
}

/// The addresses of the functions whose names are those of SHA-2, SHA-3 and SHAKE: the first address
/// of each, and the one after its end.
pub fn hash_functions(path: &Path) -> Result<Vec<(u64, u64)>> {
    const NAMES: [&str; 8] = [
        "keccak", "shake", "sha2", "sha3", "sha512", "fips202", "sha_256", "sha_512",
    ];
    let data = read(path)?;
    let bad = |error| not_elf(path, error);
    let file = object::File::parse(&*data).map_err(bad)?;
    // The lowest bit of an address tells that the code is Thumb.
    let thumb = u64::from(file.architecture() == object::Architecture::Arm);
    let texts = || {
        file.symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text)
    };
    let starts: BTreeSet<u64> = texts().map(|symbol| symbol.address() & !thumb).collect();
    let mut found = BTreeSet::new();
    for symbol in texts() {
        let name = symbol.name().unwrap_or_default().to_lowercase();
        let first = symbol.address() & !thumb;
        // Assembly may leave the size out: the function then ends at the next one.
        let next = || starts.range(first + 1..).next().copied().unwrap_or(first);
        let end = match symbol.size() {
            0 => next(),
            size => first + size,
        };
        if NAMES.iter().any(|part| name.contains(part)) && end > first {
            found.insert((first, end));
        }
    }
    Ok(found.into_iter().collect())
}

/// False for sections that only a PC's loader uses: they are not part of the program's size.
fn counts(section: &object::Section<'_, '_>) -> bool {
    let name = section.name().unwrap_or_default();
    !name.starts_with(".note") && !name.starts_with(".gnu.hash") && name != ".interp"
}

impl Weight {
    /// This weight with only the symbols that `other` does not have.
    pub fn without(&self, other: &Weight) -> Weight {
        let symbols = self
            .symbols
            .iter()
            .filter(|symbol| !other.symbols.contains(symbol));
        Weight {
            symbols: symbols.cloned().collect(),
            ..self.clone()
        }
    }

    /// The `count` largest symbols in flash or in RAM.
    pub fn largest(&self, in_ram: bool, count: usize) -> Vec<Part> {
        let symbols = self.symbols.iter();
        let inside = symbols.filter(|symbol| symbol.in_ram == in_ram);
        let parts = inside.take(count).map(|symbol| Part {
            name: symbol.name.clone(),
            bytes: symbol.bytes,
        });
        parts.collect()
    }
}
