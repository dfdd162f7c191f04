//! Textures and surfaces of the emulator against what an H200 gave.

use std::collections::BTreeMap;

use cuda_conformance::texture::{cases, inexact, recorded, renew, run, start};

/// Links the emulator in place of libcuda.
use cuda_emulator as _;

#[test]
fn the_emulator_gives_what_the_gpu_gave() {
    let cases = cases();
    let recorded = recorded(&cases).unwrap();
    start();
    let (mut wrong, mut differing) = (Vec::new(), BTreeMap::new());
    for (case, gpu) in cases.iter().zip(&recorded) {
        let here = run(case);
        if case.may_fault() {
            renew();
        }
        if (here.step, here.code, here.words.len()) != (gpu.step, gpu.code, gpu.words.len()) {
            let codes = [here.step, here.code, gpu.step, gpu.code];
            wrong.push(format!(
                "{}: step and code here and on a GPU {codes:?}",
                case.name()
            ));
            continue;
        }
        let both = here.words.iter().zip(&gpu.words).enumerate();
        let (mut count, mut too_far) = (0, Vec::new());
        let kind = inexact(case);
        for (word, (&here, &gpu)) in both.filter(|(_, (a, b))| a != b) {
            match kind.filter(|kind| kind.allows(case, word, here, gpu)) {
                Some(_) => count += 1,
                None => too_far.push((word, here, gpu)),
            }
        }
        if let Some(kind) = kind
            && count > 0
        {
            *differing.entry((kind.what, kind.most)).or_insert(0) += count;
        }
        if let Some(first) = too_far.first() {
            wrong.push(format!(
                "{}: {} words differ too much, first {first:x?}",
                case.name(),
                too_far.len()
            ));
        }
    }
    println!("{differing:?}");
    for ((what, most), count) in differing {
        if count > most {
            wrong.push(format!("{what}: {count} words differ, at most {most} may"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
