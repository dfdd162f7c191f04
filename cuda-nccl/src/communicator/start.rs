//! Creation of communicators: from a unique id, and for all devices of a process.

use std::{cell::UnsafeCell, collections::HashSet, ffi::c_int, thread, time::Instant};

use cuda_safe::Context;

use super::{
    Communicator,
    board::{Membership, Step},
    current::{enter, last_error},
    inner::Inner,
    options::{CommunicatorOptions, Config},
    shared::waiting,
    unique_id::UniqueId,
};
use crate::{
    error::{Error, Result},
    library::Library,
    notice, pause,
    result::NcclResult,
    sys,
};

/// A rank whose communicator is being created.
pub(super) struct Start<'a> {
    library: &'static Library,
    context: &'a Context,
    options: &'a CommunicatorOptions,
    rank: usize,
    size: usize,
    configs: Box<[UnsafeCell<Config>; 2]>,
    /// The handles `control` and `work`. NCCL's threads write here until a call is over.
    pub(super) comms: Box<[UnsafeCell<sys::ncclComm_t>; 2]>,
    /// The key of the communicator within this process, and the rank's membership.
    membership: Option<(Vec<u8>, Membership)>,
}

pub(super) const CONTROL: usize = 0;
const WORK: usize = 1;

impl<'a> Start<'a> {
    pub(super) fn new(
        context: &'a Context,
        options: &'a CommunicatorOptions,
        [rank, size]: [usize; 2],
        name: Vec<u8>,
    ) -> Result<Self> {
        let library = Library::get()?;
        if rank >= size || c_int::try_from(size).is_err() {
            return Err(Error::Value(format!(
                "there is no rank {rank} in a group of {size}: ranks are counted from 0"
            )));
        }
        let primary = Context::primary_of(context.device())?;
        if primary != *context {
            return Err(Error::Value(
                "NCCL works only in a device's primary context. Fix: create the context with Context::primary".into(),
            ));
        }
        let null = || UnsafeCell::new(std::ptr::null_mut());
        let config = |blocking| Config::new(options, blocking).map(UnsafeCell::new);
        Ok(Self {
            library,
            context,
            options,
            rank,
            size,
            configs: Box::new([config(false)?, config(true)?]),
            comms: Box::new([null(), null()]),
            membership: Some((name.clone(), Membership::join(name, rank))),
        })
    }

    pub(super) fn comm(&self, which: usize) -> sys::ncclComm_t {
        // SAFETY: an aligned word, which NCCL writes in one access before it changes the state that
        // is polled.
        unsafe { self.comms[which].get().read_volatile() }
    }

    pub(super) fn config(&self, which: usize) -> *mut sys::ncclConfig_t {
        // SAFETY: the address is within the box.
        unsafe { &raw mut (*self.configs[which].get()).raw }
    }

    fn who(&self) -> String {
        format!("rank {} of {}", self.rank, self.size)
    }

    /// Returns the result of the first communicator's call, or `None` while the call is in
    /// progress.
    fn state(&self, call: &'static str) -> Option<Result<()>> {
        let ask = self.library.functions().ncclCommGetAsyncError;
        let ask = match self.library.need("ncclCommGetAsyncError", ask) {
            Ok(ask) => ask,
            Err(error) => return Some(Err(error)),
        };
        let mut state = sys::ncclResult_t::ncclSuccess;
        // SAFETY: the communicator is live, and `state` is valid for the write.
        let asked = NcclResult(unsafe { ask(self.comm(CONTROL), &mut state) }.0);
        let state = NcclResult(state.0);
        let result = if asked == NcclResult::SUCCESS {
            state
        } else {
            asked
        };
        match result {
            NcclResult::IN_PROGRESS => None,
            NcclResult::SUCCESS => Some(Ok(())),
            result => Some(Err(Error::nccl(call, result, &last_error(self.library)))),
        }
    }
}

impl Drop for Start<'_> {
    fn drop(&mut self) {
        // Handles that are still here were not passed on. They are aborted even if a call is in
        // progress. NCCL's threads have ended after that.
        for which in [CONTROL, WORK] {
            let comm = std::mem::replace(self.comms[which].get_mut(), std::ptr::null_mut());
            let (Some(abort), false) = (self.library.functions().ncclCommAbort, comm.is_null())
            else {
                continue;
            };
            let _current = enter(self.context);
            // SAFETY: this is the only reference to the communicator.
            let _ = unsafe { abort(comm) };
        }
    }
}

/// Calls `begin` for each rank, in an NCCL group if there are several, and waits until all calls
/// are over.
fn step(
    starts: &[Start<'_>],
    call: &'static str,
    begin: impl Fn(&Start<'_>) -> Result<sys::ncclResult_t>,
) -> Result<()> {
    let Some(one) = starts.first() else {
        return Ok(());
    };
    let functions = one.library.functions();
    let grouped = starts.len() > 1;
    let check = |call: &'static str, result: sys::ncclResult_t| match NcclResult(result.0) {
        NcclResult::SUCCESS | NcclResult::IN_PROGRESS => Ok(()),
        result => Err(Error::nccl(call, result, &last_error(one.library))),
    };
    let since = Instant::now();
    let start_group = one
        .library
        .need("ncclGroupStart", functions.ncclGroupStart)?;
    let end_group = one.library.need("ncclGroupEnd", functions.ncclGroupEnd)?;
    if grouped {
        // SAFETY: ended below on every path.
        check("ncclGroupStart", unsafe { start_group() })?;
    }
    let begun = starts.iter().try_for_each(|start| {
        let _current = enter(start.context)?;
        check(call, begin(start)?)
    });
    let ended = match grouped {
        // SAFETY: started above, on this thread.
        true => check("ncclGroupEnd", unsafe { end_group() }),
        false => Ok(()),
    };
    begun?;
    ended?;
    let mut notice = notice::due(one.options.timeout);
    for start in starts {
        loop {
            if let Some(state) = start.state(call) {
                state?;
                break;
            }
            let waited = since.elapsed();
            if let Some(due) = notice.take_if(|due| waited > *due) {
                notice::print(&waiting(
                    &start.who(),
                    "the other ranks",
                    due,
                    start.options.timeout,
                ));
            }
            if waited > start.options.timeout {
                return Err(Error::Lost(format!(
                    "{}: the other ranks have not arrived within the time limit of {:?} (CommunicatorOptions::timeout, {call}). Fix: check that all {} \
                     ranks run, have the same unique id and can reach each other. NCCL_DEBUG=INFO prints NCCL's steps",
                    start.who(),
                    notice::rounded(start.options.timeout),
                    start.size
                )));
            }
            thread::sleep(pause::after(waited));
        }
    }
    Ok(())
}

/// Splits the `work` communicators off the `control` communicators, and returns the finished
/// communicators of these ranks.
pub(super) fn finish(mut starts: Vec<Start<'_>>) -> Result<Vec<Communicator>> {
    step(&starts, "ncclCommSplit", |start| {
        let split = start.library.functions().ncclCommSplit;
        let split = start.library.need("ncclCommSplit", split)?;
        let (place, config) = (start.comms[WORK].get(), start.config(WORK));
        // SAFETY: the communicator is ready. The place and the config live until the call is over
        // or aborted.
        Ok(unsafe { split(start.comm(CONTROL), 0, start.rank as c_int, place, config) })
    })?;
    if let Some(start) = starts.iter().find(|start| start.comm(WORK).is_null()) {
        return Err(Error::Lost(format!(
            "{}: ncclCommSplit returned no communicator",
            start.who()
        )));
    }
    let members = || {
        starts
            .iter()
            .filter_map(|start| Some((start, &start.membership.as_ref()?.1)))
    };
    members().for_each(|(_, membership)| membership.step(Step::Ready));
    members()
        .for_each(|(start, membership)| membership.wait_for(Step::Ready, start.options.timeout));
    let mut made = Vec::with_capacity(starts.len());
    for start in &mut starts {
        let [control, work] = [CONTROL, WORK]
            .map(|which| std::mem::replace(start.comms[which].get_mut(), std::ptr::null_mut()));
        let numbers = [start.rank, start.size];
        let Some(membership) = start.membership.take() else {
            continue; // never happens: each rank has one
        };
        let (context, options) = (start.context.clone(), start.options.clone());
        // SAFETY: both are ready, and were taken out of `start`, so nothing else uses them.
        let inner = unsafe {
            Inner::new(
                start.library,
                context,
                numbers,
                options,
                [control, work],
                membership,
            )
        };
        made.push(Communicator(inner));
    }
    Ok(made)
}

fn by_id(starts: Vec<Start<'_>>, id: UniqueId) -> Result<Vec<Communicator>> {
    step(&starts, "ncclCommInitRankConfig", |start| {
        let init = start.library.functions().ncclCommInitRankConfig;
        let init = start.library.need("ncclCommInitRankConfig", init)?;
        let (place, config) = (start.comms[CONTROL].get(), start.config(CONTROL));
        let (size, rank) = (start.size as c_int, start.rank as c_int);
        // SAFETY: the place and the config live until the call is over or aborted.
        Ok(unsafe { init(place, size, id.0, rank, config) })
    })?;
    finish(starts)
}

impl Communicator {
    /// Creates rank `rank` of a group of `size` ranks that know `id`.
    ///
    /// Each rank calls this in a separate thread or process, with a different device. The call
    /// waits for all ranks. It has up to three steps, and the time limit of the options applies to
    /// each. All ranks must pass the same id, size and options, and must use the same major and
    /// minor version of NCCL.
    ///
    /// See
    /// [`ncclCommInitRankConfig`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/comms.html#ncclcomminitrankconfig).
    ///
    /// # Errors
    /// - Returns [`Error::Missing`] or [`Error::Unsupported`] if [NCCL cannot be
    ///   used](Library::get).
    /// - Returns [`Error::Value`] if `rank >= size`, or if `context` is not its device's primary
    ///   context.
    /// - Returns [`Error::Lost`] if the other ranks have not arrived in time.
    /// - Returns [`Error::Nccl`] if an NCCL call fails.
    #[doc(alias = "ncclCommInitRankConfig")]
    pub fn new(
        context: &Context,
        id: UniqueId,
        rank: usize,
        size: usize,
        options: CommunicatorOptions,
    ) -> Result<Self> {
        let start = Start::new(context, &options, [rank, size], id.to_bytes().to_vec())?;
        let mut made = by_id(vec![start], id)?;
        Ok(made.swap_remove(0))
    }

    /// Creates one rank for each context, in this order, for devices of this process.
    ///
    /// One thread may use all the ranks and put calls that the ranks make together into a
    /// [`Group`](super::Group), or each rank may be used by a separate thread.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new), and [`Error::Value`] if there is no context or if
    /// two contexts belong to one device.
    #[doc(alias = "ncclCommInitAll")]
    pub fn for_devices(contexts: &[Context], options: CommunicatorOptions) -> Result<Vec<Self>> {
        let devices: HashSet<_> = contexts
            .iter()
            .map(|context| context.device().ordinal())
            .collect();
        if contexts.is_empty() || devices.len() < contexts.len() {
            return Err(Error::Value(format!(
                "for_devices: {} contexts of {} devices. Fix: pass at least one context, and at most one per device",
                contexts.len(),
                devices.len()
            )));
        }
        let id = UniqueId::new()?;
        let name = id.to_bytes().to_vec();
        let starts: Result<Vec<_>> = contexts
            .iter()
            .enumerate()
            .map(|(rank, context)| {
                Start::new(context, &options, [rank, contexts.len()], name.clone())
            })
            .collect();
        by_id(starts?, id)
    }
}
