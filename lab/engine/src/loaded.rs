//! Loads a library's cipher into this process, as a shared library built from its glue and sources.
//! `selo exchange` uses it to seal messages.

use std::path::PathBuf;

use crate::board::{Board, NATIVE};
use crate::build::Builder;
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::Unit;
use crate::project::Project;

/// The port for shared libraries.
const PORT: &str = "loadable";
/// The longest message, including the bytes that a cipher adds to it.
const LONGEST: u32 = (256 << 20) + (64 << 10);
/// Most bytes that an operation may write beyond the size of its inputs: an IV, padding, a tag.
pub const GROWTH: usize = 64;

/// A unit that was built for this machine and loaded. The glue keeps the key between calls, so
/// there is one key at a time; the caller must provide a lock.
#[derive(Debug)]
pub struct Loaded {
    path: PathBuf,
    library: ffi::Library,
    key_bytes: usize,
}

impl Loaded {
    /// True if a unit can be loaded: a mode or an authenticated cipher with glue in C. Other
    /// interfaces have fields of limited size, and a crate's static library is not
    /// position-independent.
    pub fn can_be(unit: &Unit<'_>) -> bool {
        let cipher = matches!(
            unit.algorithm.interface,
            Interface::ModeEcb | Interface::ModeCbc | Interface::ModeCtr | Interface::Aead
        );
        cipher && unit.library.cargo.is_none()
    }

    /// Builds and loads a unit. The library's sources must have been fetched.
    pub fn build(project: &Project, unit: &Unit<'_>) -> Result<Loaded> {
        let mut board: Board = project.board(NATIVE)?.clone();
        PORT.clone_into(&mut board.port);
        board.agent.io_bytes = LONGEST;
        let image = Builder::new(project, &board)?.agent(unit)?;
        let path = std::path::absolute(&image.path).unwrap_or(image.path);
        // The system loads a file only once, so all users of one file would share one key. Load a
        // copy.
        let own = tempfile::Builder::new()
            .prefix("loading-")
            .tempfile_in(path.parent().unwrap_or(&project.root))
            .and_then(|own| std::fs::copy(&path, own.path()).map(|_| own))
            .map_err(|source| Error::Write {
                path: path.clone(),
                source,
            })?;
        Ok(Loaded {
            library: ffi::Library::load(own.path()).map_err(|message| Error::Load {
                path: path.clone(),
                message,
            })?,
            path,
            key_bytes: unit.algorithm.key_bytes.unwrap_or(0) as usize,
        })
    }

    /// Calls an operation of the agent protocol. Returns its status and the bytes written to `out`.
    /// The call may overwrite `fields`. `out` must have [`GROWTH`] bytes more than all fields
    /// together.
    pub fn call(
        &mut self,
        operation: &str,
        fields: &mut [&mut [u8]],
        out: &mut [u8],
    ) -> Result<(u8, usize)> {
        let given: usize = fields.iter().map(|field| field.len()).sum();
        let failed = |message: String| Error::Load {
            path: self.path.clone(),
            message: format!("{operation}: {message}"),
        };
        if given > LONGEST as usize || out.len() < given + GROWTH {
            return Err(failed(format!("{given} bytes of input are too many")));
        }
        let (status, size) = self
            .library
            .call(operation, fields, out)
            .ok_or_else(|| failed("the library has no such operation".into()))?;
        if size > out.len() {
            return Err(failed(format!(
                "the library says that it wrote {size} bytes, more than the buffer holds"
            )));
        }
        Ok((status, size))
    }
}

/// Overwrites the last key with a key of zeros.
impl Drop for Loaded {
    fn drop(&mut self) {
        let (mut key, mut out) = (vec![0; self.key_bytes], vec![0; self.key_bytes + GROWTH]);
        let _ = self.call("key-setup", &mut [&mut key], &mut out);
    }
}

/// The only unsafe code: loading the library, and the call.
mod ffi {
    #![allow(
        unsafe_code,
        reason = "calling a library that was just built; each call says why it is sound"
    )]

    use std::ffi::{CString, c_char, c_int};
    use std::path::Path;

    /// `struct agent_field` with AGENT_SIZE of 32 bits.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Field {
        data: *mut u8,
        size: u32,
    }

    type Call = unsafe extern "C" fn(*const c_char, *const Field, u32, *mut u8, *mut u32) -> c_int;

    #[derive(Debug)]
    pub struct Library {
        call: Call,
        /// Keeps the code of `call` loaded.
        _library: libloading::Library,
    }

    impl Library {
        pub fn load(path: &Path) -> Result<Library, String> {
            // SAFETY: the library was built from lab/firmware/ports/loadable and a library's
            // sources. At load time, only the C library's own initialisation runs.
            let library = unsafe { libloading::Library::new(path) };
            let library = library.map_err(|error| error.to_string())?;
            // SAFETY: this is the function's type in lab/firmware/ports/loadable/port.c.
            let call = unsafe { library.get::<Call>(b"selo_loadable_call\0") };
            let call = *call.map_err(|error| error.to_string())?;
            Ok(Library {
                call,
                _library: library,
            })
        }

        /// `None` if the library lacks the operation.
        pub fn call(
            &mut self,
            operation: &str,
            fields: &mut [&mut [u8]],
            out: &mut [u8],
        ) -> Option<(u8, usize)> {
            let operation = CString::new(operation).ok()?;
            let mut given = Vec::with_capacity(fields.len());
            for field in fields {
                given.push(Field {
                    data: field.as_mut_ptr(),
                    size: u32::try_from(field.len()).ok()?,
                });
            }
            let count = u32::try_from(given.len()).ok()?;
            let mut size = 0;
            // SAFETY: every pointer comes from a slice that outlives the call, with its size. The
            // caller of this module has checked the room in `out`. `&mut self` guarantees that no
            // other call runs in the library, whose state is static.
            let status = unsafe {
                (self.call)(
                    operation.as_ptr(),
                    given.as_ptr(),
                    count,
                    out.as_mut_ptr(),
                    &raw mut size,
                )
            };
            Some((u8::try_from(status).ok()?, size as usize))
        }
    }
}
