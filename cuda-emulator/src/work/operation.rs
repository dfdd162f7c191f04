//! What streams do, in one description: it is put on a stream, or recorded as a node of a graph.

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

/// An operation whose arguments have been checked. It holds them by value.
#[derive(Clone)]
pub enum Operation {
    Launch(Launch),
    Copy(Transfer),
    Fill(CheckedFill),
    Call(HostCall),
    /// Waits and writes of values in memory.
    Words(Words),
    /// The record of an event.
    Record(Arc<Event>),
    /// The wait for an event.
    Await(Arc<Event>),
    /// Signals of external semaphores, or waits for them.
    Semaphores(Semaphores),
    /// Only in graphs: an allocation's memory comes.
    Allocate(Arc<GraphMemory>),
    /// Only in graphs: an allocation's memory goes.
    Free(Arc<GraphMemory>),
}

impl Operation {
    /// One run of it on a stream, as work of a context: in the order of the stream, without waiting for it.
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
            Operation::Allocate(memory) => memory.coming(),
            Operation::Free(memory) => memory.going(),
        }]
    }

    /// Puts it on a stream.
    ///
    /// # Errors
    /// The sticky error of a fault met while waiting.
    pub fn submit(self, stream: &Arc<Stream>) -> Result {
        match self {
            // What the host may do when the call returns depends on the memory.
            Operation::Copy(transfer) => return transfer.submit(stream, Timing::Asynchronous),
            Operation::Await(event) => event.hold_up(stream),
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
