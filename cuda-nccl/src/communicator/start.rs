//! How communicators come into being: by a unique id, and for all devices of a process.

use std::{
    cell::UnsafeCell,
    collections::HashSet,
    ffi::c_int,
    thread,
    time::{Duration, Instant},
};

use cuda_safe::Context;

use super::{
    Communicator,
    board::{Seat, Step},
    current::{enter, said},
    inner::Inner,
    options::{CommunicatorOptions, Config},
    unique_id::UniqueId,
};
use crate::{
    error::{Error, Result},
    library::Library,
    result::NcclResult,
    sys,
};

/// One rank on its way.
pub(super) struct Start<'a> {
    library: &'static Library,
    context: &'a Context,
    options: &'a CommunicatorOptions,
    rank: usize,
    size: usize,
    configs: Box<[UnsafeCell<Config>; 2]>,
    /// `control` and `work`. NCCL's threads write here until a call is over.
    pub(super) comms: Box<[UnsafeCell<sys::ncclComm_t>; 2]>,
    /// What names the communicator within the process, and the rank's place there.
    seat: Option<(Vec<u8>, Seat)>,
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
                "there is no rank {rank} of {size}: ranks count from 0"
            )));
        }
        let primary = Context::primary_of(context.device())?;
        if primary != *context {
            return Err(Error::Value(
                "NCCL works in a device's primary context alone: make the communicator with Context::primary".into(),
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
            seat: Some((name.clone(), Seat::take(name, rank))),
        })
    }

    pub(super) fn comm(&self, which: usize) -> sys::ncclComm_t {
        // SAFETY: an aligned word; NCCL writes it whole, and before the state that is polled changes.
        unsafe { self.comms[which].get().read_volatile() }
    }

    pub(super) fn config(&self, which: usize) -> *mut sys::ncclConfig_t {
        // SAFETY: an address within the box.
        unsafe { &raw mut (*self.configs[which].get()).raw }
    }

    fn who(&self) -> String {
        format!("rank {} of {}", self.rank, self.size)
    }

    /// `None` while a call of the first communicator goes on.
    fn state(&self, call: &'static str) -> Option<Result<()>> {
        let ask = self.library.functions().ncclCommGetAsyncError;
        let ask = match self.library.need("ncclCommGetAsyncError", ask) {
            Ok(ask) => ask,
            Err(error) => return Some(Err(error)),
        };
        let mut state = sys::ncclResult_t::ncclSuccess;
        // SAFETY: the communicator is live, `state` is valid for the write.
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
            result => Some(Err(Error::nccl(call, result, &said(self.library)))),
        }
    }
}

impl Drop for Start<'_> {
    fn drop(&mut self) {
        // What is still here was not handed over: it is ended, also where a call goes on. NCCL's threads are over then.
        for which in [CONTROL, WORK] {
            let comm = std::mem::replace(self.comms[which].get_mut(), std::ptr::null_mut());
            let (Some(abort), false) = (self.library.functions().ncclCommAbort, comm.is_null())
            else {
                continue;
            };
            let _current = enter(self.context);
            // SAFETY: nobody else has it.
            let _ = unsafe { abort(comm) };
        }
    }
}

/// Calls `begin` for each, in one group where there are several, and waits for the end of all of them.
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
        result => Err(Error::nccl(call, result, &said(one.library))),
    };
    let since = Instant::now();
    let start_group = one
        .library
        .need("ncclGroupStart", functions.ncclGroupStart)?;
    let end_group = one.library.need("ncclGroupEnd", functions.ncclGroupEnd)?;
    if grouped {
        // SAFETY: ended below in any case.
        check("ncclGroupStart", unsafe { start_group() })?;
    }
    let begun = starts.iter().try_for_each(|start| {
        let _current = enter(start.context)?;
        check(call, begin(start)?)
    });
    let ended = match grouped {
        // SAFETY: begun above, on this thread.
        true => check("ncclGroupEnd", unsafe { end_group() }),
        false => Ok(()),
    };
    begun?;
    ended?;
    for start in starts {
        loop {
            if let Some(state) = start.state(call) {
                state?;
                break;
            }
            if since.elapsed() > start.options.timeout {
                return Err(Error::Lost(format!(
                    "{}: the other ranks have not come within the time limit of {:?} ({call}): see that all {} ranks run, have \
                     the same unique id, and reach each other; NCCL_DEBUG=INFO shows what NCCL does",
                    start.who(),
                    start.options.timeout,
                    start.size
                )));
            }
            thread::sleep(Duration::from_micros(100));
        }
    }
    Ok(())
}

/// From the first communicators of all to the finished ones.
pub(super) fn finish(mut starts: Vec<Start<'_>>) -> Result<Vec<Communicator>> {
    step(&starts, "ncclCommSplit", |start| {
        let split = start.library.functions().ncclCommSplit;
        let split = start.library.need("ncclCommSplit", split)?;
        let (place, config) = (start.comms[WORK].get(), start.config(WORK));
        // SAFETY: a ready communicator; the place and the config live until the call is over or aborted.
        Ok(unsafe { split(start.comm(CONTROL), 0, start.rank as c_int, place, config) })
    })?;
    if let Some(start) = starts.iter().find(|start| start.comm(WORK).is_null()) {
        return Err(Error::Lost(format!(
            "{}: ncclCommSplit has made no communicator",
            start.who()
        )));
    }
    let seats = || {
        starts
            .iter()
            .filter_map(|start| Some((start, &start.seat.as_ref()?.1)))
    };
    seats().for_each(|(_, seat)| seat.step(Step::Ready));
    seats().for_each(|(start, seat)| seat.wait_for(Step::Ready, start.options.timeout));
    let mut made = Vec::with_capacity(starts.len());
    for start in &mut starts {
        let [control, work] = [CONTROL, WORK]
            .map(|which| std::mem::replace(start.comms[which].get_mut(), std::ptr::null_mut()));
        let numbers = [start.rank, start.size];
        let Some(seat) = start.seat.take() else {
            continue; // each has one
        };
        let (context, options) = (start.context.clone(), start.options.clone());
        // SAFETY: both are ready, and were taken from their places.
        let inner = unsafe {
            Inner::new(
                start.library,
                context,
                numbers,
                options,
                [control, work],
                seat,
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
    /// Rank `rank` of the `size` ranks that know `id`, each in a thread or a process of its own, on a device of its own. Waits
    /// for all of them, with the time limit of the options for each of the steps, of which there are up to three.
    ///
    /// All ranks have the same id, the same size and the same options, and versions of NCCL that agree in their first two
    /// numbers.
    ///
    /// # Errors
    /// [`Error::Missing`] without NCCL. [`Error::Value`] for a rank that there is not, or a context that is not its device's
    /// primary one. [`Error::Lost`] if the others have not come in time. What NCCL says.
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

    /// A rank for each of the contexts, in their order, of devices of this process. They may be used by one thread, which
    /// puts what all ranks do at once into a [`Group`](super::Group), or by a thread each.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`Error::Value`] for no contexts, or two of one device.
    #[doc(alias = "ncclCommInitAll")]
    pub fn for_devices(contexts: &[Context], options: CommunicatorOptions) -> Result<Vec<Self>> {
        let devices: HashSet<_> = contexts
            .iter()
            .map(|context| context.device().ordinal())
            .collect();
        if contexts.is_empty() || devices.len() < contexts.len() {
            return Err(Error::Value(format!(
                "a communicator has one or more devices, and each of them once: {} contexts of {} devices were given",
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
