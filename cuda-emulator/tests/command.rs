//! The command `cuda-emulator`, which cargo builds beside the library.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The command, without the variables that cargo sets for tests.
fn command(program: impl AsRef<Path>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program.as_ref());
    command.args(arguments).env("CUDA_EMULATOR_QUIET", "1");
    for variable in ["LD_LIBRARY_PATH", "CUDA_EMULATOR_CHECK", "CUDA_SYS_LIBCUDA"] {
        command.env_remove(variable);
    }
    command
}

fn output(command: &mut Command) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn built() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_cuda-emulator"))
}

#[test]
fn a_program_runs_with_the_emulator_first_and_keeps_its_exit_code() {
    let script = "echo $LD_LIBRARY_PATH; echo problem >&2; exit 7";
    let mut run = command(built(), &["run", "--", "sh", "-c", script]);
    let (code, out, err) = output(run.env("LD_LIBRARY_PATH", "/before"));
    assert_eq!((code, &*err), (Some(7), "problem\n"));
    let (first, rest) = out.trim().split_once(':').unwrap();
    assert!(Path::new(first).join("libcuda.so.1").is_file(), "{first}");
    assert!(rest.starts_with("/before"), "{rest}");

    let (code, _, err) = output(&mut command(built(), &["run", "no-such-program"]));
    assert_eq!(code, Some(1));
    assert!(
        err.starts_with("cuda-emulator: no-such-program: No such file"),
        "{err}"
    );
    for wrong in [
        &[][..],
        &["run"],
        &["run", "--"],
        &["doctor", "x"],
        &["walk"],
    ] {
        let (code, out, err) = output(&mut command(built(), wrong));
        assert_eq!((code, &*out), (Some(2), ""), "{wrong:?}");
        assert!(err.contains("cuda-emulator run"), "{err}");
    }
}

#[test]
fn doctor_reports_the_library_the_checks_and_the_compiler() {
    let mut doctor = command(built(), &["doctor"]);
    let (code, out, err) = output(
        doctor
            .env("CUDA_EMULATOR_CHECK", "race,leak")
            .env("CUDA_EMULATOR_DEVICES", "3"),
    );
    assert_eq!((code, &*err), (Some(0), ""));
    for line in [
        "/cuda-emulator-library/libcuda.so.1\n",
        "devices   3 x CUDA emulator",
        "checks    every memory access, and race,leak\n",
        "variable  CUDA_EMULATOR_DEVICES=3\n",
        "\nNVRTC     ",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }

    let nowhere = "/nowhere/libnvrtc.so";
    let mut doctor = command(built(), &["doctor"]);
    let (code, out, _) = output(doctor.env("CUDA_SYS_LIBNVRTC", nowhere));
    assert_eq!(code, Some(0));
    let missing = "NVRTC     missing. Only programs that compile CUDA C++ need it. NVRTC was not found: looked for /nowhere";
    assert!(
        out.contains(missing) && out.contains("pip install nvidia-cuda-nvrtc"),
        "{out}"
    );

    let mut doctor = command(built(), &["doctor"]);
    let (code, _, err) = output(doctor.env("CUDA_EMULATOR_CHECK", "rac"));
    assert_eq!(code, Some(1));
    assert!(err.contains("unknown check `rac`"), "{err}");
    assert!(
        err.contains("cuInit of the emulator returned the code 1"),
        "{err}"
    );
}

/// A folder that is removed on drop.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_installed_command_finds_the_library_below_its_prefix() {
    // The command resolves links in its path.
    let target = fs::canonicalize(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let prefix = Folder(target.join("cuda-emulator-command"));
    let (bin, lib) = (prefix.0.join("bin"), prefix.0.join("lib/cuda-emulator"));
    fs::create_dir_all(&bin).unwrap();
    let installed = bin.join("cuda-emulator");
    // Not a copy: a process that another test starts meanwhile could inherit the open file.
    let _ = fs::remove_file(&installed);
    fs::hard_link(built(), &installed).unwrap();
    let (code, _, err) = output(&mut command(&installed, &["run", "true"]));
    assert_eq!(code, Some(1));
    let searched = lib.join("libcuda.so.1");
    assert!(err.contains(searched.to_str().unwrap()), "{err}");
    assert!(err.contains("Fix: after `cargo install`"), "{err}");

    fs::create_dir_all(&lib).unwrap();
    fs::copy(
        built().with_file_name("deps").join("libcuda_emulator.so"),
        &searched,
    )
    .unwrap();
    let (code, out, err) = output(&mut command(&installed, &["doctor"]));
    assert_eq!((code, &*err), (Some(0), ""));
    let first = out.lines().next().unwrap();
    assert_eq!(first, format!("library   {}", searched.display()));
}

#[test]
fn build_finds_the_library_whatever_target_cargo_is_configured_for() {
    let target = fs::canonicalize(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let prefix = Folder(target.join("cuda-emulator-build"));
    let path = |name: &str| prefix.0.join(name);
    for folder in ["bin", ".cargo", "small/src"] {
        fs::create_dir_all(path(folder)).unwrap();
    }
    // A small crate instead of the emulator, which takes minutes to build.
    let manifest = "[package]\nname = \"small\"\n[lib]\nname = \"cuda_emulator\"\n[workspace]\n";
    let lock = "version = 4\n[[package]]\nname = \"small\"\nversion = \"0.0.0\"\n";
    let cargo = "\
        for argument; do\n\
            shift\n\
            [ \"$before\" != --manifest-path ] || argument=$PWD/small/Cargo.toml\n\
            set -- \"$@\" \"$argument\"\n\
            before=$argument\n\
        done\n\
        exec \"$REAL_CARGO\" \"$@\"\n";
    for (file, text) in [
        ("small/Cargo.toml", manifest),
        ("small/Cargo.lock", lock),
        ("small/src/lib.rs", ""),
        (
            ".cargo/config.toml",
            "[build]\ntarget = \"no-such-target\"\n",
        ),
        ("cargo", &format!("#!/bin/sh\n{cargo}")),
    ] {
        fs::write(path(file), text).unwrap();
    }
    fs::set_permissions(path("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let installed = path("bin/cuda-emulator");
    let _ = fs::remove_file(&installed);
    fs::hard_link(built(), &installed).unwrap();

    let library = path("lib/cuda-emulator/libcuda.so.1");
    for variable in ["UNRELATED", "CARGO_BUILD_TARGET"] {
        let mut build = command(&installed, &["build"]);
        build.current_dir(&prefix.0).env(variable, "no-such-target");
        build.env("REAL_CARGO", env!("CARGO"));
        let (code, out, err) = output(build.env("CARGO", path("cargo")));
        assert_eq!(code, Some(0), "{err}");
        assert_eq!(out, format!("built {}\n", library.display()));
        fs::remove_file(&library).unwrap();
    }
    let left: Vec<_> = fs::read_dir(library.parent().unwrap()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
