//! A library that is opened at its first use and is missing.

use std::{env, process::Command};

use cuda_compute::Error;

/// The names in the error.
pub struct Names {
    pub library: &'static str,
    /// The variable with the path of the library.
    pub variable: &'static str,
    /// A function that another library lacks.
    pub function: &'static str,
    pub pip: &'static str,
    pub conda: &'static str,
    pub apt: &'static str,
}

/// Checks the error of `call` in separate processes, in which the variable names a missing file and
/// another library. `test` is the calling test, which must do nothing else.
pub fn check(test: &str, names: &Names, call: impl Fn() -> Error) {
    const FILES: [&str; 2] = match cfg!(windows) {
        true => [r"C:\no\such\library.dll", "kernel32.dll"],
        false => ["/no/such/library.so.13", "libc.so.6"],
    };
    let file = env::var(names.variable).ok();
    // Users may have set the variable, too.
    let Some(file) = file.filter(|file| FILES.contains(&&**file)) else {
        for file in FILES {
            let child = Command::new(env::current_exe().unwrap())
                .args(["--exact", test, "--nocapture"])
                .env(names.variable, file)
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&child.stdout);
            assert!(
                child.status.success() && text.contains("1 passed"),
                "{text}"
            );
        }
        return;
    };
    // The second call reports the same.
    for _ in 0..2 {
        let error = call();
        let text = error.to_string();
        assert!(matches!(error, Error::Missing(_)), "{text}");
        for part in [
            format!(
                "{} was not found: looked for {file} ({}). ",
                names.library, names.variable
            ),
            match file == FILES[1] {
                true => format!("{file}: it has no {}", names.function),
                // The systems describe a missing file in different words.
                false if cfg!(windows) => format!("{file}: "),
                false => "cannot open shared object file".into(),
            },
            format!("`pip install {}`", names.pip),
            format!("`conda install -c conda-forge {}`", names.conda),
            match cfg!(windows) {
                true => String::new(), // Windows has no package of this kind
                false => format!("`apt install {}`", names.apt),
            },
        ] {
            assert!(text.contains(&part), "no {part:?} in {text}");
        }
    }
}
