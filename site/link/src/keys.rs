//! Keys of a session, as a join makes them.

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::noise::SymmetricState;
use crate::session_id::SessionId;
use crate::suite::Suite;

/// The result of a join: keys, and the options that both sides agreed on.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct SessionKeys {
    /// The suite that seals.
    #[zeroize(skip)]
    pub suite: Suite,
    /// The session's id, chosen by the gateway.
    #[zeroize(skip)]
    pub session: SessionId,
    /// Whether tags have 16 bytes.
    pub long_tags: bool,
    /// Seals UP.
    pub up: [u8; 32],
    /// Seals DOWN.
    pub down: [u8; 32],
}

impl SessionKeys {
    pub(crate) fn split(
        suite: Suite,
        state: &SymmetricState,
        session: SessionId,
        long_tags: bool,
    ) -> Self {
        let [up, down] = state.split();
        SessionKeys {
            suite,
            session,
            long_tags,
            up: *up.key(),
            down: *down.key(),
        }
    }
}

impl fmt::Debug for SessionKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "SessionKeys({}, session {}, ..)",
            self.suite, self.session
        )
    }
}
