//! What an access does, and in which space.

/// Address space of an access, as a constant of the instruction's type.
pub(crate) mod space {
    pub(crate) const GENERIC: u8 = 0;
    pub(crate) const GLOBAL: u8 = 1;
    pub(crate) const SHARED: u8 = 2;
    pub(crate) const LOCAL: u8 = 3;
    /// Parameters whose address was taken: host addresses of the frame or of the launch's buffer.
    pub(crate) const PARAM: u8 = 4;
}

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    /// A strong read or write (`relaxed`, `acquire`, `release`, `volatile`); doesn't race with its like.
    StrongRead,
    StrongWrite,
    /// Reads and writes in one step; doesn't race with its like.
    Atomic,
    /// Replaces in one step; what was there may be anything.
    Exchange,
    /// Will be written by a bulk copy.
    Pending,
}

impl Touch {
    pub(crate) fn reads(self) -> bool {
        matches!(self, Touch::Read | Touch::StrongRead | Touch::Atomic)
    }

    pub(crate) fn writes(self) -> bool {
        !matches!(self, Touch::Read | Touch::StrongRead)
    }

    /// Two such accesses don't race with each other.
    pub(crate) fn strong(self) -> bool {
        !matches!(self, Touch::Read | Touch::Write | Touch::Pending)
    }
}
