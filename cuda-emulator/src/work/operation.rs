//! Operations, which can be enqueued on a stream or recorded as a node of a graph.

use std::sync::Arc;

use super::copy::{Timing, Transfer};
use super::external_semaphore::Semaphores;
use super::fill::CheckedFill;
use super::launch::Launch;
use super::memory_operations::Words;
use crate::abi::status::Result;
use crate::memory::graph_allocations::GraphMemory;
use crate::process::context::Context;
use crate::queue::event::Event;
use crate::queue::host_functions::HostCall;
use crate::queue::stream::{Piece, Stream};

/// An operation with checked arguments, which it owns.
#[derive(Clone)]
pub enum Operation {
    Launch(Launch),
    Copy(Transfer),
    Fill(CheckedFill),
    Call(HostCall),
    /// Waits for and writes of values in memory.
    Words(Words),
    /// Records an event.
    Record(Arc<Event>),
    /// Waits for an event.
    Await(Arc<Event>),
    /// Signals external semaphores or waits for them.
    Semaphores(Semaphores),
    /// Only in graphs: makes an allocation's memory accessible.
    Allocate(Arc<GraphMemory>),
    /// Only in graphs: makes an allocation's memory inaccessible.
    Free(Arc<GraphMemory>),
}

impl Operation {
    /// Returns the stream work of one run, for a context, in the order of the stream and without
    /// waiting.
    pub fn pieces(self, context: &Arc<Context>, stream: &Stream) -> Vec<Piece> {
        vec![match self {
            Operation::Launch(launch) => launch.piece(),
            Operation::Copy(transfer) => transfer.piece(context, stream),
            Operation::Fill(fill) => fill.piece(context, stream),
            Operation::Call(call) => call.piece(context, stream),
            Operation::Words(words) => return words.pieces(context, stream),
            Operation::Record(event) => event.recording(),
            Operation::Await(event) => event.waiting(),
            Operation::Semaphores(semaphores) => semaphores.piece(context),
            Operation::Allocate(memory) => memory.allocation_work(),
            Operation::Free(memory) => memory.free_work(),
        }]
    }

    /// Enqueues it on a stream.
    ///
    /// # Errors
    /// Returns the sticky error if a fault happens while the call waits.
    pub fn submit(self, stream: &Arc<Stream>) -> Result {
        match self {
            // Whether the call waits depends on the memory.
            Operation::Copy(transfer) => return transfer.submit(stream, Timing::Asynchronous),
            Operation::Await(event) => event.make_wait(stream),
            Operation::Launch(launch) => {
                stream.submit(launch.piece());
            }
            other => {
                for piece in other.pieces(&stream.context, stream) {
                    stream.submit(piece);
                }
            }
        }
        Ok(())
    }
}
