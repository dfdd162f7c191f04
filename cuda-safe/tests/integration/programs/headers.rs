//! The cache after a header was edited, for every form of including a header.

use cuda_safe::{Program, program::Cache};

use super::{ChildTest, Folder, VIRTUAL};

const VALUE: &str = "extern \"C\" __device__ int X[VALUE] = {1};\n";

/// Returns the value of `X` in the compiled program, and whether it came from the cache.
#[track_caller]
fn value(program: &Program, cache: &Folder) -> (u32, bool) {
    let program = program.clone().cache(Cache::Folder(cache.0.clone()));
    let compiled = program.compile(VIRTUAL).unwrap();
    let (_, rest) = compiled.ptx().split_once(" X[").expect("the variable");
    let bytes: u32 = rest.split_once(']').unwrap().0.parse().unwrap();
    (bytes / 4, compiled.is_from_cache())
}

/// Compiles, edits the header, compiles, and restores the header. The result must always match the
/// header, and must come from the cache only if `kept`.
#[track_caller]
fn check(what: &str, program: &Program, folder: &Folder, header: &str, kept: bool) {
    let cache = Folder::new("headers-cache");
    let edit = |value: u32| folder.write(header, &format!("#define VALUE {value}\n"));
    edit(3);
    assert_eq!(value(program, &cache), (3, false), "{what}");
    assert_eq!(value(program, &cache), (3, kept), "{what}");
    edit(5);
    assert_eq!(value(program, &cache), (5, false), "{what}: edited");
    assert_eq!(value(program, &cache), (5, kept), "{what}: edited");
    edit(3);
    assert_eq!(value(program, &cache), (3, kept), "{what}: changed back");
}

/// Returns a program in the folder of the headers.
fn program(folder: &Folder, text: &str) -> Program {
    Program::new(format!("{text}\n{VALUE}")).name(folder.path("program.cu"))
}

#[test]
fn edited_headers_are_recompiled_for_every_form_of_include() {
    let folder = Folder::new("forms");
    for (form, kept) in [
        ("#include \"value.h\"", true),
        ("#include\"value.h\"", true),
        ("  #\tinclude  \"./value.h\" // why", true),
        ("#/**/include/* */\"value.h\"", false),
        ("/*\n*/ # /*\n*/ include /*\n*/ \"value.h\"", false),
        ("/*\n*/ # include \"value.h\" /*\n*/", true),
        ("#inc\\\nlude \"val\\\nue.h\"", true),
        ("#\\\r\ninclude \"value.h\"\r", true),
        ("%:include \"value.h\"", true),
        ("%: include \"value.h\"", true),
        ("#include_next \"value.h\"", false),
        ("#define HEADER \"value.h\"\n#include HEADER", false),
        ("#define S(x) #x\n#define H S(value.h)\n#include H", false),
        ("#define H(x) \"value.h\"\n#include H(1)", false),
        (
            "#if 1\n#include \"value.h\"\n#else\n#include \"other.h\"\n#endif",
            true,
        ),
        ("#if 0\ndon't\n#endif\n#include \"value.h\"", true),
        (
            "#if 0\ndon't /* x\n#endif\n#include \"value.h\"\n#if 0\n*/\n#endif",
            true,
        ),
        (
            "#define T R\"(/*)\"\n#include \"value.h\"\n#define U R\"(*/)\"",
            true,
        ),
        ("#define T R\"(\n#if 0\n)\"\n#include \"value.h\"\n", true),
        ("#define N 1'000 /* ' */\n#include \"value.h\"\n", true),
        ("#define N 1'000\n#include \"value.h\"\n", true),
        ("#line 7 \"elsewhere/x.cu\"\n#include \"value.h\"", true),
        ("# 7 \"elsewhere/x.cu\"\n#include \"value.h\"", false),
        ("#define F(x)\nF(\n#include \"value.h\"\n)", true),
    ] {
        check(form, &program(&folder, form), &folder, "value.h", kept);
    }
    // Only older dialects support these forms.
    for form in ["??=include \"value.h\"", "#inc??/\nlude \"value.h\""] {
        let program = program(&folder, form).cpp_standard(14);
        check(form, &program, &folder, "value.h", false);
    }
    let absolute = format!("#include <{}>", folder.path_in_source("value.h"));
    check(
        "absolute",
        &program(&folder, &absolute),
        &folder,
        "value.h",
        false,
    );
    let up = program(&folder, "#include \"sub/../value.h\"");
    folder.write("sub/a.h", "");
    check("a folder above", &up, &folder, "value.h", false);
}

#[test]
fn edited_headers_are_recompiled_for_every_form_of_include_path() {
    let folder = Folder::new("paths");
    let inc = folder.path("inc");
    let angle = program(&folder, "#include <value.h>");
    let spaced = format!("-I {inc}");
    let equal = format!("-I={inc}");
    let attached = format!("-I{inc}");
    let blank = format!(" -I{inc}/ ");
    let long = format!("--include-path={inc}");
    for (options, kept) in [
        (&[spaced.as_str()][..], true),
        (&[&equal], true),
        (&[&attached], true),
        (&[&blank], true),
        (&[&long], true),
        (&["-I/nowhere", &attached], true),
        (&["-I", &inc], false),
        (&["--include-path", &inc], false),
    ] {
        let start = angle.clone();
        let program = options
            .iter()
            .fold(start, |program, &option| program.option(option));
        let what = format!("{options:?}");
        check(&what, &program, &folder, "inc/value.h", kept);
    }
    let by_method = angle.clone().include_path(&inc);
    check("include_path", &by_method, &folder, "inc/value.h", true);
    let by_macro = program(&folder, "#include HEADER").define("HEADER", "<value.h>");
    let by_macro = by_macro.include_path(&inc);
    check(
        "a macro from an option",
        &by_macro,
        &folder,
        "inc/value.h",
        false,
    );
    // NVRTC passes this option on without interpreting it.
    let inner = angle.option(format!("-Xcudafe=--sys_include={inc}"));
    check("-Xcudafe", &inner, &folder, "inc/value.h", false);
}

#[test]
fn edited_headers_that_come_first_are_recompiled() {
    let folder = Folder::new("first");
    let header = folder.path("inc/value.h");
    let include = format!("-include={header}");
    let long = format!("--pre-include={header}");
    let directory = format!("-I{}", folder.path("inc"));
    for (options, kept) in [
        (&["-include=value.h", &directory][..], true),
        (&["--pre-include=value.h", &directory], true),
        (&[&include], false),
        (&[&long], false),
        (&["-include", &header], false),
        (&["--pre-include", &header], false),
    ] {
        let start = program(&folder, "");
        let program = options
            .iter()
            .fold(start, |program, &option| program.option(option));
        let what = format!("{options:?}");
        check(&what, &program, &folder, "inc/value.h", kept);
    }
    // A header from memory may replace the file.
    let memory = program(&folder, "").pre_include("value.h");
    let memory = memory.include_path(folder.path("inc"));
    let memory = memory.header("value.h", "#define VALUE 9\n");
    let cache = Folder::new("headers-cache");
    for _ in 0..2 {
        assert!(!value(&memory, &cache).1);
    }
}

#[test]
fn edited_nested_headers_are_recompiled() {
    let folder = Folder::new("nested");
    folder.write("inc/outer.h", "#include \"sub/inner.h\"\n");
    folder.write("inc/sub/inner.h", "#include \"value.h\"\n");
    let from_disk = program(&folder, "#include <outer.h>").include_path(folder.path("inc"));
    check("headers", &from_disk, &folder, "inc/sub/value.h", true);
    // A header from memory counts as being in the folder of its name.
    let memory = folder.path_in_source("memory/outer.h");
    let text = format!("#include \"{memory}\"");
    let from_memory = program(&folder, &text).header(&memory, "#include \"value.h\"\n");
    check(
        "a header from memory",
        &from_memory,
        &folder,
        "memory/value.h",
        true,
    );
    let text = program(&folder, "#include \"memory.h\"");
    let from_memory = text.header(
        "memory.h",
        format!("#include \"{}\"\n", folder.path_in_source("v.h")),
    );
    check("a header from memory", &from_memory, &folder, "v.h", false);
}

/// Like [`check`], for a file that does not exist at first. The results are not cached.
#[track_caller]
fn check_presence(form: &str, folder: &Folder, options: &[&str]) {
    let cache = Folder::new("presence-cache");
    let program = program(folder, form);
    let program = options
        .iter()
        .fold(program, |program, &option| program.option(option));
    let file = folder.0.join("asked.h");
    assert_eq!(value(&program, &cache), (3, false), "{form}");
    assert_eq!(value(&program, &cache), (3, false), "{form}");
    folder.write("asked.h", "");
    assert_eq!(value(&program, &cache), (5, false), "{form}: there");
    assert_eq!(value(&program, &cache), (5, false), "{form}: there");
    std::fs::remove_file(file).unwrap();
    assert_eq!(value(&program, &cache), (3, false), "{form}: gone");
}

#[test]
fn new_file_of_has_include_is_recompiled() {
    let folder = Folder::new("presence");
    let ask = |question: &str| {
        format!("{question}\n#if ASK\n#define VALUE 5\n#else\n#define VALUE 3\n#endif")
    };
    for question in [
        "#define ASK __has_include(\"asked.h\")",
        "#define HAS(x) __has_include(x)\n#define ASK HAS(\"asked.h\")",
        "#define HAS __has_include\n#define ASK HAS(\"asked.h\")",
        "#define A \"asked.h\"\n#define ASK __has_include(A)",
        "#define CAT(a, b) a##b\n#define ASK CAT(__has_, include)(\"asked.h\")",
        "#define ASK __has_##include(\"asked.h\")",
    ] {
        check_presence(&ask(question), &folder, &[]);
    }
    let option = format!(
        "-DASK=__has_include(<{}>)",
        folder.path_in_source("asked.h")
    );
    check_presence(&ask(""), &folder, &[&option]);
    let direct = "#if __has_include(\"asked.h\")\n#define VALUE 5\n#else\n#define VALUE 3\n#endif";
    check_presence(direct, &folder, &[]);
    let in_code = "constexpr int VALUE = __has_include(\"asked.h\") ? 5 : 3;";
    check_presence(in_code, &folder, &[]);
}

#[test]
fn new_header_earlier_in_the_path_is_recompiled() {
    let folder = Folder::new("shadow");
    let cache = Folder::new("shadow-cache");
    let angle = program(&folder, "#include <value>")
        .include_path(folder.path("one"))
        .include_path(folder.path("two"));
    folder.write("two/value.stdh", "#define VALUE 3\n");
    assert_eq!(value(&angle, &cache), (3, false));
    assert_eq!(value(&angle, &cache), (3, true));
    folder.write("two/value", "#define VALUE 4\n");
    assert_eq!(value(&angle, &cache), (4, false));
    folder.write("one/value.stdh", "#define VALUE 5\n");
    assert_eq!(value(&angle, &cache), (5, false));
    folder.write("one/value", "#define VALUE 6\n");
    assert_eq!(value(&angle, &cache), (6, false));
    assert_eq!(value(&angle, &cache), (6, true));
    folder.write("value", "#define VALUE 7\n");
    assert_eq!(
        value(&angle, &cache),
        (6, true),
        "this folder is not searched"
    );
}

#[test]
fn edited_header_in_the_current_folder_is_recompiled() {
    let child = || {
        let cache = Folder(std::env::var("CACHE").unwrap().into());
        for program in [
            program(&Folder("".into()), "#include \"value.h\""),
            Program::new(format!("#include \"value.h\"\n{VALUE}")),
            Program::new(format!("#include <value.h>\n{VALUE}")).option("-I."),
            Program::new(VALUE).option("-include=value.h"),
        ] {
            let (value, kept) = value(&program, &cache);
            println!("= {value} {kept}");
        }
        std::mem::forget(cache);
    };
    let name = concat!(
        module_path!(),
        "::edited_header_in_the_current_folder_is_recompiled"
    );
    let Some(alone) = ChildTest::new(child, name) else {
        return;
    };
    let cache = Folder::new("current-cache");
    let (one, two) = (Folder::new("current"), Folder::new("current"));
    let run = |folder: &Folder| {
        alone.run(|command| {
            command.current_dir(&folder.0).env("CACHE", &cache.0);
        })
    };
    one.write("value.h", "#define VALUE 3\n");
    two.write("value.h", "#define VALUE 5\n");
    assert_eq!(run(&one), ["3 false", "3 true", "3 false", "3 false"]);
    assert_eq!(run(&one), ["3 true"; 4]);
    assert_eq!(run(&two), ["5 false", "5 true", "5 false", "5 false"]);
    one.write("value.h", "#define VALUE 7\n");
    assert_eq!(run(&one), ["7 false", "7 true", "7 false", "7 false"]);
}
