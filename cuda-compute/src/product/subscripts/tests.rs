//! Tests of subscripts, without a device.

use super::*;

fn parse(text: &str, shapes: &[&[usize]]) -> Result<Subscripts> {
    let shapes: Vec<Shape> = shapes.iter().map(|lengths| Shape::of(lengths)).collect();
    Subscripts::parse(text, &shapes)
}

/// Returns the labels, with digits for the axes of an ellipsis.
fn shown(text: &str, shapes: &[&[usize]]) -> String {
    let subscripts = parse(text, shapes).unwrap();
    let name = |label: &Label| match label.checked_sub(BROADCAST) {
        Some(place) => char::from_digit(place, 10).unwrap(),
        None => char::from_u32(*label).unwrap(),
    };
    let term = |labels: &Vec<Label>| labels.iter().map(name).collect::<String>();
    let terms: Vec<String> = subscripts.operands.iter().map(term).collect();
    format!("{}->{}", terms.join(","), term(&subscripts.result))
}

#[test]
fn results_are_named_or_implied() {
    assert_eq!(shown("ij,jk->ki", &[&[2, 3], &[3, 4]]), "ij,jk->ki");
    assert_eq!(shown(" i j , jk -> ", &[&[2, 3], &[3, 4]]), "ij,jk->");
    // Letters that occur once, in alphabetical order.
    assert_eq!(shown("kj,ji", &[&[2, 3], &[3, 4]]), "kj,ji->ik");
    assert_eq!(shown("ii", &[&[2, 2]]), "ii->");
    assert_eq!(shown("bA", &[&[2, 2]]), "bA->Ab");
    assert_eq!(shown(",", &[&[], &[]]), ",->");
    // Ellipses are aligned at the right, and come first if the result is implied.
    let shapes: [&[usize]; 2] = [&[5, 6, 2, 3], &[6, 3, 4]];
    assert_eq!(shown("...ij,...jk->...ik", &shapes), "10ij,0jk->10ik");
    assert_eq!(shown("...ij,...jk", &shapes), "10ij,0jk->10ik");
    assert_eq!(shown("i...,...j->j...i", &[&[2, 7], &[1, 3]]), "i0,0j->j0i");
    assert_eq!(shown("...i->...", &[&[4]]), "i->");
}

#[test]
fn errors_name_the_subscript_and_the_axis() {
    let fails = |text: &str, shapes: &[&[usize]], parts: &[&str]| {
        let error = parse(text, shapes).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "no {part:?} in {error}");
        }
    };
    let two: [&[usize]; 2] = [&[2, 3], &[4, 5]];
    let message = "the subscript j of \"ij,jk\" is axis 1 of operand 0, which has length 3, and axis 0 of operand 1, which has length 4";
    fails("ij,jk", &two, &[message]);
    fails(
        "ii",
        &[&[2, 3]],
        &["subscript i", "axis 0 of operand 0", "axis 1 of operand 0"],
    );
    fails("ij", &two, &["name 1 operands, but there are 2"]);
    fails(
        "i,jk->k",
        &two,
        &[
            "\"i\"",
            "names 1 axes, but operand 0 has 2 axes and shape [2, 3]",
        ],
    );
    fails("...ijk,jk", &two, &["names 3 axes, but operand 0"]);
    fails("i1,jk", &two, &["'1' of \"i1\"", "Fix: write a letter"]);
    fails("i..,jk", &two, &["'.' of \"i..\""]);
    fails("...i...,jk", &two, &["several ellipses"]);
    fails(
        "ij,kl->ii",
        &two,
        &["subscript i occurs twice in the result \"ii\""],
    );
    fails(
        "ij,kl->m",
        &two,
        &["subscript m of the result \"m\"", "no axis of an operand"],
    );
    fails("ij,kl->ij->kl", &two, &["'-'"]);
    fails(
        "...j,kl->jkl",
        &two,
        &["the result \"jkl\"", "write ... after the arrow"],
    );
    fails(
        "...,...",
        &two,
        &["the subscript ...", "length 2", "length 4"],
    );
}
