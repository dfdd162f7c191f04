//! Sorts, the largest and smallest elements, partitions, quantiles and running extremes.

use cuda_compute::{Array, QuantileMethod};

use crate::{
    case::{Case, Element, is_nan},
    sort_keys::{order, sorted_places},
};

fn pick<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| values[place]).collect()
}

fn in_order(places: &[usize]) -> Vec<usize> {
    let mut places = places.to_vec();
    places.sort_unstable();
    places
}

/// Checks the functions, and returns the number of cases.
pub fn check<T: Element>(case: &mut Case<T>) -> usize {
    of_all(case) + along_an_axis(case)
}

fn of_all<T: Element>(case: &mut Case<T>) -> usize {
    let x = case.expr();
    let up = sorted_places(&case.host, false);
    let down = sorted_places(&case.host, true);
    let sorted = pick(&case.host, &up);
    case.same("sort", x.sort(), &sorted);
    case.same(
        "sort_descending",
        x.sort_descending(),
        &pick(&case.host, &down),
    );
    case.equal("argsort", x.argsort(), &up);
    case.equal("argsort_descending", x.argsort_descending(), &down);
    let numbers: Vec<i32> = (0..case.host.len() as i32).collect();
    let values = Array::from_shape(&case.stream, &case.shape[..], &numbers).unwrap();
    let by_key = x.sort_by_key(&values).unwrap();
    case.same("keys of sort_by_key", Ok(by_key.0), &sorted);
    case.equal("values of sort_by_key", Ok(by_key.1), &pick(&numbers, &up));

    let k = case.random.below(case.host.len() + 1);
    let (values, places) = x.top_k(k).unwrap();
    case.same("top_k", Ok(values), &pick(&case.host, &down[..k]));
    case.equal("places of top_k", Ok(places), &down[..k]);
    let (values, places) = x.bottom_k(k).unwrap();
    case.same("bottom_k", Ok(values), &sorted[..k]);
    case.equal("places of bottom_k", Ok(places), &up[..k]);
    let (values, places) = x.top_k_unsorted(k).unwrap();
    let at = places.to_vec().unwrap();
    case.same("top_k_unsorted", Ok(values), &pick(&case.host, &at));
    case.equal(
        "places of top_k_unsorted",
        places.sort(),
        &in_order(&down[..k]),
    );
    let (_, places) = x.bottom_k_unsorted(k).unwrap();
    case.equal(
        "places of bottom_k_unsorted",
        places.sort(),
        &in_order(&up[..k]),
    );

    let kth = case.random.below(case.host.len());
    let parted = x.partition(kth).unwrap().to_vec().unwrap();
    let places = x.argpartition(kth).unwrap().to_vec().unwrap();
    for parted in [parted, pick(&case.host, &places)] {
        let around = &parted[kth];
        assert!(
            parted[..kth]
                .iter()
                .all(|value| order(value, around).is_le())
        );
        assert!(
            parted[kth..]
                .iter()
                .all(|value| order(value, around).is_ge())
        );
        let again = pick(&parted, &sorted_places(&parted, false));
        case.same(
            "partition",
            Array::from_slice(&case.stream, &again),
            &sorted,
        );
    }

    let (method, q) = method(case);
    case.near(
        "quantile",
        x.quantile(q, method),
        &[quantile(&sorted, method, q)],
    );
    let middle = quantile(&sorted, QuantileMethod::Linear, 0.5);
    case.near("median", x.median(), &[middle]);
    16
}

fn along_an_axis<T: Element>(case: &mut Case<T>) -> usize {
    let (x, axis) = (case.expr(), case.axis);
    let lines: Vec<Vec<T>> = (case.lines().iter())
        .map(|line| pick(&case.host, line))
        .collect();
    let descending = case.random.below(2) == 0;
    let places: Vec<Vec<usize>> = (lines.iter())
        .map(|line| sorted_places(line, descending))
        .collect();
    let sorted: Vec<Vec<T>> = (lines.iter().zip(&places))
        .map(|(line, places)| pick(line, places))
        .collect();
    let (values, indices) = if descending {
        (
            x.sort_descending_axis(axis),
            x.argsort_descending_axis(axis),
        )
    } else {
        (x.sort_axis(axis), x.argsort_axis(axis))
    };
    case.same("sort_axis", values, &case.joined(&sorted));
    case.equal("argsort_axis", indices, &case.joined(&places));

    let k = 1 + case.random.below(case.shape[axis]);
    let (values, indices) = match descending {
        true => x.top_k_axis(k, axis),
        false => x.bottom_k_axis(k, axis),
    }
    .unwrap();
    let (_, unsorted) = match descending {
        true => x.top_k_unsorted_axis(k, axis),
        false => x.bottom_k_unsorted_axis(k, axis),
    }
    .unwrap();
    let in_order: Vec<Vec<usize>> = places.iter().map(|line| in_order(&line[..k])).collect();
    case.equal(
        "places of top_k_unsorted_axis",
        unsorted.sort_axis(axis),
        &case.joined(&in_order),
    );
    let first = |lines: &[Vec<usize>]| -> Vec<Vec<usize>> {
        lines.iter().map(|line| line[..k].to_vec()).collect()
    };
    let largest: Vec<Vec<T>> = sorted.iter().map(|line| line[..k].to_vec()).collect();
    case.same("top_k_axis", Ok(values), &case.joined(&largest));
    case.equal(
        "places of top_k_axis",
        Ok(indices),
        &case.joined(&first(&places)),
    );

    let (method, q) = method(case);
    let quantiles: Vec<Vec<f64>> = lines
        .iter()
        .map(|line| {
            vec![quantile(
                &pick(line, &sorted_places(line, false)),
                method,
                q,
            )]
        })
        .collect();
    let got = x.quantile_axis(q, axis, method);
    case.near("quantile_axis", got, &case.joined(&quantiles));

    // Running maxima start with the first number. The place is that of the last equal one.
    let (mut maxima, mut at) = (Vec::new(), Vec::new());
    for line in &lines {
        let mut best: Option<usize> = None;
        let running = line.iter().enumerate().map(|(i, value)| {
            if !is_nan(value) && best.is_none_or(|best| *value >= line[best]) {
                best = Some(i);
            }
            best
        });
        let running: Vec<Option<usize>> = running.collect();
        maxima.push(running.iter().map(|best| line[best.unwrap_or(0)]).collect());
        at.push(running.iter().map(|best| best.unwrap_or(0)).collect());
    }
    let (values, places) = x.cummax_with_indices(axis).unwrap();
    case.same("cummax", Ok(values), &case.joined::<T>(&maxima));
    case.equal("places of cummax", Ok(places), &case.joined::<usize>(&at));
    8 * lines.len()
}

fn method<T>(case: &mut Case<T>) -> (QuantileMethod, f64) {
    let methods = [
        QuantileMethod::Linear,
        QuantileMethod::Lower,
        QuantileMethod::Higher,
        QuantileMethod::Midpoint,
    ];
    let q = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0][case.random.below(6)];
    (methods[case.random.below(4)], q)
}

/// Interpolates between sorted elements, as NumPy does.
fn quantile<T: Element>(sorted: &[T], method: QuantileMethod, q: f64) -> f64 {
    let last = sorted.len() - 1;
    if is_nan(&sorted[last]) {
        return f64::NAN;
    }
    let place = last as f64 * q;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    let [a, b] = [low, high].map(|at| sorted[at].wide());
    let weight = match method {
        QuantileMethod::Lower => 0.0,
        QuantileMethod::Higher => 1.0,
        QuantileMethod::Midpoint => 0.5,
        _ => place - low as f64,
    };
    match weight {
        0.0 => a,
        1.0 => b,
        _ if a == b => a,
        weight => a * (1.0 - weight) + b * weight,
    }
}
