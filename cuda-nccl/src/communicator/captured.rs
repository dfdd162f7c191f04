//! Keeps track of the graphs that calls were captured into.

use std::{
    ffi::{c_int, c_void},
    mem,
    ptr::{self, NonNull},
    sync::Arc,
};

use cuda_safe::{
    Stream,
    sys::{
        self, CUgraph, CUgraphNode, CUresult, CUstream, CUstreamCaptureStatus, CUuserObject_flags,
        CUuserObjectRetain_flags,
    },
};

/// Counts the graphs and executable graphs that contain calls of a communicator. The driver's
/// graphs hold the references.
#[derive(Default)]
pub(super) struct Graphs(Arc<()>);

impl Graphs {
    /// Returns whether a graph with calls of this communicator still exists and may be launched.
    pub(super) fn exist(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Adds the graph that the stream is capturing into.
    #[cold]
    pub(super) fn add(&self, stream: &Stream) {
        let reference = Arc::into_raw(self.0.clone()).cast_mut().cast();
        // If the driver does not take the reference, the reference is leaked, and the graph counts
        // as existing forever.
        let _ = hold(stream, reference);
    }
}

/// Drops a reference to the `Arc` of [`Graphs`].
unsafe extern "C" fn release(reference: *mut c_void) {
    // SAFETY: the pointer comes from `Arc::into_raw`, and the driver calls this once.
    drop(unsafe { Arc::from_raw(reference.cast_const().cast::<()>()) });
}

/// Makes the captured graph, and all graphs created from it, hold the reference. Returns `None` if
/// the driver fails.
fn hold(stream: &Stream, reference: *mut c_void) -> Option<()> {
    let done = |code| (code == CUresult::CUDA_SUCCESS).then_some(());
    let graph = captured_graph(stream)?;
    let mut object = ptr::null_mut();
    let no_sync = CUuserObject_flags::CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
    // SAFETY: `object` is valid for the write, and `release` takes ownership of the reference.
    done(unsafe { sys::cuUserObjectCreate(&mut object, reference, Some(release), 1, no_sync.0) })?;
    let moved = CUuserObjectRetain_flags::CU_GRAPH_USER_OBJECT_MOVE;
    // SAFETY: both handles are live, because the stream is capturing. The only reference to the
    // object moves to the graph.
    done(unsafe { sys::cuGraphRetainUserObject(graph, object, 1, moved.0) })
}

fn captured_graph(stream: &Stream) -> Option<CUgraph> {
    type GetInfo = unsafe extern "C" fn(
        CUstream,
        *mut CUstreamCaptureStatus,
        *mut u64,
        *mut CUgraph,
        *mut *const CUgraphNode,
        *mut usize,
    ) -> CUresult;
    /// The CUDA version of the function's signature above. Newer headers declare a later signature,
    /// which older drivers lack.
    const SINCE: c_int = 11030;
    let name = c"cuStreamGetCaptureInfo";
    let mut address = ptr::null_mut();
    // SAFETY: the name is NUL-terminated, `address` is valid for the write, and the status pointer
    // may be null.
    let code =
        unsafe { sys::cuGetProcAddress_v2(name.as_ptr(), &mut address, SINCE, 0, ptr::null_mut()) };
    let address = NonNull::new(address).filter(|_| code == CUresult::CUDA_SUCCESS)?;
    // SAFETY: in this version of CUDA the function has this type.
    let get_info = unsafe { mem::transmute::<NonNull<c_void>, GetInfo>(address) };
    let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    let (mut number, mut graph) = (0, ptr::null_mut());
    // SAFETY: the stream is live, the pointers are valid for writes, and the driver ignores null
    // pointers.
    let code = unsafe {
        get_info(
            stream.as_raw(),
            &mut status,
            &mut number,
            &mut graph,
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    (code == CUresult::CUDA_SUCCESS && !graph.is_null()).then_some(graph)
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::*;

    #[test]
    fn graphs_exist_for_as_long_as_they_may_be_launched() {
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        assert_eq!(captured_graph(&stream), None);
        let graphs = Graphs::default();
        assert!(!graphs.exist());
        // SAFETY: nothing is captured.
        let graph = unsafe {
            stream.capture(|_| {
                assert!(captured_graph(&stream).is_some());
                graphs.add(&stream);
                Ok::<_, cuda_safe::Error>(())
            })
        };
        assert!(graphs.exist());
        drop(graph.unwrap());
        // The driver drops the reference on a separate thread.
        let start = std::time::Instant::now();
        while graphs.exist() {
            assert!(start.elapsed().as_secs() < 20, "the graph still exists");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}
