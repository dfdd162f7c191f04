//! The kind and state space of an access.

/// The state space of an access, as a constant of the instruction's type.
pub(crate) mod space {
    pub(crate) const GENERIC: u8 = 0;
    pub(crate) const GLOBAL: u8 = 1;
    pub(crate) const SHARED: u8 = 2;
    pub(crate) const LOCAL: u8 = 3;
    /// Parameters whose address was taken. These are host addresses of the frame or of the launch's
    /// buffer.
    pub(crate) const PARAM: u8 = 4;
}

/// The effect of an access on memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Touch {
    #[default]
    Read,
    Write,
    /// A strong read or write (`relaxed`, `acquire`, `release`, `volatile`). Strong accesses do not
    /// race with each other.
    StrongRead,
    StrongWrite,
    /// Reads and writes in one step. Atomics do not race with each other.
    Atomic,
    /// Replaces the value in one step. The old value may be uninitialized.
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

    /// Returns whether the access is an atomic.
    pub(crate) fn atomic(self) -> bool {
        matches!(self, Touch::Atomic | Touch::Exchange)
    }

    /// Returns whether two such accesses do not race with each other.
    pub(crate) fn strong(self) -> bool {
        !matches!(self, Touch::Read | Touch::Write | Touch::Pending)
    }
}
