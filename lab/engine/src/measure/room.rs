//! Room beside the agent: its buffers shrink until the image fits the board, and until no call runs
//! out of stack. The library's code and its cycles are the same with any buffers.

use selo_vectors::{Case, CaseResult};

use super::lab::Lab;
use crate::build::Image;
use crate::elf::Weight;
use crate::error::{Error, Result};
use crate::library::Unit;

/// Buffers that are tried in place of larger ones, in bytes. The last takes a block with its IV and
/// padding, and an agent's description of itself.
const SMALLER: [u32; 3] = [192, 128, 96];

/// Bytes of RAM that shrunk buffers leave for the stack.
const STACK: u64 = 160;

/// The message of a call that ran out of stack or heap.
pub(crate) fn lacks_room(error: &Error) -> Option<String> {
    let Error::Stopped(stop) = error else {
        return None;
    };
    let text = stop.to_string();
    let lacks = text.contains("stack-collision") || text.contains(crate::agent::HEAP_EXHAUSTED);
    lacks.then_some(text)
}

/// True if an image may call the heap: the linker drops functions that nothing calls, with their
/// names.
fn allocates(image: &Image) -> bool {
    // The end of malloc, calloc and realloc.
    const END: &[u8] = b"alloc\0";
    std::fs::read(&image.path).is_ok_and(|bytes| bytes.windows(END.len()).any(|at| at == END))
}

impl Lab<'_> {
    /// The lack of heap that explains a case that failed or stopped the image. Not every port sees that
    /// an allocation is refused, and a library may go on without the memory, or never return. So
    /// the image that counts the heap runs the case again, and ends it at the first refusal.
    pub(crate) fn lack_of_heap(&self, unit: &Unit<'_>, case: &Case) -> Option<Error> {
        let image = self.image_with_heap(unit)?;
        let mut agent = self.start_agent(unit, &image).ok()?;
        agent.stops_at_refusal = true;
        agent.run_case(case).err()?;
        agent
            .take_error()
            .filter(|error| lacks_room(error).is_some())
    }

    /// The image that counts the heap, if the library allocates and the image fits the board.
    pub(super) fn image_with_heap(&self, unit: &Unit<'_>) -> Option<Image> {
        let image = self.builder.agent_with_heap(unit)?.ok()?;
        let fits = self.excess_of(&image.weight).is_none();
        (fits && allocates(&image)).then_some(image)
    }

    /// True if each call of a unit keeps memory of the heap. A device with so little memory makes few
    /// such calls in its life, but the lab makes hundreds: they need a fresh image each time, or the
    /// heap is full after some. Found by a case that runs twice in one image: more memory is in use
    /// after the second run, or it has none left. `image` is any image of the unit.
    pub(crate) fn keeps_memory(&self, unit: &Unit<'_>, image: &Image) -> bool {
        // Few libraries allocate, and the others need no image that counts the heap.
        let may_run_out = self.board.memory.is_some() && allocates(image);
        may_run_out && self.memory_grows(unit).unwrap_or(false)
    }

    /// `None` if the heap cannot be counted, or no case passes.
    fn memory_grows(&self, unit: &Unit<'_>) -> Option<bool> {
        let image = self.image_with_heap(unit)?;
        let algorithm = &unit.algorithm.name;
        let mut agent = self.start_agent(unit, &image).ok()?;
        for set in self.catalog.sets_for(algorithm) {
            let cases = set.cases(algorithm).ok()?;
            let Some(case) = cases.iter().find(|case| !unit.leaves_to_caller(case)) else {
                continue;
            };
            if !matches!(agent.run_case(case), Ok(CaseResult::Pass)) {
                return None;
            }
            let first = agent.heap_in_use().ok()?;
            agent.stops_at_refusal = true;
            let refused = agent.run_case(case).is_err()
                && agent.take_error().is_some_and(|e| lacks_room(&e).is_some());
            return Some(refused || agent.heap_in_use().ok()? > first);
        }
        None
    }

    /// The sizes of the agent's buffers that may be tried: the board's own, then smaller ones. Only
    /// a board with a memory of known size can lack room.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = u32> {
        let own = self.board.agent.io_bytes;
        let has_limit = self.board.memory.is_some();
        let smaller = SMALLER.into_iter();
        let smaller = smaller.filter(move |bytes| has_limit && *bytes < own);
        std::iter::once(own).chain(smaller)
    }

    /// The agent's image with the board's own buffers, if it fits the board; else with the largest
    /// that leave a stack; else the one with the board's own.
    pub(crate) fn agent_in_room(&self, unit: &Unit<'_>) -> Result<Image> {
        let first = self.builder.agent(unit)?;
        if self.excess_of(&first.weight).is_none() {
            return Ok(first);
        }
        for bytes in self.buffers().skip(1) {
            let image = match self.builder.agent_with_buffers(unit, bytes) {
                Ok(image) => image,
                // The names of this unit do not fit such buffers.
                Err(Error::Compile { .. }) => break,
                Err(error) => return Err(error),
            };
            let with_stack = Weight {
                ram: image.weight.ram + STACK,
                ..image.weight.clone()
            };
            if self.excess_of(&with_stack).is_none() {
                return Ok(image);
            }
        }
        Ok(first)
    }
}
