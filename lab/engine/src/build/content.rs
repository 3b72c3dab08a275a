//! The contents of an image.

/// What an image has beside the sources of the port.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// The library with its glue.
    Library,
    /// The same by the flags of a whole program.
    Whole,
    /// The same as `Library`, with the sources that count the heap.
    Heap,
    /// Neither library nor glue.
    Nothing,
}

/// The definition of the size of the agent's buffers.
pub(super) const BUFFERS: &str = "-DAGENT_IO_BYTES=";
