//! The description of an allocation, for reports.

use std::fmt;
use std::sync::Arc;

use super::origin::Origin;
use crate::process::caller::Caller;

/// The description of an allocation. As text, it is one line.
pub struct Description {
    pub id: u64,
    pub origin: Origin,
    pub base: u64,
    pub size: u64,
    /// The call that created it.
    pub caller: Option<Arc<Caller>>,
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, call, size, base) = (self.id, self.origin.describe(), self.size, self.base);
        let place = match Caller::place(self.caller.as_ref()) {
            place if place.is_empty() => place,
            place => format!(", allocated{place}"),
        };
        write!(
            f,
            "allocation {id} ({call}, {size} bytes at {base:#x}{place})"
        )
    }
}
