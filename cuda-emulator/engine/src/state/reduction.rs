//! The reduction operations of bulk copies.

/// An operation of `cp.reduce.async.bulk`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Operation {
    Add,
    Min,
    Max,
    Increment,
    Decrement,
    And,
    Or,
    Xor,
}

const ALL: [(Operation, &str); 8] = [
    (Operation::Add, "add"),
    (Operation::Min, "min"),
    (Operation::Max, "max"),
    (Operation::Increment, "inc"),
    (Operation::Decrement, "dec"),
    (Operation::And, "and"),
    (Operation::Or, "or"),
    (Operation::Xor, "xor"),
];

/// The names of the operations in PTX.
pub(crate) const NAMES: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];

impl Operation {
    pub(crate) fn of(number: u64) -> Operation {
        ALL[number as usize % ALL.len()].0
    }

    pub(crate) fn named(name: &str) -> Option<Operation> {
        ALL.iter().find(|o| o.1 == name).map(|o| o.0)
    }

    pub(crate) fn name(self) -> &'static str {
        ALL[self as usize].1
    }
}
