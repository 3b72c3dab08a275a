//! Nodes of the link: the library's node in any suite, with a device implemented in Rust.

use std::ffi::{c_uint, c_void};
use std::fmt;

use super::declarations::{RandomFn, Status};
use super::memory::wipe;
use crate::{Error, status};

/// Maximum size of a frame in bytes.
pub const FRAME_MAX: usize = 58;
/// Maximum payload of [`Node::send`] in bytes; 33 with wide ids and long tags.
pub const PAYLOAD_MAX: usize = 43;
/// Size of the record that survives power cuts, in bytes.
pub const RECORD_BYTES: usize = 76;

/// The suite that a node is compiled with, under its code in selo.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suite {
    /// `aesgcm-sha3-256`: the primitives of the paper.
    AesGcmSha3_256 = 1,
    /// `chachapoly-blake2s`: the default.
    ChaChaPolyBlake2s = 2,
    /// `aesgcm-sha256`.
    AesGcmSha256 = 3,
    /// `ascon`.
    Ascon = 4,
}

impl Suite {
    /// All suites, in the order of their codes.
    pub const ALL: [Self; 4] = [
        Self::AesGcmSha3_256,
        Self::ChaChaPolyBlake2s,
        Self::AesGcmSha256,
        Self::Ascon,
    ];

    /// The byte that names the suite in frames and records.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The suite with a code; `None` for an unknown code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.code() == code)
    }

    fn table(self, pairing: Pairing) -> &'static Table {
        let tables = match self {
            Self::AesGcmSha3_256 => [
                &selo_sys_node_suite1,
                &selo_sys_node_suite1_mlkem512,
                &selo_sys_node_suite1_mlkem768,
            ],
            Self::ChaChaPolyBlake2s => [
                &selo_sys_node_suite2,
                &selo_sys_node_suite2_mlkem512,
                &selo_sys_node_suite2_mlkem768,
            ],
            Self::AesGcmSha256 => [
                &selo_sys_node_suite3,
                &selo_sys_node_suite3_mlkem512,
                &selo_sys_node_suite3_mlkem768,
            ],
            Self::Ascon => [
                &selo_sys_node_suite4,
                &selo_sys_node_suite4_mlkem512,
                &selo_sys_node_suite4_mlkem768,
            ],
        };
        tables[pairing as usize]
    }
}

/// The way in which a node pairs: `SELO_LINK_HYBRID` in selo.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// With X25519 alone.
    X25519 = 0,
    /// With X25519 and ML-KEM-512.
    MlKem512 = 1,
    /// With X25519 and ML-KEM-768.
    MlKem768 = 2,
}

impl Pairing {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::X25519, Self::MlKem512, Self::MlKem768];
}

/// The device of a node: `struct selo_hal`. A panic in a call aborts the process, because it
/// cannot unwind through C.
pub trait Hal {
    /// Sends one frame. Returns an error if the transport does not accept it.
    fn send(&mut self, frame: &[u8]) -> Result<(), Error>;
    /// Writes the next received frame to `frame` and returns its size; 0 if there is none.
    fn receive(&mut self, frame: &mut [u8; FRAME_MAX]) -> usize;
    /// Milliseconds since any start; wraps around.
    fn milliseconds(&mut self) -> u32;
    /// Fills `out` with the entropy that the device has.
    fn entropy(&mut self, out: &mut [u8]) -> Result<(), Error>;
    /// Returns the last stored record, `None` if there is none, or an error if this is unknown.
    fn load(&mut self) -> Result<Option<[u8; RECORD_BYTES]>, Error>;
    /// Stores the whole record or nothing.
    fn store(&mut self, record: &[u8; RECORD_BYTES]) -> Result<(), Error>;
}

/// An event of [`Node::poll`]: `enum selo_node_event`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Compare these six digits with the gateway's, then call [`Node::confirm`].
    Digits(u32),
    /// The device key is stored.
    Paired,
    /// Rejected, timed out, or the peer misbehaved.
    PairFailed,
    /// A new session has started.
    Joined,
    /// A payload from the gateway.
    Received(Vec<u8>),
    /// The gateway has acknowledged the confirmed payload.
    Delivered,
    /// The confirmed payload was not acknowledged, or its session ended first.
    Undelivered,
    /// The session has ended or the gateway does not answer; the node joins again on its own.
    Lost,
}

/// A node of one suite. Its calls are those of selo.h, which documents them.
pub struct Node {
    table: &'static Table,
    suite: Suite,
    /// `struct selo_node`. It is all zero until `begin`; such a node refuses every call.
    memory: Box<[u64]>,
    /// C reads it through the pointer from `begin`, so it must not move.
    hal: Box<SeloHal>,
    /// The owned device, from `Box::into_raw`; `hal.context` is the same pointer.
    device: *mut Device,
}

type Device = Box<dyn Hal + Send>;

// SAFETY: the node owns its memory and its device, which is Send. C has no other state and
// does not depend on the thread.
unsafe impl Send for Node {}

impl Node {
    /// Makes a node, without calling `begin`.
    #[must_use]
    pub fn new(suite: Suite, device: Box<dyn Hal + Send>) -> Self {
        Self::with_pairing(suite, Pairing::X25519, device)
    }

    /// Makes a node that pairs in this way. Its memory includes the workspace.
    #[must_use]
    pub fn with_pairing(suite: Suite, pairing: Pairing, device: Box<dyn Hal + Send>) -> Self {
        let table = suite.table(pairing);
        let device = Box::into_raw(Box::new(device));
        Self {
            table,
            suite,
            memory: vec![0; table.size.div_ceil(size_of::<u64>())].into_boxed_slice(),
            hal: Box::new(SeloHal {
                context: device.cast(),
                send,
                receive,
                milliseconds,
                entropy,
                load,
                store,
            }),
            device,
        }
    }

    /// The suite of this node.
    #[must_use]
    pub fn suite(&self) -> Suite {
        self.suite
    }

    /// `selo_node_begin`: loads or makes the record. A second call starts anew.
    pub fn begin(&mut self) -> Result<(), Error> {
        // SAFETY: the memory has the size of the node; the table outlives it and its functions
        // take the device behind its context.
        status(unsafe { (self.table.begin)(self.pointer(), &raw const *self.hal) })
    }

    /// `selo_node_provision`: sets the id and key without pairing.
    pub fn provision(&mut self, id: u32, key: &[u8; 32]) -> Result<(), Error> {
        // SAFETY: the memory is a node, begun or all zero. The calls below rely on this too.
        status(unsafe { (self.table.provision)(self.pointer(), id, key) })
    }

    /// `selo_node_pair`.
    pub fn pair(&mut self) -> Result<(), Error> {
        // SAFETY: as above.
        status(unsafe { (self.table.pair)(self.pointer()) })
    }

    /// `selo_node_digits`: 0 unless a pairing waits for the comparison.
    #[must_use]
    pub fn digits(&self) -> u32 {
        // SAFETY: as above.
        unsafe { (self.table.digits)(self.pointer_const()) }
    }

    /// `selo_node_confirm`: `same` says that the digits are equal.
    pub fn confirm(&mut self, same: bool) -> Result<(), Error> {
        // SAFETY: as above.
        status(unsafe { (self.table.confirm)(self.pointer(), same.into()) })
    }

    /// `selo_node_join`.
    pub fn join(&mut self) -> Result<(), Error> {
        // SAFETY: as above.
        status(unsafe { (self.table.join)(self.pointer()) })
    }

    /// `selo_node_send`; a confirmed payload is repeated until it is acknowledged.
    pub fn send(&mut self, payload: &[u8], confirmed: bool) -> Result<(), Error> {
        let size = u8::try_from(payload.len()).map_err(|_| Error::Space)?;
        // SAFETY: as above, and the slice has that size.
        status(unsafe {
            (self.table.send)(
                self.pointer(),
                payload.as_ptr().cast(),
                size,
                confirmed.into(),
            )
        })
    }

    /// `selo_node_poll`. Call it again at once until it returns `None`.
    pub fn poll(&mut self) -> Option<Event> {
        // SAFETY: as above.
        match unsafe { (self.table.poll)(self.pointer()) } {
            1 => Some(Event::Digits(self.digits())),
            2 => Some(Event::Paired),
            3 => Some(Event::PairFailed),
            4 => Some(Event::Joined),
            5 => Some(Event::Received(self.received())),
            6 => Some(Event::Delivered),
            7 => Some(Event::Undelivered),
            8 => Some(Event::Lost),
            _ => None,
        }
    }

    /// True if the node has a device key.
    #[must_use]
    pub fn is_paired(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.table.is_paired)(self.pointer_const()) != 0 }
    }

    /// True if the node has a session.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.table.is_joined)(self.pointer_const()) != 0 }
    }

    /// The device id; 0 before `begin`.
    #[must_use]
    pub fn id(&self) -> u32 {
        // SAFETY: as above.
        unsafe { (self.table.id)(self.pointer_const()) }
    }

    /// `selo_node_forget`: wipes keys and the stored record.
    pub fn forget(&mut self) -> Result<(), Error> {
        // SAFETY: as above.
        status(unsafe { (self.table.forget)(self.pointer()) })
    }

    fn received(&self) -> Vec<u8> {
        let mut size = 0;
        // SAFETY: as above; C returns a pointer into the node and the number of its bytes.
        unsafe {
            let bytes = (self.table.received)(self.pointer_const(), &raw mut size);
            std::slice::from_raw_parts(bytes, size.into()).to_vec()
        }
    }

    fn pointer(&mut self) -> *mut c_void {
        self.memory.as_mut_ptr().cast()
    }

    fn pointer_const(&self) -> *const c_void {
        self.memory.as_ptr().cast()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // SAFETY: the slice of u64 has that many bytes, and zeros are valid values.
        wipe(unsafe {
            std::slice::from_raw_parts_mut(
                self.memory.as_mut_ptr().cast(),
                size_of_val(&*self.memory),
            )
        });
        // SAFETY: it came from Box::into_raw, and C is not called again.
        drop(unsafe { Box::from_raw(self.device) });
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("suite", &self.suite)
            .field("id", &format_args!("{:08x}", self.id()))
            .finish_non_exhaustive()
    }
}

/// `struct selo_hal`.
#[repr(C)]
struct SeloHal {
    context: *mut c_void,
    send: unsafe extern "C" fn(*mut c_void, *const u8, u8) -> Status,
    receive: unsafe extern "C" fn(*mut c_void, *mut [u8; FRAME_MAX]) -> u8,
    milliseconds: unsafe extern "C" fn(*mut c_void) -> u32,
    entropy: RandomFn,
    load: unsafe extern "C" fn(*mut c_void, *mut [u8; RECORD_BYTES]) -> Status,
    store: unsafe extern "C" fn(*mut c_void, *const [u8; RECORD_BYTES]) -> Status,
}

/// `struct selo_sys_node` of node_shim.c.
#[repr(C)]
struct Table {
    size: usize,
    begin: unsafe extern "C" fn(*mut c_void, *const SeloHal) -> Status,
    provision: unsafe extern "C" fn(*mut c_void, u32, *const [u8; 32]) -> Status,
    pair: unsafe extern "C" fn(*mut c_void) -> Status,
    digits: unsafe extern "C" fn(*const c_void) -> u32,
    confirm: unsafe extern "C" fn(*mut c_void, u8) -> Status,
    join: unsafe extern "C" fn(*mut c_void) -> Status,
    send: unsafe extern "C" fn(*mut c_void, *const c_void, u8, u8) -> Status,
    poll: unsafe extern "C" fn(*mut c_void) -> c_uint,
    is_paired: unsafe extern "C" fn(*const c_void) -> u8,
    is_joined: unsafe extern "C" fn(*const c_void) -> u8,
    id: unsafe extern "C" fn(*const c_void) -> u32,
    forget: unsafe extern "C" fn(*mut c_void) -> Status,
    received: unsafe extern "C" fn(*const c_void, *mut u8) -> *const u8,
}

// SAFETY: node_shim.c defines these constants, one for each suite and way of pairing.
unsafe extern "C" {
    safe static selo_sys_node_suite1: Table;
    safe static selo_sys_node_suite1_mlkem512: Table;
    safe static selo_sys_node_suite1_mlkem768: Table;
    safe static selo_sys_node_suite2: Table;
    safe static selo_sys_node_suite2_mlkem512: Table;
    safe static selo_sys_node_suite2_mlkem768: Table;
    safe static selo_sys_node_suite3: Table;
    safe static selo_sys_node_suite3_mlkem512: Table;
    safe static selo_sys_node_suite3_mlkem768: Table;
    safe static selo_sys_node_suite4: Table;
    safe static selo_sys_node_suite4_mlkem512: Table;
    safe static selo_sys_node_suite4_mlkem768: Table;
}

/// The device behind the context that C passes back.
///
/// # Safety
///
/// C only calls back inside a call of [`Node`], which borrows the node mutably. So there is no
/// other reference to the device.
unsafe fn device<'a>(context: *mut c_void) -> &'a mut Device {
    // SAFETY: new() made the context from a device that lives as long as the node.
    unsafe { &mut *context.cast() }
}

fn number(result: Result<(), Error>) -> Status {
    result.map_or_else(Error::number, |()| 0)
}

unsafe extern "C" fn send(context: *mut c_void, frame: *const u8, size: u8) -> Status {
    // SAFETY: `frame` points to `size` bytes of C.
    number(unsafe { device(context).send(std::slice::from_raw_parts(frame, size.into())) })
}

unsafe extern "C" fn receive(context: *mut c_void, frame: *mut [u8; FRAME_MAX]) -> u8 {
    // SAFETY: C has room for the longest frame, all of it initialised.
    let size = unsafe { device(context).receive(&mut *frame) };
    u8::try_from(size).unwrap_or(0)
}

unsafe extern "C" fn milliseconds(context: *mut c_void) -> u32 {
    // SAFETY: see device().
    unsafe { device(context).milliseconds() }
}

unsafe extern "C" fn entropy(context: *mut c_void, out: *mut u8, size: usize) -> Status {
    // SAFETY: C has room for `size` bytes; they are initialised here before they are lent.
    number(unsafe {
        out.write_bytes(0, size);
        device(context).entropy(std::slice::from_raw_parts_mut(out, size))
    })
}

unsafe extern "C" fn load(context: *mut c_void, record: *mut [u8; RECORD_BYTES]) -> Status {
    // SAFETY: C has room for a record.
    match unsafe { device(context).load() } {
        Ok(Some(stored)) => {
            // SAFETY: as above.
            unsafe { record.write(stored) };
            0
        }
        Ok(None) => Error::Store.number(),
        // Any other status tells C that the state of the record is unknown.
        Err(_) => Error::Argument.number(),
    }
}

unsafe extern "C" fn store(context: *mut c_void, record: *const [u8; RECORD_BYTES]) -> Status {
    // SAFETY: C stores a whole record.
    number(unsafe { device(context).store(&*record) })
}
