//! Captures of streams.

use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::{self, Dependency, capture};
use crate::process::call::export;
use crate::queue::stream_table;

use capture::Status;

/// Destinations of the parts of a capture's description.
struct Places {
    status: Out<u32>,
    id: Out<u64>,
    graph: Out<u64>,
    dependencies: Out<u64>,
    edges: Option<Out<u64>>,
    count: Out<usize>,
}

fn describe(stream: u64, to: Places) -> Result {
    to.status.check()?;
    if to.dependencies.is_null() && to.edges.is_some_and(|edges| !edges.is_null()) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let Some(info) = capture::query(&stream_table::find(stream)?)? else {
        return to.status.set(Status::None as u32);
    };
    if info.status == Status::Active {
        let plain = |one: &Dependency| one.data == EdgeData::default();
        let shown = to.edges.is_some_and(|edges| !edges.is_null());
        if !to.dependencies.is_null() && !shown && !info.front.iter().all(plain) {
            return Err(Code::ERROR_LOSSY_QUERY);
        }
        to.id.set_optional(info.id);
        to.graph.set_optional(info.graph);
        to.dependencies.set_optional(info.listed.0);
        to.edges.unwrap_or(Out::null()).set_optional(info.listed.1);
        to.count.set_optional(info.front.len());
    }
    to.status.set(info.status as u32)
}

/// Reads nodes and optional edge data. Each node is looked up before the next one is read, so that
/// reading stops early if the count is too large.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if a pointer is null or a node is not live.
pub fn dependencies(nodes: In<u64>, data: In<EdgeData>, count: usize) -> Result<Vec<Dependency>> {
    let one = |index| {
        let node = nodes.at(index)?;
        graph::containing(node)?;
        let data = match data.is_null() {
            true => EdgeData::default(),
            false => data.at(index)?,
        };
        Ok(Dependency { node, data })
    };
    (0..count).map(one).collect()
}

fn update(stream: u64, nodes: In<u64>, data: In<EdgeData>, count: usize, flags: u32) -> Result {
    let stream = stream_table::find(stream)?;
    if flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let replace = flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES;
    capture::update_front(&stream, dependencies(nodes, data, count)?, replace)
}

export! {
    fn cuStreamBeginCapture / cuStreamBeginCapture_ptsz(hStream: u64) {
        capture::begin(&stream_table::find(hStream)?, CU_STREAM_CAPTURE_MODE_GLOBAL, None)
    }

    fn cuStreamBeginCapture_v2 / cuStreamBeginCapture_v2_ptsz(hStream: u64, mode: u32) {
        capture::begin(&stream_table::find(hStream)?, mode, None)
    }

    fn cuStreamBeginCaptureToGraph / cuStreamBeginCaptureToGraph_ptsz(hStream: u64, hGraph: u64, dependencies_: In<u64>, dependencyData: In<EdgeData>, numDependencies: usize, mode: u32) {
        let (stream, graph) = (stream_table::find(hStream)?, graph::get(hGraph)?);
        let front = dependencies(dependencies_, dependencyData, numDependencies)?;
        capture::begin(&stream, mode, Some((graph, front)))
    }

    fn cuStreamEndCapture / cuStreamEndCapture_ptsz(hStream: u64, phGraph: Out<u64>) {
        phGraph.check()?;
        let ended = capture::end(&stream_table::find(hStream)?);
        phGraph.set(ended.as_ref().map_or(0, |graph| graph.handle))?;
        ended.map(drop)
    }

    fn cuStreamIsCapturing / cuStreamIsCapturing_ptsz(hStream: u64, captureStatus: Out<u32>) {
        captureStatus.check()?;
        let info = capture::query(&stream_table::find(hStream)?)?;
        captureStatus.set(info.map_or(Status::None, |info| info.status) as u32)
    }

    fn cuStreamGetCaptureInfo / cuStreamGetCaptureInfo_ptsz(hStream: u64, captureStatus_out: Out<u32>, id_out: Out<u64>) {
        describe(hStream, Places { status: captureStatus_out, id: id_out, graph: Out::null(), dependencies: Out::null(), edges: None, count: Out::null() })
    }

    fn cuStreamGetCaptureInfo_v2 / cuStreamGetCaptureInfo_v2_ptsz(hStream: u64, captureStatus_out: Out<u32>, id_out: Out<u64>, graph_out: Out<u64>, dependencies_out: Out<u64>, numDependencies_out: Out<usize>) {
        describe(hStream, Places { status: captureStatus_out, id: id_out, graph: graph_out, dependencies: dependencies_out, edges: None, count: numDependencies_out })
    }

    fn cuStreamGetCaptureInfo_v3 / cuStreamGetCaptureInfo_v3_ptsz(hStream: u64, captureStatus_out: Out<u32>, id_out: Out<u64>, graph_out: Out<u64>, dependencies_out: Out<u64>, edgeData_out: Out<u64>, numDependencies_out: Out<usize>) {
        describe(hStream, Places { status: captureStatus_out, id: id_out, graph: graph_out, dependencies: dependencies_out, edges: Some(edgeData_out), count: numDependencies_out })
    }

    fn cuStreamUpdateCaptureDependencies / cuStreamUpdateCaptureDependencies_ptsz(hStream: u64, dependencies_: In<u64>, numDependencies: usize, flags: u32) {
        update(hStream, dependencies_, In::null(), numDependencies, flags)
    }

    fn cuStreamUpdateCaptureDependencies_v2 / cuStreamUpdateCaptureDependencies_v2_ptsz(hStream: u64, dependencies_: In<u64>, dependencyData: In<EdgeData>, numDependencies: usize, flags: u32) {
        update(hStream, dependencies_, dependencyData, numDependencies, flags)
    }

    fn cuThreadExchangeStreamCaptureMode(mode: Out<u32>) {
        mode.set(capture::exchange_mode(mode.get()?)?)
    }
}
