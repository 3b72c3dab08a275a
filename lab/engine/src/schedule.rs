//! Runs units on several threads, returns the results in order, and stops at the first error of the
//! machine or at Ctrl-C.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use crate::error::{Error, Result};

/// Returns `Err(Interrupted)` after Ctrl-C.
pub fn check_interrupt() -> Result<()> {
    selo_base::interrupt::check().map_err(|_| Error::Interrupted)
}

/// Progress of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Work on the item with this index began.
    Started(usize),
    /// Work on the item with this index ended.
    Finished(usize),
}

/// Calls `work` for 0..count on `threads` threads. `done` gets each result at once, in any order;
/// `in_order` gets the results in the order of the items. Returns the first error of `work`, `done`
/// or `in_order`.
pub fn run<T: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> Result<T> + Sync,
    mut event: impl FnMut(Event),
    mut done: impl FnMut(&T) -> Result<()>,
    mut in_order: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    enum Message<T> {
        Started(usize),
        Finished(usize, Result<T>),
    }
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (send, receive) = channel();
        for worker in 0..threads.clamp(1, count.max(1)) {
            let (send, next, stop, work) = (send.clone(), &next, &stop, &work);
            scope.spawn(move || {
                stay_on_one_core(worker);
                while !stop.load(Ordering::Relaxed) && check_interrupt().is_ok() {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || send.send(Message::Started(index)).is_err() {
                        break;
                    }
                    let result = work(index);
                    if send.send(Message::Finished(index, result)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut results = InOrder::default();
        let mut first_error = None;
        for message in receive {
            match message {
                Message::Started(index) => event(Event::Started(index)),
                Message::Finished(index, result) => {
                    event(Event::Finished(index));
                    let kept = result.and_then(|value| {
                        done(&value)?;
                        match first_error {
                            None => results.add(index, value, &mut in_order),
                            Some(_) => Ok(()),
                        }
                    });
                    if let Err(error) = kept {
                        stop.store(true, Ordering::Relaxed);
                        first_error.get_or_insert(error);
                    }
                }
            }
        }
        // Ctrl-C also kills the runners, which then fail. Report the interrupt first.
        check_interrupt()?;
        first_error.map_or(Ok(()), Err)
    })
}

/// Results that wait for those of earlier items.
struct InOrder<T> {
    waiting: BTreeMap<usize, T>,
    /// The index of the next result to pass on.
    following: usize,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        InOrder {
            waiting: BTreeMap::new(),
            following: 0,
        }
    }
}

impl<T> InOrder<T> {
    /// Adds a result, and passes on all that are next.
    fn add(
        &mut self,
        index: usize,
        value: T,
        pass_on: &mut impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        self.waiting.insert(index, value);
        while let Some(value) = self.waiting.remove(&self.following) {
            self.following += 1;
            pass_on(value)?;
        }
        Ok(())
    }
}

/// Keeps the calling thread, and the programs that it starts, on one core. A worker and its image
/// take turns millions of times: waking each other on another core costs more than the work, and a
/// move to another core disturbs wall-clock figures.
fn stay_on_one_core(worker: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    // Where the system does not support this, continue without it.
    let Ok(allowed) = sched_getaffinity(None) else {
        return;
    };
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU)
        .filter(|&core| allowed.is_set(core))
        .collect();
    if let Some(core) = cores.get(worker % cores.len().max(1)) {
        let mut one = CpuSet::new();
        one.set(*core);
        let _ = sched_setaffinity(None, &one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_finishes_first() {
        let mut seen = Vec::new();
        let work = |index: usize| {
            std::thread::sleep(std::time::Duration::from_millis(20 - 2 * index as u64));
            Ok(index)
        };
        run(
            8,
            4,
            work,
            |_| {},
            |_| Ok(()),
            |index| {
                seen.push(index);
                Ok(())
            },
        )
        .expect("no error");
        assert_eq!(seen, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_stops_the_work_and_keeps_what_was_done() {
        let mut kept = Vec::new();
        let work = |index: usize| {
            if index == 2 {
                Err(Error::Agent("broken".into()))
            } else {
                Ok(index)
            }
        };
        let result = run(
            1000,
            1,
            work,
            |_| {},
            |&index| {
                kept.push(index);
                Ok(())
            },
            |_| Ok(()),
        );
        assert!(result.is_err());
        assert!(kept.starts_with(&[0, 1]) && kept.len() < 1000);
    }
}
