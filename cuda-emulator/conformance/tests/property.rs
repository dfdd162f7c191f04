//! Random straight-line programs on the emulator, without a GPU: compared with Rust, and with other
//! arrangements of the same lanes.

use cuda_conformance::property::{Program, pool, reference, shrink, warp_pool, warp_reference};
use cuda_conformance::{Form, Operand, Outcome, Runner};

/// Links the emulator in place of libcuda.
use cuda_emulator as _;

/// The same programs in every run. Set `PROPERTY_SEED` for others.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let first = std::env::var("PROPERTY_SEED").map_or(1, |seed| seed.parse().unwrap());
    first..first + count
}

fn run(runner: &Runner, programs: &[Program]) -> Vec<Vec<Vec<u64>>> {
    let forms: Vec<Form> = programs.iter().map(Program::form).collect();
    let outcomes = runner.run(&forms).into_iter().zip(&forms);
    outcomes
        .map(|(outcome, form)| {
            outcome.unwrap_or_else(|e| panic!("{}: {e}\n{}", form.name, form.body))
        })
        .collect()
}

#[test]
fn instructions_match_rust() {
    let (pool, runner) = (pool(), Runner::new().unwrap());
    let programs: Vec<Program> = seeds(300)
        .map(|seed| Program::generate(&pool, seed).all_outputs())
        .collect();
    let (mut checked, mut forms) = (0, std::collections::BTreeSet::new());
    for (program, columns) in programs.iter().zip(run(&runner, &programs)) {
        let column = |register: usize| {
            let output = program.outputs.iter().position(|&r| r == register);
            match output {
                Some(output) => &columns[output],
                None => {
                    &program
                        .inputs
                        .iter()
                        .find(|(r, _)| *r == register)
                        .unwrap()
                        .1
                }
            }
        };
        for step in &program.steps {
            for case in 0..program.cases() {
                if let Some((guard, not, before)) = &step.guard
                    && (column(*guard)[case] == 1) == *not
                {
                    for (&result, &start) in step.results.iter().zip(before) {
                        // The program may have canonicalized a NaN.
                        let (got, want) = (column(result)[case], column(start)[case]);
                        assert!(
                            got == want || f64::from_bits(want).is_nan(),
                            "{}: {} changed a register although its guard is false",
                            program.name,
                            step.form.name
                        );
                    }
                    continue;
                }
                let operands: Vec<u64> = step
                    .operands
                    .iter()
                    .zip(&step.form.operands)
                    .map(|(&r, kind)| match kind {
                        Operand::Count => column(r)[case] & 0x8000_01ff,
                        _ => column(r)[case],
                    })
                    .collect();
                let Some(want) = reference(step.form, &operands) else {
                    continue;
                };
                let got: Vec<u64> = step.results.iter().map(|&r| column(r)[case]).collect();
                assert_eq!(
                    got, want,
                    "{}: {} of {operands:x?} in case {case}",
                    program.name, step.form.name
                );
                checked += 1;
                forms.insert(&step.form.name);
            }
        }
    }
    println!("{checked} results of {} instructions", forms.len());
    for kind in ["carries ", "vectors "] {
        assert!(forms.iter().any(|name| name.starts_with(kind)), "no {kind}");
    }
    assert!(
        checked > 100_000 && forms.len() > 150,
        "{checked} of {}",
        forms.len()
    );
}

#[test]
fn warps_match_rust() {
    let (pool, runner) = (warp_pool(), Runner::new().unwrap());
    let programs: Vec<Program> = seeds(200)
        .map(|seed| Program::generate(&pool, seed).all_outputs())
        .collect();
    let mut forms = std::collections::BTreeSet::new();
    for (program, columns) in programs.iter().zip(run(&runner, &programs)) {
        let column = |register: usize| match program.outputs.iter().position(|&r| r == register) {
            Some(output) => &columns[output],
            None => {
                let input = program.inputs.iter().find(|(r, _)| *r == register);
                &input.unwrap().1
            }
        };
        for step in program.steps.iter().filter(|step| step.form.whole_warp) {
            assert!(step.guard.is_none(), "{}", step.form.name);
            for first in (0..program.cases()).step_by(32) {
                let of = |registers: &[usize]| -> Vec<Vec<u64>> {
                    let lane = |case| registers.iter().map(|&r| column(r)[case]).collect();
                    (first..first + 32).map(lane).collect()
                };
                let lanes = of(&step.operands);
                let Some(want) = warp_reference(step.form, &lanes) else {
                    continue;
                };
                assert_eq!(
                    of(&step.results),
                    want,
                    "{}: {} of {lanes:x?}",
                    program.name,
                    step.form.name
                );
                forms.insert(&step.form.name);
            }
        }
    }
    for kind in [
        " vote ",
        " redux ",
        " shfl ",
        " ballot branch ",
        " ballot guard ",
        ".s8.",
    ] {
        let of_kind = forms.iter().filter(|name| name.contains(kind)).count();
        assert!(of_kind > 3, "{of_kind} of{kind}");
    }
}

#[test]
fn warp_results_do_not_depend_on_the_block() {
    let (pool, runner) = (warp_pool(), Runner::new().unwrap());
    let programs: Vec<Program> = seeds(100)
        .map(|seed| Program::generate(&pool, seed))
        .collect();
    let whole = run(&runner, &programs);
    for first in [0, 32, 96] {
        let alone: Vec<Program> = programs
            .iter()
            .map(|program| program.part(first..first + 32))
            .collect();
        for ((program, whole), alone) in alone.iter().zip(&whole).zip(run(&runner, &alone)) {
            for (alone, whole) in alone.iter().zip(whole) {
                assert_eq!(*alone, whole[first..first + 32], "{}", program.name);
            }
        }
    }
}

#[test]
fn shrinking_reduces_a_difference_to_one_warp() {
    let (pool, runner) = (warp_pool(), Runner::new().unwrap());
    let one = |form: &Form| -> Outcome { runner.run(std::slice::from_ref(form)).remove(0) };
    let defective = |form: &Form| {
        let mut form = form.clone();
        form.body = form.body.replace("vote.sync.all", "vote.sync.any");
        form.body = form.body.replace("redux.sync.min", "redux.sync.max");
        one(&form)
    };
    let mut found = 0;
    for seed in seeds(60) {
        let program = Program::generate(&pool, seed);
        let smallest = shrink(&program, |p| (one(&p.form()), defective(&p.form())));
        if let Some(smallest) = smallest {
            found += 1;
            let text = smallest.form().body;
            assert_eq!((smallest.steps.len(), smallest.cases()), (1, 32), "{text}");
            assert!(
                text.contains("vote.sync.all") || text.contains("redux.sync.min"),
                "{text}"
            );
        }
    }
    assert!(found > 3, "only {found} of the programs show the defect");
}

/// Returns the program with the lanes executing in turns: those with the same remainder run
/// together.
fn in_turns(program: &Program, turns: u32) -> Form {
    let mut form = program.form();
    form.body = format!(
        "{{\n.reg .b32 turn, mine;\n.reg .pred other;\nmov.u32 turn, 0;\nmov.u32 mine, %laneid;\n\
         rem.u32 mine, mine, {turns};\n\
         NEXT: setp.ne.u32 other, mine, turn;\n@other bra SKIP;\n{}\nSKIP: add.u32 turn, turn, 1;\n\
         setp.lt.u32 other, turn, {turns};\n@other bra NEXT;\n}}",
        form.body
    );
    form
}

#[test]
fn whole_warps_parts_of_warps_and_single_lanes_agree() {
    let (pool, runner) = (pool(), Runner::new().unwrap());
    let programs: Vec<Program> = seeds(150)
        .map(|seed| Program::generate(&pool, seed))
        .collect();
    let whole = run(&runner, &programs);
    for turns in [32, 3] {
        let forms: Vec<Form> = programs.iter().map(|p| in_turns(p, turns)).collect();
        for ((outcome, form), whole) in runner.run(&forms).iter().zip(&forms).zip(&whole) {
            assert_eq!(outcome.as_ref(), Ok(whole), "{}\n{}", form.name, form.body);
        }
    }
    // Blocks that are not a whole number of warps, and the outputs of a longer program.
    for (program, whole) in programs.iter().zip(&whole) {
        for cases in [1, 21] {
            let mut fewer = program.all_outputs();
            for (_, column) in &mut fewer.inputs {
                column.truncate(cases);
            }
            let columns = &run(&runner, std::slice::from_ref(&fewer))[0];
            for (output, column) in program.outputs.iter().zip(whole) {
                let at = fewer.outputs.iter().position(|r| r == output).unwrap();
                assert_eq!(columns[at], column[..cases], "{}", program.name);
            }
        }
    }
}

#[test]
fn shrinking_reduces_a_difference_to_its_instruction() {
    let (pool, runner) = (pool(), Runner::new().unwrap());
    // An implementation with a defect: it executes every xor as an or.
    let one = |form: &Form| -> Outcome { runner.run(std::slice::from_ref(form)).remove(0) };
    let defective = |form: &Form| {
        let mut form = form.clone();
        form.body = form.body.replace("xor.", "or.");
        one(&form)
    };
    let mut found = 0;
    for seed in seeds(100) {
        let program = Program::generate(&pool, seed);
        let both = |p: &Program| (one(&p.form()), defective(&p.form()));
        let (right, wrong) = both(&program);
        let smallest = shrink(&program, both);
        assert_eq!(smallest.is_some(), right != wrong);
        if let Some(smallest) = smallest {
            found += 1;
            let text = smallest.form().body;
            assert_eq!(smallest.steps.len(), 1, "{text}");
            assert!(text.contains("xor."), "{text}");
            assert_eq!((smallest.cases(), smallest.outputs.len()), (1, 1), "{text}");
        }
    }
    assert!(found > 3, "only {found} of the programs show the defect");
}
