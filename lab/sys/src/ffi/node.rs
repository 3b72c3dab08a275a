//! Nodes of the link: the library's node of any suite, with a device made in Rust.

use std::ffi::{c_uint, c_void};
use std::fmt;

use super::declarations::{RandomFn, Status};
use super::memory::wipe;
use crate::{Error, status};

/// Bytes of the longest frame.
pub const FRAME_MAX: usize = 58;
/// Bytes of the longest payload that [`Node::send`] takes; 33 with wide ids and long tags.
pub const PAYLOAD_MAX: usize = 43;
/// Bytes of the record that survives power cuts.
pub const RECORD_BYTES: usize = 76;

/// What a node is compiled with, as selo.h numbers it.
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
    /// All of them, in the order of their codes.
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

    /// The suite of a code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.code() == code)
    }

    fn table(self) -> &'static Table {
        match self {
            Self::AesGcmSha3_256 => &selo_sys_node_suite1,
            Self::ChaChaPolyBlake2s => &selo_sys_node_suite2,
            Self::AesGcmSha256 => &selo_sys_node_suite3,
            Self::Ascon => &selo_sys_node_suite4,
        }
    }
}

/// What a node asks of its device: `struct selo_hal`. A call that panics aborts the process,
/// because C cannot be unwound.
pub trait Hal {
    /// Sends one frame; an error if it could not be taken.
    fn send(&mut self, frame: &[u8]) -> Result<(), Error>;
    /// Puts the next frame received into `frame` and returns its size, 0 if there is none.
    fn receive(&mut self, frame: &mut [u8; FRAME_MAX]) -> usize;
    /// Milliseconds from any start; wraps.
    fn milliseconds(&mut self) -> u32;
    /// Fills `out` with whatever entropy the device has.
    fn entropy(&mut self, out: &mut [u8]) -> Result<(), Error>;
    /// The last record stored, `None` if there is none; an error if that cannot be told.
    fn load(&mut self) -> Result<Option<[u8; RECORD_BYTES]>, Error>;
    /// Stores the record, all of it or nothing.
    fn store(&mut self, record: &[u8; RECORD_BYTES]) -> Result<(), Error>;
}

/// What [`Node::poll`] has to say: `enum selo_node_event`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Compare these six digits with the gateway's, then call [`Node::confirm`].
    Digits(u32),
    /// The device key is stored.
    Paired,
    /// Rejected, timed out, or the peer misbehaved.
    PairFailed,
    /// A new session.
    Joined,
    /// A payload from the gateway.
    Received(Vec<u8>),
    /// The gateway has acknowledged the confirmed payload.
    Delivered,
    /// The confirmed payload was not acknowledged, or its session ended before.
    Undelivered,
    /// The session has ended or is not answered; the node joins again by itself.
    Lost,
}

/// A node of one suite. The calls are those of selo.h, which is their manual.
pub struct Node {
    table: &'static Table,
    suite: Suite,
    /// `struct selo_node`, all-zero until begun, which is a node that refuses everything.
    memory: Box<[u64]>,
    /// Read by C through the pointer that begin gave it, so it must not move.
    hal: Box<SeloHal>,
    /// The device, owned, from `Box::into_raw`; `hal.context` is the same pointer.
    device: *mut Device,
}

type Device = Box<dyn Hal + Send>;

// SAFETY: the node owns its memory and its device, which is Send; C keeps no state elsewhere
// and no thread's identity.
unsafe impl Send for Node {}

impl Node {
    /// A node that has not begun.
    #[must_use]
    pub fn new(suite: Suite, device: Box<dyn Hal + Send>) -> Self {
        let table = suite.table();
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

    /// `selo_node_begin`: loads or makes the record. Begins anew if called again.
    pub fn begin(&mut self) -> Result<(), Error> {
        // SAFETY: the memory has the size of the node; the table outlives it and its functions
        // take the device behind its context.
        status(unsafe { (self.table.begin)(self.pointer(), &raw const *self.hal) })
    }

    /// `selo_node_provision`: the id and key by hand.
    pub fn provision(&mut self, id: u32, key: &[u8; 32]) -> Result<(), Error> {
        // SAFETY: the memory is a node, begun or zero; so below.
        status(unsafe { (self.table.provision)(self.pointer(), id, key) })
    }

    /// `selo_node_pair`.
    pub fn pair(&mut self) -> Result<(), Error> {
        // SAFETY: as above.
        status(unsafe { (self.table.pair)(self.pointer()) })
    }

    /// `selo_node_digits`: 0 unless a pairing is being compared.
    #[must_use]
    pub fn digits(&self) -> u32 {
        // SAFETY: as above.
        unsafe { (self.table.digits)(self.pointer_const()) }
    }

    /// `selo_node_confirm`: whether the digits are the same.
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

    /// `selo_node_poll`. Call it again at once while it says anything.
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

    /// Whether there is a device key.
    #[must_use]
    pub fn is_paired(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.table.is_paired)(self.pointer_const()) != 0 }
    }

    /// Whether there is a session.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.table.is_joined)(self.pointer_const()) != 0 }
    }

    /// The device id; 0 before begin.
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
        // SAFETY: as above; C answers with bytes inside the node, so many of them.
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
        // SAFETY: a slice of u64 is as many bytes, and zeros are its values.
        wipe(unsafe {
            std::slice::from_raw_parts_mut(
                self.memory.as_mut_ptr().cast(),
                size_of_val(&*self.memory),
            )
        });
        // SAFETY: it came from Box::into_raw, and C is not called any more.
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

// SAFETY: node_shim.c defines these constants, one for each suite.
unsafe extern "C" {
    safe static selo_sys_node_suite1: Table;
    safe static selo_sys_node_suite2: Table;
    safe static selo_sys_node_suite3: Table;
    safe static selo_sys_node_suite4: Table;
}

/// The device behind the context that C hands back.
///
/// # Safety
///
/// C calls only from within a call of [`Node`] that borrows it mutably, so nobody else has the
/// device.
unsafe fn device<'a>(context: *mut c_void) -> &'a mut Device {
    // SAFETY: new() made the context of a device that lives as long as the node.
    unsafe { &mut *context.cast() }
}

fn number(result: Result<(), Error>) -> Status {
    result.map_or_else(Error::number, |()| 0)
}

unsafe extern "C" fn send(context: *mut c_void, frame: *const u8, size: u8) -> Status {
    // SAFETY: C sends frames of that size.
    number(unsafe { device(context).send(std::slice::from_raw_parts(frame, size.into())) })
}

unsafe extern "C" fn receive(context: *mut c_void, frame: *mut [u8; FRAME_MAX]) -> u8 {
    // SAFETY: C has room for the longest frame, all of it initialised.
    let size = unsafe { device(context).receive(&mut *frame) };
    u8::try_from(size).unwrap_or(0)
}

unsafe extern "C" fn milliseconds(context: *mut c_void) -> u32 {
    // SAFETY: as device() says.
    unsafe { device(context).milliseconds() }
}

unsafe extern "C" fn entropy(context: *mut c_void, out: *mut u8, size: usize) -> Status {
    // SAFETY: C has room for so many bytes; they are initialised here before they are lent.
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
        // Any other number says that nobody knows whether there is one.
        Err(_) => Error::Argument.number(),
    }
}

unsafe extern "C" fn store(context: *mut c_void, record: *const [u8; RECORD_BYTES]) -> Status {
    // SAFETY: C stores a whole record.
    number(unsafe { device(context).store(&*record) })
}
