//! Queue for password hashing. Each computation takes 19 MiB and one core for a moment, and any
//! stranger may request one. A few run at a time, some wait, and the rest are refused.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// Maximum simultaneous computations.
pub const AT_ONCE: usize = 2;
/// Maximum waiting logins.
pub const QUEUE: usize = 32;
/// Maximum waiting logins of one address.
pub const OF_ADDRESS: usize = 4;
/// Longest time that a login waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// The running and the waiting logins.
#[derive(Debug, Default)]
pub struct Gate(Mutex<Line>);

#[derive(Debug, Default)]
struct Line {
    running: usize,
    waiting: Vec<Waiter>,
    /// True if the last turn went to a recognised browser.
    known_last: bool,
}

#[derive(Debug)]
struct Waiter {
    address: IpAddr,
    known: bool,
    start: oneshot::Sender<Turn>,
}

/// Permission to compute. Dropping it starts the next login.
#[derive(Debug)]
pub struct Turn {
    /// `None` if the waiter had left before it got the turn.
    gate: Option<Arc<Gate>>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(gate) = self.gate.take() {
            gate.finish();
        }
    }
}

impl Gate {
    fn line(&self) -> MutexGuard<'_, Line> {
        // The queue is consistent even if a thread panicked while it held the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(self: &Arc<Self>) -> Turn {
        Turn {
            gate: Some(self.clone()),
        }
    }

    /// Waits for a turn. Returns `None` if too many are waiting or the wait is too long. `known`
    /// marks a recognised browser, which does not wait behind strangers.
    pub async fn enter(self: &Arc<Self>, address: IpAddr, known: bool) -> Option<Turn> {
        let waiting = {
            let mut line = self.line();
            line.waiting.retain(|waiter| !waiter.start.is_closed());
            if line.running < AT_ONCE {
                line.running += 1;
                return Some(self.turn());
            }
            if !line.make_room(address, known) {
                return None;
            }
            let (start, waiting) = oneshot::channel();
            line.waiting.push(Waiter {
                address,
                known,
                start,
            });
            waiting
        };
        tokio::time::timeout(PATIENCE, waiting).await.ok()?.ok()
    }

    fn finish(self: &Arc<Self>) {
        let mut line = self.line();
        line.running -= 1;
        while let Some(next) = line.next() {
            let Err(mut unwanted) = next.start.send(self.turn()) else {
                line.running += 1;
                return;
            };
            unwanted.gate = None;
        }
    }
}

impl Line {
    /// Makes room for one more login. When the queue is full, one of the waiting logins and the
    /// new one loses at random, so nobody can keep the queue by being early.
    fn make_room(&mut self, address: IpAddr, known: bool) -> bool {
        let own = |waiter: &Waiter| waiter.address == address && waiter.known == known;
        let of_address = self.waiting.iter().filter(|waiter| own(waiter)).count();
        let full = self.waiting.len() >= QUEUE;
        if of_address < OF_ADDRESS && !full {
            return true;
        }
        let rivals: Vec<usize> = (0..self.waiting.len())
            .filter(|at| {
                let waiter = &self.waiting[*at];
                if of_address >= OF_ADDRESS {
                    own(waiter)
                } else {
                    known || !waiter.known
                }
            })
            .collect();
        // A recognised browser always takes a stranger's place.
        let strangers: Vec<usize> = rivals
            .iter()
            .copied()
            .filter(|at| !self.waiting[*at].known)
            .collect();
        let certain = known && of_address < OF_ADDRESS && !strangers.is_empty();
        let rivals = if certain { strangers } else { rivals };
        let among = rivals.len() + usize::from(!certain);
        match rivals.get(chance(among)) {
            Some(at) => {
                self.waiting.swap_remove(*at);
                true
            }
            None => false,
        }
    }

    /// Picks the next login at random, and alternates between recognised browsers and strangers,
    /// so that neither group starves the other.
    fn next(&mut self) -> Option<Waiter> {
        self.waiting.retain(|waiter| !waiter.start.is_closed());
        let of = |known: bool| -> Vec<usize> {
            (0..self.waiting.len())
                .filter(|at| self.waiting[*at].known == known)
                .collect()
        };
        let (first, second) = (of(!self.known_last), of(self.known_last));
        let candidates = if first.is_empty() { second } else { first };
        let at = *candidates.get(chance(candidates.len()))?;
        let waiter = self.waiting.swap_remove(at);
        self.known_last = waiter.known;
        Some(waiter)
    }
}

/// A random number below `among`; 0 if the system's random generator fails.
fn chance(among: usize) -> usize {
    let mut bytes = [0; 8];
    let _ = getrandom::fill(&mut bytes);
    (u64::from_le_bytes(bytes) % among.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::net::Ipv4Addr;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, last).into()
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime")
    }

    #[test]
    fn so_many_run_so_many_wait_and_each_place_comes_back() {
        runtime().block_on(async {
            let gate = Arc::new(Gate::default());
            let first = gate.enter(address(1), false).await.expect("free");
            let second = gate.enter(address(1), false).await.expect("free");
            let mut waiting: Vec<_> = (0..100)
                .map(|n| Box::pin(gate.enter(address(n), false)))
                .collect();
            let mut context = Context::from_waker(Waker::noop());
            for one in &mut waiting {
                let _ = one.as_mut().poll(&mut context);
            }
            assert_eq!(gate.line().waiting.len(), QUEUE);
            drop((first, second));
            assert_eq!(gate.line().running, AT_ONCE);
            drop(waiting);
            assert_eq!(
                gate.line().running,
                0,
                "a waiter that leaves returns its turn"
            );
        });
    }

    #[test]
    fn one_address_has_some_places_and_a_known_browser_finds_one() {
        runtime().block_on(async {
            let gate = Arc::new(Gate::default());
            let _busy = [
                gate.enter(address(1), false).await,
                gate.enter(address(1), false).await,
            ];
            let mut context = Context::from_waker(Waker::noop());
            let mut own: Vec<_> = (0..20)
                .map(|_| Box::pin(gate.enter(address(1), false)))
                .collect();
            for one in &mut own {
                let _ = one.as_mut().poll(&mut context);
            }
            assert_eq!(gate.line().waiting.len(), OF_ADDRESS);
            let mut many: Vec<_> = (2..200)
                .map(|n| Box::pin(gate.enter(address(n), false)))
                .collect();
            for one in &mut many {
                let _ = one.as_mut().poll(&mut context);
            }
            let mut known = pin!(gate.enter(address(250), true));
            assert!(known.as_mut().poll(&mut context).is_pending());
            for n in 2..200 {
                let mut more = pin!(gate.enter(address(n), false));
                let _ = more.as_mut().poll(&mut context);
            }
            assert!(gate.line().waiting.iter().any(|waiter| waiter.known));
        });
    }
}
