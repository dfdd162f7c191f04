//! The folders in which NVRTC searches for headers. The cache relies on this order, and these tests
//! fail if a new version changes it.

use cuda_safe::{Program, program::Cache};

use super::{Folder, VIRTUAL};

/// A program in the folder `src` that searches in `inc` and then in `more`. Each of its `files`
/// defines its own path, so the compiled program shows which file the compiler found.
struct Case {
    folder: Folder,
    program: Program,
}

impl Case {
    fn new(source: &str, files: &[&str]) -> Self {
        let folder = Folder::new("search");
        for file in files {
            folder.write(file, &format!("__device__ char found[] = \"{file}\";\n"));
        }
        let program = Program::new(source)
            .name(folder.path("src/program.cu"))
            .include_path(folder.path("inc"))
            .include_path(folder.path("more"))
            .cache(Cache::Off);
        Self { folder, program }
    }

    fn with(self, file: &str, text: &str) -> Self {
        self.folder.write(file, text);
        self
    }

    /// Adds a header from memory.
    fn header(mut self, name: &str, text: &str) -> Self {
        self.program = self.program.header(name, text);
        self
    }

    /// Returns the path of the file that the compiler found, or its error message.
    fn found(self) -> String {
        let ptx = match self.program.compile(VIRTUAL) {
            Ok(compiled) => compiled.ptx().to_owned(),
            Err(error) => return error.to_string(),
        };
        let Some((_, bytes)) = ptx.split_once("found[") else {
            return "nothing".into();
        };
        let bytes = bytes.split_once('{').unwrap().1.split_once('}').unwrap().0;
        let bytes = bytes
            .split(',')
            .map(|byte| byte.trim().parse::<u8>().unwrap());
        String::from_utf8(bytes.filter(|&byte| byte != 0).collect()).unwrap()
    }
}

#[test]
fn quoted_names_are_searched_in_the_folder_of_the_file_first() {
    let quoted = "#include \"a.h\"\n";
    let all = ["more/a.h", "inc/a.h", "src/a.h", "a.h"];
    for (files, found) in [
        (&all[..], "src/a.h"),
        (&all[..2], "inc/a.h"),
        (&all[..1], "more/a.h"),
    ] {
        assert_eq!(Case::new(quoted, files).found(), found);
    }
    assert!(Case::new(quoted, &all[3..]).found().contains("a.h"));
    assert!(Case::new(quoted, &all[3..]).found().contains("cannot open"));
    let line = format!("#line 1 \"{}\"\n{quoted}", "../more/x.cu");
    assert_eq!(Case::new(&line, &all).found(), "src/a.h");
    // A folder with that name is skipped.
    assert_eq!(
        Case::new(quoted, &["src/a.h/b", "inc/a.h"]).found(),
        "inc/a.h"
    );
}

#[test]
fn angle_bracket_names_are_searched_in_the_include_paths() {
    let angle = "#include <a.h>\n";
    assert_eq!(
        Case::new(angle, &["src/a.h", "more/a.h", "inc/a.h"]).found(),
        "inc/a.h"
    );
    assert_eq!(
        Case::new(angle, &["src/a.h", "more/a.h"]).found(),
        "more/a.h"
    );
    assert!(
        Case::new(angle, &["src/a.h"])
            .found()
            .contains("cannot open")
    );
}

#[test]
fn headers_are_searched_in_the_folder_of_the_including_header() {
    let outer = || {
        Case::new(
            "#include \"sub/outer.h\"\n",
            &["src/a.h", "src/sub/a.h", "inc/a.h"],
        )
    };
    let inner = "#include \"a.h\"\n";
    assert_eq!(
        outer().with("src/sub/outer.h", inner).found(),
        "src/sub/a.h"
    );
    assert_eq!(outer().with("inc/sub/outer.h", inner).found(), "inc/a.h");
    // The folders of files further up the include chain are not searched.
    let far = Case::new("#include \"sub/outer.h\"\n", &["src/a.h"]);
    assert!(
        far.with("src/sub/outer.h", inner)
            .found()
            .contains("cannot open")
    );
    let next = Case::new("#include <a.h>\n", &["more/a.h", "src/a.h"]);
    assert_eq!(
        next.with("inc/a.h", "#include_next <a.h>\n").found(),
        "more/a.h"
    );
}

#[test]
fn headers_from_memory_are_found_by_full_name() {
    let memory = "__device__ char found[] = \"memory\";\n";
    for include in ["#include \"a.h\"\n", "#include <a.h>\n"] {
        let case = || Case::new(include, &["src/a.h", "inc/a.h"]);
        assert_eq!(case().header("a.h", memory).found(), "memory");
        assert_ne!(case().header("inc/a.h", memory).found(), "memory");
        let whole = case();
        let path = whole.folder.path("src/a.h");
        assert_ne!(whole.header(&path, memory).found(), "memory");
    }
    // Also from a header on disk.
    let nested = Case::new("#include <b.h>\n", &["inc/a.h"]).with("inc/b.h", "#include \"a.h\"\n");
    assert_eq!(nested.header("a.h", memory).found(), "memory");
    // A header in memory counts as being in the folder of its name.
    let case = Case::new("", &["src/a.h", "side/a.h"]);
    let name = case.folder.path("side/m.h");
    let program = Program::new(format!("#include \"{name}\"\n")).cache(Cache::Off);
    let case = Case { program, ..case };
    assert_eq!(case.header(&name, "#include \"a.h\"\n").found(), "side/a.h");
}

#[test]
fn names_without_an_extension_may_match_one() {
    for (files, found) in [
        (&["inc/a.stdh", "more/a"][..], "inc/a.stdh"),
        (&["inc/a.stdh", "inc/a"], "inc/a"),
    ] {
        assert_eq!(Case::new("#include <a>\n", files).found(), found);
    }
    let with = Case::new("#include <a.h>\n", &["inc/a.h.stdh"]);
    assert!(with.found().contains("cannot open"));
}

#[test]
fn other_directives_read_no_files() {
    for source in [
        "#import \"a.h\"\n",
        "#include_once \"a.h\"\n",
        "int x[] = {\n#embed \"a.h\"\n};\n",
        "#if __has_embed(\"a.h\")\n#endif\n",
        "#if __has_include__(\"a.h\")\n#endif\n",
        "import \"a.h\";\n",
    ] {
        let case = Case::new(source, &["src/a.h", "inc/a.h"]);
        let program = case.program.clone().cpp_standard(20);
        let found = Case { program, ..case }.found();
        assert!(found.contains("error"), "{source}: {found}");
    }
    for source in [
        "#pragma include \"a.h\"\n",
        "#pragma include_alias(\"b.h\", \"a.h\")\n",
        "#pragma GCC dependency \"a.h\"\n",
        "#ident \"a.h\"\n",
        "_Pragma(\"include \\\"a.h\\\"\")\n",
    ] {
        assert_eq!(
            Case::new(source, &["src/a.h", "inc/a.h"]).found(),
            "nothing",
            "{source}"
        );
    }
}
