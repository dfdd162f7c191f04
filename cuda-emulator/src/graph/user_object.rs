//! User objects: resources of the client that stay alive as long as graphs and their launches need
//! them.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::call;
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use crate::queue::host_functions::{Function, function};
use cuda_emulator_engine::Unpoisoned;

/// A user object.
pub struct UserObject {
    pub handle: u64,
    destroy: Function,
    data: u64,
    counts: Mutex<Counts>,
}

/// References held by the client and by graphs.
struct Counts {
    clients: u64,
    graphs: u64,
}

static OBJECTS: Table<UserObject> = Table::new();

impl Object for UserObject {
    const NAME: &'static str = "user object";
    const TAG: u8 = 0x1d;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        let references = self.counts.lock().unpoisoned().clients;
        (references > 0).then(|| format!("user object {:#x}, {references} references", self.handle))
    }
}

/// Creates a user object. The client owns the first references.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the destructor is null, the number of references is 0 or
/// too large, or the flags are not the required one.
pub fn create(data: u64, destroy: u64, references: u32, flags: u32) -> Result<Arc<UserObject>> {
    if flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC || !is_count(references) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let destroy = function(destroy)?;
    Ok(OBJECTS.insert(|handle| UserObject {
        handle,
        destroy,
        data,
        counts: Mutex::new(Counts {
            clients: references.into(),
            graphs: 0,
        }),
    }))
}

/// Returns the user object of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not live.
pub fn get(handle: u64) -> Result<Arc<UserObject>> {
    OBJECTS.get(handle).ok_or(Code::ERROR_INVALID_VALUE)
}

fn is_count(count: u32) -> bool {
    (1..=i32::MAX as u32).contains(&count)
}

impl UserObject {
    /// Adds references for the client.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if `count` is 0 or too large.
    pub fn retain(&self, count: u32) -> Result {
        if !is_count(count) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        self.counts.lock().unpoisoned().clients += u64::from(count);
        Ok(())
    }

    /// Removes references that the client holds.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if `count` is 0 or too large, or if the client has fewer
    /// references.
    pub fn release(&self, count: u32) -> Result {
        let mut counts = self.counts.lock().unpoisoned();
        if !is_count(count) || counts.clients < count.into() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        counts.clients -= u64::from(count);
        self.end_without(counts.clients + counts.graphs);
        Ok(())
    }

    /// Destroys the object if no references are left.
    fn end_without(&self, references: u64) {
        if references == 0 && OBJECTS.remove(self.handle).is_some() {
            let (destroy, data) = (self.destroy, self.data);
            destroy_elsewhere(Destruction { destroy, data });
        }
    }
}

/// A call of a destructor.
struct Destruction {
    destroy: Function,
    data: u64,
}

impl Destruction {
    fn run(self) {
        // SAFETY: the client's function is called with the client's argument, and no reference is
        // left.
        call::call_client_without_context(|| unsafe { (self.destroy)(self.data) });
    }
}

/// Calls the destructor on a separate thread, because this one may hold locks.
fn destroy_elsewhere(call: Destruction) {
    static QUEUE: Mutex<Option<Sender<Destruction>>> = Mutex::new(None);
    let mut queue = QUEUE.lock().unpoisoned();
    if queue.is_none() {
        let (sender, receiver): (_, Receiver<Destruction>) = channel();
        let thread = std::thread::Builder::new().name("cuda-user-objects".into());
        let work = move || receiver.into_iter().for_each(Destruction::run);
        if thread.spawn(work).is_ok() {
            *queue = Some(sender);
        }
    }
    match &*queue {
        // The thread never ends.
        Some(sender) => drop(sender.send(call)),
        None => {
            drop(queue);
            call.run();
        }
    }
}

impl UserObject {
    /// Counts references of a graph. The flags determine whether these are new references or the
    /// client's.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if `count` is 0 or too large, for unknown flags, and if
    /// the client has fewer references.
    pub fn add_graph_references(&self, count: u32, flags: u32) -> Result {
        if !is_count(count) || flags & !CU_GRAPH_USER_OBJECT_MOVE != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let mut counts = self.counts.lock().unpoisoned();
        if flags & CU_GRAPH_USER_OBJECT_MOVE != 0 {
            let left = counts.clients.checked_sub(count.into());
            counts.clients = left.ok_or(Code::ERROR_INVALID_VALUE)?;
        }
        counts.graphs += u64::from(count);
        Ok(())
    }

    /// Releases references of a graph.
    pub fn remove_graph_references(&self, count: u32) {
        let mut counts = self.counts.lock().unpoisoned();
        counts.graphs -= u64::from(count);
        self.end_without(counts.clients + counts.graphs);
    }
}

/// References to user objects, which are released when this is dropped.
#[derive(Default)]
pub struct References(BTreeMap<u64, (Arc<UserObject>, u64)>);

impl References {
    pub fn add(&mut self, object: &Arc<UserObject>, count: u64) {
        let entry = self.0.entry(object.handle);
        entry.or_insert_with(|| (object.clone(), 0)).1 += count;
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes references to an object.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if `count` is 0, too large, or greater than the number of
    /// references.
    pub fn take(&mut self, object: &UserObject, count: u32) -> Result {
        let entry = self.0.get_mut(&object.handle);
        let (_, held) = entry.ok_or(Code::ERROR_INVALID_VALUE)?;
        if !is_count(count) || *held < count.into() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        *held -= u64::from(count);
        if *held == 0 {
            self.0.remove(&object.handle);
        }
        Ok(())
    }

    /// Adds references to the same objects: the same number of each, or `each`.
    pub fn extend(&mut self, others: &References, each: Option<u64>) {
        for (object, count) in others.0.values() {
            let count = each.unwrap_or(*count);
            object.counts.lock().unpoisoned().graphs += count;
            self.add(object, count);
        }
    }
}

impl Drop for References {
    fn drop(&mut self) {
        for (object, count) in self.0.values() {
            let mut counts = object.counts.lock().unpoisoned();
            counts.graphs -= count;
            object.end_without(counts.clients + counts.graphs);
        }
    }
}
