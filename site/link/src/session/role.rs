//! The two sides of a session.

use crate::frame::Direction;

/// Which side of a session this is. It decides directions, the window and the forgery limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Seals DOWN, opens UP.
    Gateway,
    /// Seals UP, opens DOWN.
    Node,
}

impl Role {
    /// Direction of the packets that this side sends.
    pub const fn sends(self) -> Direction {
        match self {
            Role::Gateway => Direction::Down,
            Role::Node => Direction::Up,
        }
    }

    /// Size of the replay window: counters tracked below the highest accepted one.
    pub const fn window(self) -> u32 {
        match self {
            Role::Gateway => 128,
            Role::Node => 32,
        }
    }

    /// Number of wrong tags that ends the session. A gateway throttles forgeries long before
    /// this [docs/protocol.md, Forgeries]; the limit is the last line of defence.
    pub const fn forgery_limit(self) -> u32 {
        match self {
            Role::Gateway => 1 << 30,
            Role::Node => 1 << 15,
        }
    }
}
