//! Peer access: kernels reach another device's memory only where it was enabled, and as long as it is.

mod abi;
use abi::*;
use std::ptr::null_mut;

/// Reads a word of `from` in a kernel of the current context; the code of the next synchronisation.
fn run(from: CUdeviceptr) -> CUresult {
    let kernel = function(load(include_str!("abi/faults.ptx")), "read_global");
    let to = alloc(4);
    let code = launch(kernel, 1, 1, null_mut(), &mut [arg(&to), arg(&from)]);
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    // SAFETY: no arguments.
    unsafe { cuCtxSynchronize() }
}

/// The same in a new context on device 0 that has enabled access to the devices of `peers` and disabled it again to those
/// of `disabled`.
fn read(from: CUdeviceptr, peers: &[CUcontext], disabled: &[CUcontext]) -> CUresult {
    let _context = Own::new();
    for peer in peers {
        ok!(cuCtxEnablePeerAccess(*peer, 0));
    }
    for peer in disabled {
        ok!(cuCtxDisablePeerAccess(*peer));
    }
    run(from)
}

#[test]
fn access_is_a_matter_of_each_pair_of_devices() {
    let parts = ["CUDA_ERROR_ILLEGAL_ADDRESS", "kernel read_global"];
    let variables = [("CUDA_EMULATOR_DEVICES", "4")];
    let test = "access_is_a_matter_of_each_pair_of_devices";
    reports(test, &variables, &parts, || {
        ok!(cuInit(0));
        let others = [1, 2, 3].map(|device| {
            let mut context = null_mut();
            ok!(cuCtxCreate_v2(&mut context, 0, device));
            let memory = upload(&[7u32]);
            // One's own device is no peer.
            assert_eq!(run(memory), CUresult::CUDA_SUCCESS, "device {device}");
            (context, memory)
        });
        let contexts = others.map(|(context, _)| context);
        for (at, (own, memory)) in others.into_iter().enumerate() {
            let rest: Vec<_> = contexts.into_iter().filter(|one| *one != own).collect();
            for (code, peers, disabled) in [
                (CUresult::CUDA_SUCCESS, &contexts[..], &[][..]),
                (CUresult::CUDA_SUCCESS, &[own], &[]),
                (CUresult::CUDA_SUCCESS, &contexts, &rest),
                (CUresult::CUDA_ERROR_ILLEGAL_ADDRESS, &[], &[]),
                (CUresult::CUDA_ERROR_ILLEGAL_ADDRESS, &rest, &[]),
                (CUresult::CUDA_ERROR_ILLEGAL_ADDRESS, &contexts, &[own]),
            ] {
                let got = read(memory, peers, disabled);
                assert_eq!(got, code, "device {}, {} peers", at + 1, peers.len());
            }
        }
        // What a context enables is for itself, and in one direction.
        let _first = Own::new();
        ok!(cuCtxEnablePeerAccess(contexts[0], 0));
        fails!(
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
            cuCtxEnablePeerAccess(contexts[0], 0)
        );
        fails!(
            CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
            cuCtxDisablePeerAccess(contexts[1])
        );
        ok!(cuCtxDisablePeerAccess(contexts[0]));
        fails!(
            CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
            cuCtxDisablePeerAccess(contexts[0])
        );
    });
}
