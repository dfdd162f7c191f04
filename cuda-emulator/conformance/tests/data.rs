//! Checks of the recorded data: complete, and consistent with IEEE 754 and the PTX manual.

use cuda_conformance::{Check, Form, compare, data, forms};

/// The programs link libcuda, which may be missing. The emulator replaces it.
use cuda_emulator as _;

fn columns(name: &str) -> (Form, Vec<u64>, Vec<Vec<u64>>) {
    let form = forms::all()
        .into_iter()
        .find(|form| form.name == name)
        .unwrap();
    let recorded = forms::recorded().unwrap().forms.remove(name).unwrap();
    let inputs = form.inputs();
    (form, inputs, recorded.columns)
}

#[test]
fn every_form_has_results_for_its_operands() {
    let data = forms::recorded().unwrap();
    let forms = forms::all();
    for form in &forms {
        let Some(recorded) = data.forms.get(&form.name) else {
            assert!(form.awaited, "{}", form.name);
            continue;
        };
        assert_eq!(recorded.fingerprint, form.fingerprint(), "{}", form.name);
        assert_eq!(recorded.columns.len(), form.results.len(), "{}", form.name);
        for column in &recorded.columns {
            assert_eq!(column.len(), form.cases, "{}", form.name);
        }
    }
}

#[test]
fn packing_round_trips() {
    let data = forms::recorded().unwrap();
    let forms = forms::all();
    let results: Vec<_> = forms
        .iter()
        .filter_map(|form| Some((form, data.forms.get(&form.name)?.columns.clone())))
        .collect();
    assert_eq!(results.len(), data.forms.len());
    let again = data::unpack(&data::pack(&data.device, &results)).unwrap();
    assert_eq!(again.device, data.device);
    for (form, columns) in &results {
        assert_eq!(&again.forms[&form.name].columns, columns, "{}", form.name);
    }
}

#[test]
fn corrupt_data_are_rejected() {
    assert!(data::unpack(b"").is_err());
    assert!(data::unpack(b"ptxdata1 and then no stream").is_err());
}

#[test]
fn comparison_reports_instruction_operands_and_results() {
    let data = forms::recorded().unwrap();
    let (form, _, mut columns) = columns("add.u32");
    columns[0][0] ^= 1;
    let comparison = compare(std::slice::from_ref(&form), &[Ok(columns)], &data);
    assert!(!comparison.passes());
    let text = comparison.to_string();
    assert!(text.contains("add.u32: 1 of 512 cases differ"), "{text}");
    assert!(
        text.contains("(0x00000000, 0x00000000): d0 is 0x00000001, a GPU gives 0x00000000"),
        "{text}"
    );
}

type Single = fn(f32, f32) -> f32;
type Double = fn(f64, f64, f64) -> f64;

/// For operations that Rust computes as PTX specifies, the GPU's results equal Rust's.
#[test]
fn recorded_results_agree_with_ieee_arithmetic() {
    let single: [(&str, Single); 4] = [
        ("add.rn.f32", |a, b| a + b),
        ("sub.rn.f32", |a, b| a - b),
        ("mul.rn.f32", |a, b| a * b),
        ("div.rn.f32", |a, b| a / b),
    ];
    for (name, operation) in single {
        let (_, inputs, columns) = columns(name);
        for (x, &got) in inputs.chunks(2).zip(&columns[0]) {
            let expected = operation(f32::from_bits(x[0] as u32), f32::from_bits(x[1] as u32));
            let got = f32::from_bits(got as u32);
            let same = expected.to_bits() == got.to_bits() || expected.is_nan() && got.is_nan();
            assert!(same, "{name} {x:x?}: {got:e} for {expected:e}");
        }
    }
    let double: [(&str, Double); 3] = [
        ("fma.rn.f64", f64::mul_add),
        ("mul.rn.f64", |a, b, _| a * b),
        ("div.rn.f64", |a, b, _| a / b),
    ];
    for (name, operation) in double {
        let (form, inputs, columns) = columns(name);
        for (x, &got) in inputs.chunks(form.operands.len()).zip(&columns[0]) {
            let value = |i: usize| f64::from_bits(x.get(i).copied().unwrap_or(0));
            let expected = operation(value(0), value(1), value(2));
            let got = f64::from_bits(got);
            let same = expected.to_bits() == got.to_bits() || expected.is_nan() && got.is_nan();
            assert!(same, "{name} {x:x?}: {got:e} for {expected:e}");
        }
    }
}

/// The GPU's own results satisfy the bounds.
#[test]
fn recorded_results_satisfy_the_documented_bounds() {
    let data = forms::recorded().unwrap();
    let (mut checked, mut beyond) = (0, Vec::new());
    for form in forms::all() {
        let Check::Within(approximate) = form.check else {
            continue;
        };
        let inputs = form.inputs();
        let results = &data.forms[&form.name].columns[0];
        for (x, &got) in inputs.chunks(form.operands.len()).zip(results) {
            if !approximate.keeps(x, got) {
                beyond.push(format!("{} {x:x?}: {got:#x}", form.name));
            }
            checked += 1;
        }
    }
    assert!(checked > 10_000);
    assert!(beyond.is_empty(), "{beyond:#?}");
}
