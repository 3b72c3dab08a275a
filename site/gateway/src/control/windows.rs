//! Pairing windows of gateways that share a registry. The operator opens a window at one gateway.
//! The others find its row and open theirs for the same time. A node may start pairing at any of
//! them; the operator's gateway shows the attempt, and passes on the digits that are typed.
//!
//! Rows and words are sealed under the site key, each for its window. Whoever can write to the
//! database can withhold them, and can neither open a window nor enter digits nor report a
//! pairing.

mod elsewhere;
mod follow;
mod relay;

use std::sync::OnceLock;

use selo_link::{DeviceId, Kem, Suite};
use serde::{Deserialize, Serialize};

use crate::engine::WindowState;
use crate::registry::WindowId;
use crate::site_key::{SEAL_BYTES, SiteKey};

pub(super) use follow::start;
pub(crate) use relay::Relay;

/// The row of a window.
#[derive(Debug, Serialize, Deserialize)]
struct Opening {
    /// The gateway that has opened it.
    process: u64,
    /// Unix milliseconds.
    until: u64,
}

/// What gateways tell each other about a window.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "kebab-case")]
enum Word {
    /// The operator has typed these digits.
    Enter {
        number: u64,
        digits: String,
        name: Option<String>,
    },
    /// The operator rejects the attempts whose digits are shown.
    Reject { number: u64 },
    /// A gateway's answer to one of these. `None`: the digits are right, or it has rejected an
    /// attempt.
    Answer {
        number: u64,
        process: u64,
        refused: Option<String>,
    },
    /// State of an attempt at a gateway.
    Attempt {
        process: u64,
        attempt: u64,
        device: u32,
        suite: u8,
        stage: Stage,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    /// With the code of the key encapsulation.
    Opened {
        kem: u8,
    },
    Keyed,
    Comparing {
        replaces: bool,
    },
    Failed,
    /// With the code of a hybrid pairing's key encapsulation.
    Paired {
        kem: Option<u8>,
    },
}

/// A number of this process, which nobody else has. `None` if there are no random numbers.
fn process() -> Option<u64> {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    if let Some(process) = PROCESS.get() {
        return Some(*process);
    }
    let drawn = selo_link::random_bytes().ok().map(u64::from_le_bytes)?;
    Some(*PROCESS.get_or_init(|| drawn))
}

fn purpose(window: &WindowId, what: &[u8]) -> Vec<u8> {
    [b"selo pairing window 1 ", &window[..], what].concat()
}

fn seal<T: Serialize>(site: &SiteKey, window: &WindowId, what: &[u8], said: &T) -> Option<Vec<u8>> {
    let mut text = serde_json::to_vec(said).ok()?;
    let seal = site.seal(&purpose(window, what), &mut text).ok()?;
    Some([&seal[..], &text].concat())
}

fn open<T: for<'a> Deserialize<'a>>(
    site: &SiteKey,
    window: &WindowId,
    what: &[u8],
    body: &[u8],
) -> Option<T> {
    let (seal, text) = body.split_at_checked(SEAL_BYTES)?;
    let mut text = text.to_vec();
    site.open(&purpose(window, what), seal, &mut text)
        .then(|| serde_json::from_slice(&text).ok())
        .flatten()
}

const OPENING: &[u8] = b"opening";
const WORD: &[u8] = b"word";

impl Word {
    /// The word for a state of an attempt; `None` for states of the window.
    fn of(state: &WindowState, process: u64) -> Option<Word> {
        let word = |attempt: &u64, device: &DeviceId, suite: u8, stage| Word::Attempt {
            process,
            attempt: *attempt,
            device: device.0,
            suite,
            stage,
        };
        Some(match state {
            WindowState::Opened {
                attempt,
                device,
                suite,
                kem,
            } => {
                let kem = kem.code();
                word(attempt, device, suite.code(), Stage::Opened { kem })
            }
            WindowState::Keyed {
                attempt,
                device,
                suite,
            } => word(attempt, device, suite.code(), Stage::Keyed),
            WindowState::Comparing {
                attempt,
                device,
                suite,
                replaces,
            } => {
                let replaces = *replaces;
                word(attempt, device, suite.code(), Stage::Comparing { replaces })
            }
            WindowState::Failed {
                attempt, device, ..
            } => word(attempt, device, 0, Stage::Failed),
            WindowState::Paired {
                attempt,
                device,
                kem,
            } => {
                let kem = kem.map(Kem::code);
                word(attempt, device, 0, Stage::Paired { kem })
            }
            WindowState::Open { .. } | WindowState::Closed { .. } => return None,
        })
    }
}

/// The state that the operator's gateway shows for an attempt elsewhere.
fn state(attempt: u64, device: u32, suite: u8, stage: Stage) -> Option<WindowState> {
    let device = DeviceId(device);
    Some(match stage {
        Stage::Opened { kem } => WindowState::Opened {
            attempt,
            device,
            suite: Suite::from_code(suite)?,
            kem: Kem::from_code(kem)?,
        },
        Stage::Keyed => WindowState::Keyed {
            attempt,
            device,
            suite: Suite::from_code(suite)?,
        },
        Stage::Comparing { replaces } => WindowState::Comparing {
            attempt,
            device,
            suite: Suite::from_code(suite)?,
            replaces,
        },
        Stage::Failed => WindowState::Failed {
            attempt,
            device,
            why: "the pairing failed at another gateway",
        },
        Stage::Paired { kem } => WindowState::Paired {
            attempt,
            device,
            kem: kem.and_then(Kem::from_code),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_opens_only_in_its_window_and_as_what_it_is() {
        let site = SiteKey::for_test([1; 32]);
        let word = Word::Enter {
            number: 7,
            digits: "042917".into(),
            name: None,
        };
        let body = seal(&site, &[1; 16], WORD, &word).expect("seals");
        let digits = |site: &SiteKey, window: u8, what, body: &[u8]| match open::<Word>(
            site,
            &[window; 16],
            what,
            body,
        ) {
            Some(Word::Enter { digits, .. }) => Some(digits),
            _ => None,
        };
        assert_eq!(digits(&site, 1, WORD, &body).as_deref(), Some("042917"));
        assert_eq!(digits(&site, 2, WORD, &body), None);
        assert_eq!(digits(&site, 1, OPENING, &body), None);
        assert_eq!(digits(&SiteKey::for_test([2; 32]), 1, WORD, &body), None);
        for end in 0..body.len() {
            assert_eq!(digits(&site, 1, WORD, &body[..end]), None);
        }
        assert!(!body.windows(6).any(|part| part == b"042917"));
    }
}
