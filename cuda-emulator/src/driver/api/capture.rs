//! Captures of streams.

use crate::driver::arg::Out;
use crate::driver::call::export;
use crate::driver::capture;
use crate::driver::streams;

export! {
    fn cuStreamBeginCapture_v2 / cuStreamBeginCapture_v2_ptsz(hStream: u64, mode: u32) {
        capture::begin(&streams::find(hStream)?, mode)
    }

    fn cuStreamEndCapture / cuStreamEndCapture_ptsz(hStream: u64, phGraph: Out<u64>) {
        phGraph.check()?;
        let ended = capture::end(&streams::find(hStream)?);
        phGraph.set(ended.as_ref().map_or(0, |graph| graph.handle))?;
        ended.map(drop)
    }

    fn cuStreamIsCapturing / cuStreamIsCapturing_ptsz(hStream: u64, captureStatus: Out<u32>) {
        captureStatus.check()?;
        captureStatus.set(capture::status(&streams::find(hStream)?) as u32)
    }

    fn cuThreadExchangeStreamCaptureMode(mode: Out<u32>) {
        mode.set(capture::exchange_mode(mode.get()?)?)
    }

    fn cuGraphDestroy(hGraph: u64) {
        capture::destroy_graph(hGraph)
    }
}
