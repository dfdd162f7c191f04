//! Graphs launched by kernels.
//!
//! A run of a graph has an [`Environment`], where its kernels store the graphs that they launch:
//! - A "fire and forget" launch runs when the kernel that made it has ended, before the next node
//!   of its graph. A GPU starts it earlier, which a correct program cannot observe.
//! - Tail launches run one after the other when the graph and everything that it launched with
//!   "fire and forget" have ended.
//! - Sibling launches are children of the parent, so they run after the graph.
//!
//! All these launches are part of the host's launch: later work on the host's stream waits for
//! them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use super::instantiate_error::InstantiateError;
use super::plan::{Action, Plan};
use crate::abi::status::Code;
use crate::abi::*;
use crate::process::context::Context;
use crate::queue::fault::Fault;
use crate::queue::stream::{How, Piece, Stream, Work};
use crate::work::graph_runs::{self, GraphRun, INVALID_VALUE};
use crate::work::operation::Operation;
use cuda_emulator_engine::Unpoisoned;

/// Maximum "fire and forget" launches per run.
const MOST_CHILDREN: u32 = 120;
/// Maximum waiting tail launches per run.
const MOST_TAILS: usize = 255;

/// `cudaStreamGraphTailLaunch`
const TAIL: u64 = 0x0100_0000_0000_0000;
/// `cudaStreamGraphFireAndForget`
const FIRE_AND_FORGET: u64 = 0x0200_0000_0000_0000;
/// `cudaStreamGraphFireAndForgetAsSibling`
const SIBLING: u64 = 0x0300_0000_0000_0000;

/// `cudaSuccess`
const SUCCESS: u32 = 0;

type Outcome = std::result::Result<(), Fault>;

/// The part of an executable graph that kernels need to launch it.
pub struct Launchable {
    /// The executable graph's handle.
    handle: u64,
    state: Mutex<Upload>,
}

#[derive(Default)]
struct Upload {
    /// The plan at the time of the upload.
    plan: Option<Arc<Plan>>,
    /// Waiting and running runs: at most one, or two if a run has enqueued its own graph again.
    runs: u32,
}

impl Launchable {
    pub fn new(handle: u64) -> Arc<Launchable> {
        let state = Mutex::default();
        Arc::new(Launchable { handle, state })
    }

    fn state(&self) -> MutexGuard<'_, Upload> {
        self.state.lock().unpoisoned()
    }

    /// Returns the stream work that uploads a plan.
    pub fn uploading(self: &Arc<Self>, plan: &Plan) -> Piece {
        let (this, plan) = (self.clone(), Arc::new(plan.clone()));
        let work = move || {
            this.state().plan = Some(plan);
            Ok(())
        };
        Piece::new(How::Soon, Box::new(work))
    }
}

/// A counted run of a graph.
struct Turn(Arc<Launchable>);

impl Turn {
    fn take(graph: &Arc<Launchable>) -> Turn {
        graph.state().runs += 1;
        Turn(graph.clone())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.state().runs -= 1;
    }
}

/// A graph launched by a kernel.
struct Launched {
    plan: Arc<Plan>,
    turn: Turn,
}

/// The graphs launched by the kernels of one run. The environment of the whole launch by the host
/// receives the sibling launches.
pub struct Environment {
    graph: Option<Arc<Launchable>>,
    /// The parent. `None` for the environment of the whole launch.
    parent: Option<Arc<Environment>>,
    find: Find,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    /// Children that have not started.
    children: VecDeque<Launched>,
    /// Total number of children.
    total_children: u32,
    tails: VecDeque<Launched>,
}

/// Finds the launchable part of an executable graph, or returns the reason for a fault.
type Find = fn(u64) -> std::result::Result<Arc<Launchable>, String>;

impl Environment {
    fn new(
        graph: Option<Arc<Launchable>>,
        parent: Option<Arc<Environment>>,
        find: Find,
    ) -> Arc<Environment> {
        let lists = Mutex::default();
        Arc::new(Environment {
            graph,
            parent,
            find,
            lists,
        })
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unpoisoned()
    }

    /// Executes work of the run, and then the graphs that its kernels have launched.
    fn perform(self: &Arc<Self>, stream: &Arc<Stream>, work: Work) -> Outcome {
        {
            let _entered = graph_runs::enter(self.clone());
            work()?;
        }
        self.run_children(stream)
    }

    /// Runs the children that have not started.
    fn run_children(self: &Arc<Self>, stream: &Arc<Stream>) -> Outcome {
        loop {
            let child = self.lists().children.pop_front();
            match child {
                Some(child) => follow(self, stream, VecDeque::from([child]))?,
                None => return Ok(()),
            }
        }
    }
}

/// Runs graphs one after the other, each with everything it launches, as children of `parent`.
fn follow(
    parent: &Arc<Environment>,
    stream: &Arc<Stream>,
    mut line: VecDeque<Launched>,
) -> Outcome {
    let context = &stream.context;
    while let Some(Launched { plan, turn }) = line.pop_front() {
        let environment = Environment::new(Some(turn.0.clone()), Some(parent.clone()), parent.find);
        let mut pieces = Vec::new();
        plan.pieces(stream, turn.0.handle, &mut pieces);
        for piece in pieces {
            if context.own_fault().is_some() || !context.is_alive() {
                return Ok(());
            }
            environment.perform(stream, piece.work)?;
        }
        drop(turn);
        let mut tails = std::mem::take(&mut environment.lists().tails);
        // The tail launches of this run precede those of earlier runs.
        tails.append(&mut line);
        line = tails;
    }
    Ok(())
}

/// A run of a graph that the host launches.
pub struct Run<'a> {
    stream: &'a Arc<Stream>,
    graph: Option<&'a Arc<Launchable>>,
    plan: &'a Plan,
    find: Find,
}

impl<'a> Run<'a> {
    pub fn by_host(
        stream: &'a Arc<Stream>,
        graph: Option<&'a Arc<Launchable>>,
        plan: &'a Plan,
        find: Find,
    ) -> Run<'a> {
        Run {
            stream,
            graph,
            plan,
            find,
        }
    }

    /// Adds its work in order, up to the end of everything that its kernels launch.
    pub fn pieces(&self, handle: u64, pieces: &mut Vec<Piece>) {
        let whole = Environment::new(None, None, self.find);
        let environment = Environment::new(self.graph.cloned(), Some(whole.clone()), self.find);
        let turn: Arc<Mutex<Option<Turn>>> = Arc::default();
        if let Some(graph) = self.graph {
            pieces.push(graph.uploading(self.plan));
            let (graph, turn) = (graph.clone(), turn.clone());
            let begin = move || {
                *turn.lock().unpoisoned() = Some(Turn::take(&graph));
                Ok(())
            };
            pieces.push(Piece::new(How::Soon, Box::new(begin)));
        }
        let mut work = Vec::new();
        self.plan.pieces(self.stream, handle, &mut work);
        for piece in work {
            let (environment, stream) = (environment.clone(), self.stream.clone());
            let work = piece.work;
            pieces.push(Piece {
                work: Box::new(move || environment.perform(&stream, work)),
                ..piece
            });
        }
        let stream = self.stream.clone();
        let end = move || {
            *turn.lock().unpoisoned() = None;
            let tails = std::mem::take(&mut environment.lists().tails);
            follow(&whole, &stream, tails)?;
            whole.run_children(&stream)
        };
        pieces.push(Piece::new(How::Soon, Box::new(end)));
    }
}

impl GraphRun for Environment {
    fn current(&self) -> u64 {
        self.graph.as_ref().map_or(0, |graph| graph.handle)
    }

    fn launch(self: Arc<Self>, exec: u64, stream: u64) -> std::result::Result<u32, String> {
        let graph = &(self.find)(exec)?;
        let itself = self
            .graph
            .as_ref()
            .is_some_and(|own| Arc::ptr_eq(own, graph));
        let host = match (stream, &self.parent) {
            (TAIL | FIRE_AND_FORGET, _) => &self,
            (SIBLING, Some(parent)) => parent,
            _ => return Ok(INVALID_VALUE),
        };
        let mut lists = host.lists();
        let full = match stream {
            TAIL => lists.tails.len() >= MOST_TAILS,
            _ => lists.total_children >= MOST_CHILDREN,
        };
        let mut upload = graph.state();
        let most = u32::from(itself && stream == TAIL);
        let Some(plan) = upload.plan.clone() else {
            return Ok(INVALID_VALUE);
        };
        if full || upload.runs > most {
            return Ok(INVALID_VALUE);
        }
        upload.runs += 1;
        drop(upload);
        let turn = Turn(graph.clone());
        let launched = Launched { plan, turn };
        if stream == TAIL {
            lists.tails.push_back(launched);
        } else {
            lists.total_children += 1;
            lists.children.push_back(launched);
        }
        Ok(SUCCESS)
    }
}

/// Checks that kernels may launch a graph.
///
/// # Errors
/// Returns the first node whose type is not allowed, or that is a kernel of a different context
/// from the other nodes. Also returns an error if the graph contains no work.
pub fn check(plan: &Plan) -> std::result::Result<(), InstantiateError> {
    let rejected = |result, node| InstantiateError {
        code: Code::ERROR_INVALID_VALUE,
        result,
        node,
    };
    let (mut any, mut found) = (false, None);
    let mut open = vec![plan];
    while let Some(plan) = open.pop() {
        for step in &plan.steps {
            let context = match &step.action {
                Action::Child(inner) => {
                    open.push(inner);
                    continue;
                }
                Action::Operation(operation, context) if is_allowed(operation) => {
                    any = true;
                    match operation {
                        Operation::Launch(_) => context,
                        // An H200 (driver 580) accepts copies and fills of another context.
                        _ => continue,
                    }
                }
                _ => {
                    let result = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
                    return Err(rejected(result, step.node));
                }
            };
            let first: &Arc<Context> = found.get_or_insert(context);
            if !Arc::ptr_eq(first, context) {
                let result = CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED;
                return Err(rejected(result, step.node));
            }
        }
    }
    match any {
        true => Ok(()),
        false => Err(InstantiateError::plain(Code::ERROR_INVALID_VALUE)),
    }
}

/// Returns whether the operation is allowed in a graph that kernels launch.
fn is_allowed(operation: &Operation) -> bool {
    match operation {
        Operation::Launch(launch) => !launch.function.info().nests,
        Operation::Copy(copy) => copy.is_all_on_device(),
        Operation::Fill(_) => true,
        _ => false,
    }
}
