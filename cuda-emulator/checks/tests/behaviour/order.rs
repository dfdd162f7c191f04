//! The order in which warps run: the effects of sleeping and of a seed.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

#[test]
fn sleeping_lets_other_warps_run() {
    let _context = Own::new();
    let function = function(load(FAULTS), "wait_asleep");
    let (flag, out) = (upload(&[0]), alloc(4));
    let code = launch(function, 2, 1, null_mut(), &mut [arg(&flag), arg(&out)]);
    assert_eq!(code, SUCCESS);
    assert_eq!(download::<i32>(out, 1), [7]);
}

/// Prints, with one host thread, the order in which warps run, and the sums of a kernel without and
/// with its barriers.
fn seeded() {
    let _context = Own::new();
    let module = load(FAULTS);
    let (counter, order, sums) = (upload(&[0]), alloc(4 * 32), alloc(32));
    let run = |name, block, arguments: &mut [_]| {
        ok!(launch(
            function(module, name),
            8,
            block,
            null_mut(),
            arguments
        ));
    };
    run("order", 128, &mut [arg(&counter), arg(&order)]);
    // The test harness has already started a line.
    println!("\norder {:?}", download::<i32>(order, 32));
    for (name, barrier) in [("without", 0), ("with", 1)] {
        run("tree_sum", 256, &mut [arg(&sums), arg(&barrier)]);
        println!("{name} {:?}", download::<i32>(sums, 8));
    }
}

#[test]
fn seeds_change_the_order_and_reveal_a_missing_barrier() {
    if inner() {
        return seeded();
    }
    let line = |output: &str, name: &str| {
        let mut lines = output.lines();
        let found = lines.find_map(|line| line.strip_prefix(name));
        found
            .unwrap_or_else(|| panic!("no {name} in {output}"))
            .to_string()
    };
    let right = format!(" {:?}", [255 * 128; 8]);
    let (mut orders, mut wrong) = (std::collections::BTreeSet::new(), 0);
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let variables = [("CUDA_EMULATOR_THREADS", "1"), ("CUDA_EMULATOR_SEED", seed)];
        let output = passes(&variables, || {});
        orders.insert(line(&output, "order"));
        assert_eq!(line(&output, "with "), right[1..], "seed {seed}");
        wrong += usize::from(line(&output, "without") != right);
        let again = line(&passes(&variables, || {}), "order");
        assert_eq!(line(&output, "order"), again, "seed {seed} again");
    }
    assert!(orders.len() > 3, "{orders:?}");
    assert!(wrong > 0, "no seed revealed the missing barrier");
}
