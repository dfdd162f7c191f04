//! `CUDA_EMULATOR_CHECK=stream`: queued work on the same memory that nothing orders.
//!
//! Work records its accesses when it ends, and is compared with the recorded work that is not
//! ordered before it. So a race is found even if the two did not run at the same time.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Mutex;

use super::access_set::{Access, AccessSet, Conflict};
use super::allocations;
use super::array;
use super::origin::Origin;
use super::recorded_work::{self, Recorded, WorkKind};
use crate::abi::status::Code;
use crate::process::caller::Caller;
use crate::queue::fault::Fault;
use crate::queue::happens_before;
use crate::queue::stream;
use cuda_emulator_engine::Unpoisoned;

/// Records the accesses of the work that this thread is running, if the check is enabled.
///
/// # Errors
/// Returns a fault if the work races with earlier work. Each pair is reported once.
pub fn record(
    kind: WorkKind,
    accesses: impl FnOnce() -> AccessSet,
) -> std::result::Result<(), Fault> {
    static REPORTED: Mutex<BTreeSet<[String; 2]>> = Mutex::new(BTreeSet::new());
    let Some(position) = happens_before::current() else {
        return Ok(());
    };
    let new = Recorded::new(position, kind, accesses());
    let mut report = None;
    recorded_work::add(new, |one, new, conflicts| {
        let mut found: Option<(Conflict, String)> = None;
        for conflict in conflicts {
            match &mut found {
                // The first range may go on in further pages.
                Some((first, _)) => first.extend(&conflict),
                None => found = describe(conflict.address).map(|memory| (conflict, memory)),
            }
        }
        if let Some((conflict, memory)) = found
            && report.is_none()
        {
            let mut pair = [name(one), name(new)];
            pair.sort();
            if REPORTED.lock().unpoisoned().insert(pair) {
                report = Some(text(one, new, &conflict, &memory));
            }
        }
    });
    match report {
        Some(report) => Err(Fault::new(Code::ERROR_LAUNCH_FAILED, report)),
        None => Ok(()),
    }
}

/// Records the accesses of work that writes one range.
///
/// # Errors
/// Returns the fault of [`record`].
pub fn record_write(kind: WorkKind, start: u64, size: u64) -> std::result::Result<(), Fault> {
    record(kind, || {
        let mut accesses = AccessSet::default();
        accesses.add(start, size, Access::Write);
        accesses
    })
}

/// Describes memory, or returns `None` if races on it are not reported: memory of the launch
/// itself, and of the device heap, which kernels allocate and free.
fn describe(address: u64) -> Option<String> {
    let (base, what) = match allocations::find(address) {
        Some(one) if one.origin == Origin::Heap => return None,
        Some(one) => (one.base, one.summary()),
        None => {
            let array = array::at(address)?;
            (array.base, array.summary())
        }
    };
    Some(format!("{} bytes into {what}", address - base))
}

/// Returns the name of a piece of work.
fn name(work: &Recorded) -> String {
    let position = &work.position;
    let what = match &work.kind {
        WorkKind::Kernel(name, _) => format!("kernel `{name}`"),
        WorkKind::Copy(bytes) => format!("a copy of {bytes} bytes"),
        WorkKind::Fill(bytes) => format!("a fill of {bytes} bytes"),
        WorkKind::Allocate => "a stream-ordered allocation".into(),
        WorkKind::Free => "a stream-ordered free".into(),
    };
    let node = position.in_graph.as_ref().map_or(String::new(), |place| {
        format!(
            "node {:#x} of the executable graph {:#x}, ",
            place.node, place.exec
        )
    });
    format!(
        "{what} ({node}{} on {})",
        position.call,
        stream::name_of(position.stream_handle)
    )
}

fn text(one: &Recorded, other: &Recorded, conflict: &Conflict, memory: &str) -> String {
    let Conflict {
        address,
        size,
        accesses,
    } = *conflict;
    let mut both = [(one, accesses[0]), (other, accesses[1])];
    both.sort_by_key(|(work, _)| work.position.sequence);
    let launches = both.map(|(work, _)| Some(work.position.in_graph.as_ref()?.launch));
    let is_within_graph = launches[0].is_some() && launches[0] == launches[1];
    let between = match is_within_graph {
        true => "nodes of a graph",
        false => "streams",
    };
    let mut text = format!(
        "race between {between}: nothing orders two accesses to {size} bytes at {address:#x}, {memory}"
    );
    for (work, access) in both {
        let verb = match (&work.kind, access) {
            (WorkKind::Allocate, _) => "allocated",
            (WorkKind::Free, _) => "freed",
            (_, Access::Read) => "read",
            (_, Access::Write) => "written",
            (_, Access::StrongRead) => "read (atomic, volatile or relaxed)",
            (_, Access::StrongWrite) => "written (atomic, volatile or relaxed)",
        };
        // Writing to a string does not fail.
        let _ = write!(text, "\n  {verb} by {}", name(work));
        let place = Caller::place(work.position.caller.as_ref());
        if !place.is_empty() {
            let verb = match work.kind {
                WorkKind::Kernel(..) => "launched",
                _ => "enqueued",
            };
            let _ = write!(text, "\n    {verb}{place}");
        }
        if let WorkKind::Kernel(_, program) = &work.kind
            && let Some(instruction) = work.accesses.instruction(address, access)
        {
            text += &program.place(instruction).replace("\n  ", "\n    ");
        }
    }
    text += match is_within_graph {
        true => {
            "\n  Fix: add an edge between the two nodes (cuGraphAddDependencies). In a capture, let the \
             second stream wait for an event recorded after the first node"
        }
        false => {
            "\n  Fix: let the stream of the second wait before the second is enqueued: record an event after the first \
             (cuEventRecord, cuStreamWaitEvent; in cuda-safe `second.wait_stream(&first)`). Or wait for the first on \
             the host (cuStreamSynchronize)"
        }
    };
    text
}
