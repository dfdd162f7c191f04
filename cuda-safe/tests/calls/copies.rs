//! Copies of boxes, fills of rows, and peer access.

use super::*;
use cuda_safe::memory::{HostRegion, PitchedBuffer, RegionCopy};

#[test]
fn box_copy_is_one_call() {
    traced("", || {
        let (_, stream) = device();
        let mut a = PitchedBuffer::<u32>::zeroed(&stream, [4, 3, 2]).unwrap();
        let mut b = PitchedBuffer::<u32>::zeroed(&stream, [4, 3, 2]).unwrap();
        let (copies, fills) = ("cuMemcpy", "cuMemset");
        for (extent, call) in [
            ([4, 1, 1], "cuMemcpyDtoDAsync_v2"),
            ([4, 2, 1], "cuMemcpy2DAsync_v2"),
            ([4, 2, 2], "cuMemcpy3DAsync_v2"),
        ] {
            let copy = RegionCopy::new(extent);
            makes(copies, &[call], || {
                copy.enqueue(&stream, &mut b, &a).unwrap()
            });
        }
        let host = [0u32; 24];
        let whole = HostRegion::new(&host, [4, 3, 2]).unwrap();
        let copy = RegionCopy::new([4, 3, 2]);
        makes(copies, &["cuMemcpy3DAsync_v2"], || {
            copy.upload(&stream, &mut b, whole).unwrap();
        });
        assert!(made(copies, || copy.target_at(1).enqueue(&stream, &mut b, &a)).is_empty());
        // Slices without gaps are filled as a single row.
        makes(fills, &["cuMemsetD2D8Async"], || {
            a.fill(&stream, 0x0101_0101).unwrap()
        });
        makes(fills, &["cuMemsetD2D16Async"], || {
            a.memset_u16(&stream, 1).unwrap()
        });
        makes(fills, &["cuMemsetD2D32Async"], || {
            a.fill(&stream, 1).unwrap()
        });
        let mut part = a.part_mut([0, 1], [2, 2, 2]).unwrap();
        assert_eq!(made(fills, || part.fill(&stream, 2).unwrap()).len(), 2);
        makes("cuMemFree_v2", &[], || a.close().unwrap());
    });
}

/// Enables access of device 0 to device 1.
fn access() -> cuda_safe::Result<cuda_safe::peer::PeerAccess> {
    let (here, there) = (Context::primary(0).unwrap(), Context::primary(1).unwrap());
    here.enable_peer_access(&there)
}

const ENABLE: &str = "cuCtxEnablePeerAccess";
const DISABLE: &str = "cuCtxDisablePeerAccess";

#[test]
fn peer_access_is_enabled_and_disabled_once() {
    traced("", || {
        let (_hold, _stream) = device();
        let mut first = None;
        makes(ENABLE, &["flags=0"], || first = Some(access().unwrap()));
        let mut second = None;
        assert!(made(ENABLE, || second = Some(access().unwrap())).is_empty());
        let clone = second.clone();
        for value in [first, clone] {
            assert!(made(DISABLE, || drop(value)).is_empty());
        }
        makes(DISABLE, &[], || drop(second));
    });
}

#[test]
fn failed_peer_access_is_not_counted() {
    const FAIL: &str = "cuCtxEnablePeerAccess:1:CUDA_ERROR_TOO_MANY_PEERS";
    traced(FAIL, || {
        let (_hold, _stream) = device();
        failure(access()).with_code(CUresult::CUDA_ERROR_TOO_MANY_PEERS);
        let access = access().unwrap();
        makes(DISABLE, &[], || access.close().unwrap());
    });
}

#[test]
fn peer_access_stays_enabled_if_state_of_work_is_unknown() {
    const FAIL: &str = "cuCtxSynchronize:1+:CUDA_ERROR_UNKNOWN";
    traced(FAIL, || {
        let (_hold, _stream) = device();
        let access = access().unwrap();
        assert!(made(DISABLE, || access.close().unwrap_err()).is_empty());
    });
}
