//! The parts that an implementation keeps: public key, private key, and what it made.

use selo_vectors::status;

#[derive(Default)]
pub struct Parts(pub [Vec<u8>; 3]);

impl Parts {
    /// Makes room for parts of these sizes.
    pub fn resize(&mut self, sizes: [usize; 3]) {
        for (part, size) in self.0.iter_mut().zip(sizes) {
            part.resize(size, 0);
        }
    }

    /// Status and output of `load` and `fetch`. `None` for another operation.
    pub fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Option<(u8, Vec<u8>)> {
        let room = |part: u8, offset: &[u8], size: usize| {
            let (part, at) = (usize::from(part), number(offset));
            (part, at..at + size)
        };
        Some(match (operation, inputs) {
            ("load", [[part], offset, piece]) => {
                let (part, room) = room(*part, offset, piece.len());
                match self.0[part].get_mut(room) {
                    Some(bytes) => bytes.copy_from_slice(piece),
                    None => return Some((status::ARGUMENT, Vec::new())),
                }
                (status::OK, Vec::new())
            }
            ("fetch", [[part], offset, size]) => {
                let (part, room) = room(*part, offset, number(size));
                match self.0[part].get(room) {
                    Some(bytes) => (status::OK, bytes.to_vec()),
                    None => (status::ARGUMENT, Vec::new()),
                }
            }
            _ => return None,
        })
    }
}

/// A number of two bytes.
pub fn number(bytes: &[u8]) -> usize {
    usize::from(u16::from_be_bytes([bytes[0], bytes[1]]))
}
