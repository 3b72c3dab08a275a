//! Guesses digits.

use selo_link::frame::Frame;
use selo_link::pair::NodePairing;
use selo_link::{DeviceId, EphemeralSecret, Suite, random_bytes};

use super::scene::{GROUND, KEY, KEYS_AT_ONCE, KEYS_IN_WINDOW, LUCK, MODULUS, TRIES_MAX, outcome};
use crate::case::{Against, Attack, LinkOutcome, LinkVerdict, figure};
use crate::error::{Error, Result};
use crate::guess;
use crate::target::Target;
use crate::wire::{Way, Wire};

/// Guesses digits: by luck against the commitment, with a bounded number of attempts per window.
pub fn guess(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let lucky = guess::with_commitment(suite, MODULUS, LUCK)?;
    let expected = lucky.attempts as f64 / f64::from(MODULUS);
    let bound = guess::luck_at_most(expected);

    // The window of the real gateway: the operator rejects every attempt.
    let mut wire = Wire::new(suite, target)?;
    target.open_window();
    let mut attempts = 0;
    while attempts <= KEYS_AT_ONCE {
        let id = DeviceId(u32::from_le_bytes(random_bytes()?));
        let (node, commit) =
            NodePairing::start(suite, id, EphemeralSecret::random()?, random_bytes()?);
        let start = wire.seen.len();
        let spent = target.multiplications();
        wire.inject(target, [commit.as_slice()])?;
        if target.multiplications() == spent {
            break;
        }
        let key = wire.intercept(start, Way::Down, KEY)?;
        let Ok(Frame::PairKey(key)) = Frame::parse(&key) else {
            return Err(Error::Setup("a PAIR-KEY is invalid"));
        };
        if let Ok((_, reveal)) = node.key(&key) {
            wire.inject(target, [reveal.as_slice()])?;
        }
        attempts += 1;
        target.decide(false);
    }
    let broken = lucky.matches > bound || attempts > KEYS_AT_ONCE;
    let shows = format!(
        "of {} pairings with three digits, {} matched ({expected} expected by chance); the \
        gateway gave {attempts} keys at once; with six digits and {KEYS_IN_WINDOW} keys in a \
        window of ten minutes: {KEYS_IN_WINDOW} chances in 1,000,000",
        lucky.attempts, lucky.matches
    );
    Ok(outcome(
        suite,
        Attack::Guess,
        "committed to keys at random, so that digits match only by luck",
        broken,
        shows,
        vec![
            figure("pairings with three digits", lucky.attempts),
            figure("matches", lucky.matches),
            figure("matches that chance explains at most", bound),
            figure("PAIR-KEYs at once", attempts),
        ],
    ))
}

/// The same guess against digits without a commitment, as if Algorithm 2 of [albarello2020] only
/// added digits.
pub fn guess_without_commitment() -> Result<LinkOutcome> {
    let ground = guess::without_commitment(MODULUS, GROUND, TRIES_MAX)?;
    let rate = ground.tries as f64 / ground.elapsed.as_secs_f64();
    Ok(LinkOutcome {
        attack: Attack::Guess,
        against: Against::Classic,
        suite: None,
        did: format!(
            "classic with three digits to compare: tried {} key pairs until the digits matched",
            ground.tries
        ),
        verdict: if ground.matches == ground.attempts {
            LinkVerdict::Broken
        } else {
            LinkVerdict::Refused
        },
        promised: LinkVerdict::Broken,
        shows: format!(
            "{} of {} pairings showed the same digits on both sides; six digits would take {:.0} \
             s on one core of this PC",
            ground.matches,
            ground.attempts,
            1e6 / rate
        ),
        evidence: vec![
            figure("pairings", ground.attempts),
            figure("matches", ground.matches),
            figure("key pairs tried", ground.tries),
        ],
    })
}
