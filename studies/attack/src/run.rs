//! Runs attacks one after another.

use selo_link::Suite;

use crate::case::{Against, Attack, LinkOutcome};
use crate::error::Result;
use crate::gateway::{ClassicGateway, RealGateway};
use crate::target::Target;
use crate::{classic, join, pair};

/// An attack that can be run.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The attack.
    pub attack: Attack,
    /// The attacked part.
    pub against: Against,
    how: How,
}

#[derive(Debug, Clone, Copy)]
enum How {
    Classic(fn(&mut dyn Target) -> Result<LinkOutcome>),
    /// Needs no gateway: a protocol variant that no program here implements.
    Alone(fn() -> Result<LinkOutcome>),
    Suite(fn(&mut dyn Target, Suite) -> Result<LinkOutcome>),
}

/// Every attack against everything to which it applies, in the order of the table.
pub const CASES: [Case; 26] = {
    const fn classic(attack: Attack, how: fn(&mut dyn Target) -> Result<LinkOutcome>) -> Case {
        Case {
            attack,
            against: Against::Classic,
            how: How::Classic(how),
        }
    }
    const fn pair(attack: Attack, how: fn(&mut dyn Target, Suite) -> Result<LinkOutcome>) -> Case {
        Case {
            attack,
            against: Against::Pair,
            how: How::Suite(how),
        }
    }
    const fn hybrid(
        attack: Attack,
        how: fn(&mut dyn Target, Suite) -> Result<LinkOutcome>,
    ) -> Case {
        Case {
            attack,
            against: Against::Hybrid,
            how: How::Suite(how),
        }
    }
    const fn join(attack: Attack, how: fn(&mut dyn Target, Suite) -> Result<LinkOutcome>) -> Case {
        Case {
            attack,
            against: Against::Join,
            how: How::Suite(how),
        }
    }
    [
        classic(Attack::Mitm, classic::mitm),
        classic(Attack::Replay, classic::replay),
        classic(Attack::Forge, classic::forge),
        classic(Attack::Reflect, classic::reflect),
        classic(Attack::Flood, classic::flood),
        Case {
            attack: Attack::Guess,
            against: Against::Classic,
            how: How::Alone(pair::guess_without_commitment),
        },
        pair(Attack::Mitm, |target, suite| {
            pair::mitm(target, suite, pair::careful)
        }),
        pair(Attack::Replay, pair::replay),
        pair(Attack::Forge, pair::forge),
        pair(Attack::Reflect, pair::reflect),
        pair(Attack::Downgrade, pair::downgrade),
        pair(Attack::Flood, pair::flood),
        pair(Attack::Guess, pair::guess),
        hybrid(Attack::Mitm, |target, suite| {
            pair::hybrid::mitm(target, suite, pair::careful)
        }),
        hybrid(Attack::Replay, pair::hybrid::replay),
        hybrid(Attack::Forge, pair::hybrid::forge),
        hybrid(Attack::Reflect, pair::hybrid::reflect),
        hybrid(Attack::Downgrade, pair::hybrid::downgrade),
        hybrid(Attack::Flood, pair::hybrid::flood),
        join(Attack::Mitm, join::mitm),
        join(Attack::Replay, join::replay),
        join(Attack::Forge, join::forge),
        join(Attack::Reflect, join::reflect),
        join(Attack::Downgrade, join::downgrade),
        join(Attack::Flood, join::flood),
        join(Attack::Guess, join::guess),
    ]
};

impl Case {
    /// Runs the attack. `suite` matters to all attacks except those on classic.
    pub fn run(&self, targets: &mut Targets, suite: Suite) -> Result<LinkOutcome> {
        match self.how {
            How::Classic(how) => how(targets.classic()?),
            How::Alone(how) => how(),
            How::Suite(how) => how(targets.sealed()?, suite),
        }
    }

    /// Returns true if the suite makes a difference.
    pub fn has_suites(&self) -> bool {
        matches!(self.how, How::Suite(_))
    }
}

/// The gateways under attack, started on demand: one with defaults, one that accepts classic
/// frames.
#[derive(Debug, Default)]
pub struct Targets {
    sealed: Option<RealGateway>,
    classic: Option<ClassicGateway>,
}

impl Targets {
    fn sealed(&mut self) -> Result<&mut RealGateway> {
        started(&mut self.sealed, RealGateway::start)
    }

    fn classic(&mut self) -> Result<&mut ClassicGateway> {
        started(&mut self.classic, ClassicGateway::start)
    }

    /// Stops them. Returns an error if one could not finish its work.
    pub fn stop(self) -> Result<()> {
        if let Some(sealed) = self.sealed {
            sealed.stop()?;
        }
        self.classic.map_or(Ok(()), ClassicGateway::stop)
    }
}

fn started<G>(gateway: &mut Option<G>, start: impl FnOnce() -> Result<G>) -> Result<&mut G> {
    let running = match gateway.take() {
        Some(running) => running,
        None => start()?,
    };
    Ok(gateway.insert(running))
}
