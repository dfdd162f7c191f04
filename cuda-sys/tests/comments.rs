//! Tests of the conversion from Doxygen to Markdown, and of the header's macros.
#![allow(dead_code)]

#[path = "../build/generate/comments.rs"]
mod comments;
#[path = "../build/generate/names.rs"]
mod names;

use std::collections::{BTreeMap, BTreeSet};

fn convert(comment: &str) -> String {
    let targets = [
        ("cuInit", "cuInit"),
        ("CUDA_SUCCESS", "CUresult::CUDA_SUCCESS"),
        ("CUresult", "CUresult"),
    ];
    let targets: BTreeMap<String, String> =
        targets.map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    comments::resolve(&comments::markdown(comment), &targets)
}

#[test]
fn parts_of_a_comment_become_headings_and_lists() {
    let text = convert(
        "\\brief Starts it\n\nSee ::cuInit().\n\n\\param Flags - Which, \\p 0 to 3\n\\param[out] pStr  - Where\n\n\
         \\return\n::CUDA_SUCCESS,\n::CUDA_ERROR_OTHER\n\\notefnerr\n\n\\sa ::cuInit",
    );
    assert_eq!(
        text,
        "Starts it\n\nSee [`cuInit`].\n\n# Parameters\n\n- `Flags`: Which, 0 to 3\n- `pStr`: Where\n\n# Returns\n\n\
         [`CUDA_SUCCESS`](CUresult::CUDA_SUCCESS),\n`CUDA_ERROR_OTHER`\n\n# See also\n\n[`cuInit`]"
    );
}

#[test]
fn trailing_comments_begin_with_their_text() {
    assert_eq!(convert("< Automatic scheduling"), "Automatic scheduling");
    assert_eq!(
        convert(" < \\deprecated This flag\nis old"),
        "**Deprecated.** This flag\nis old"
    );
    assert_eq!(convert("<b> is text"), "&lt;b&gt; is text");
}

#[test]
fn examples_stay_unchanged_as_c_code() {
    let text = convert("\\code\n  a[i] = <b>;\n\\endcode");
    assert_eq!(text, "```c\n  a[i] = <b>;\n```");
}

#[test]
fn rustdoc_markup_is_escaped() {
    assert_eq!(
        convert("a[0] <b> *x snake_case ::CUresult::CUDA_SUCCESS"),
        "a\\[0\\] &lt;b&gt; \\*x snake\\_case [`CUresult`]::[`CUDA_SUCCESS`](CUresult::CUDA_SUCCESS)"
    );
    assert_eq!(convert("see https://a.b/c."), "see <https://a.b/c>.");
    assert_eq!(
        convert("guide(https://a.b/c_d.html)."),
        "guide(<https://a.b/c_d.html>)."
    );
    assert_eq!(
        convert("    cuInit(&flags);"),
        "`cuInit`(&flags);",
        "no indented block, which rustdoc would run"
    );
}

#[test]
fn alias_macros_are_found() {
    let header = "#define cuMemAlloc cuMemAlloc_v2\n  #define cuMemcpy __CUDA_API_PTDS(cuMemcpy)\n# define A 3\n\
                  #define CU_OTHER CU_ONE\n#define F(x) x\n#undef cuMemAlloc\n";
    let expected = [
        ("cuMemAlloc", "cuMemAlloc_v2"),
        ("cuMemcpy", "cuMemcpy"),
        ("CU_OTHER", "CU_ONE"),
    ];
    assert_eq!(names::renamings(header), expected);
    let declared = names::Declared {
        functions: BTreeSet::from(["cuMemAlloc_v2".to_owned(), "cuMemcpy".to_owned()]),
        types: BTreeSet::new(),
    };
    let enums = BTreeMap::from([("CUone".to_owned(), vec![("CU_ONE".to_owned(), 1)])]);
    let aliases = names::aliases(header, &declared, &enums);
    assert!(
        aliases.contains("pub use self::cuMemAlloc_v2 as cuMemAlloc;"),
        "{aliases}"
    );
    assert!(
        aliases.contains("impl CUone {")
            && aliases.contains("pub const CU_OTHER: Self = Self::CU_ONE;")
    );
    assert!(
        !aliases.contains("cuMemcpy"),
        "a name that maps to itself needs no alias"
    );
}

#[test]
fn tables_use_the_first_of_equal_constants() {
    let constants =
        [("CU_A", 1), ("CU_B", 1), ("CU_C", -2)].map(|(name, value)| (name.to_owned(), value));
    let table = names::enum_tables(
        &BTreeMap::from([("CUx".to_owned(), constants.to_vec())]),
        &[],
    );
    assert!(
        table.contains("1 => \"CU_A\"")
            && !table.contains("=> \"CU_B\"")
            && table.contains("-2 => \"CU_C\"")
    );
    assert!(
        table.contains("(\"CU_B\", Self::CU_B)"),
        "the list contains all of them"
    );
}
