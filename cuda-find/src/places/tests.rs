//! The layout of Windows. Those of Linux are tested with libraries in `open.rs`.

#![cfg(test)]

use std::{collections::BTreeMap, env, fs, process};

use super::{windows::Windows, *};
use crate::{CUBLAS, CUFFT, DRIVER, NCCL, NVJITLINK, NVRTC};

/// The layouts are files in a folder, so the test also runs on other systems.
#[test]
fn places_of_windows_are_in_order() {
    let root = env::temp_dir().join(format!("cuda-find-windows-{}", process::id()));
    let programs = "programs/NVIDIA GPU Computing Toolkit/CUDA";
    for folder in [
        &format!("{programs}/v9.2"),
        &format!("{programs}/v13.0"),
        &format!("{programs}/v12.9"),
        "programs/Python39",
        "data/Python/Python311",
        "local/Programs/Python/Python312",
        "local/Programs/Python/Python313",
        "python/Scripts",
    ] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join("python/Scripts/python.exe"), "").unwrap();
    let mut variables = BTreeMap::new();
    for (name, folder) in [
        ("CUDA_PATH", "path"),
        ("CONDA_PREFIX", "conda"),
        ("VIRTUAL_ENV", "venv"),
        ("APPDATA", "data"),
        ("LOCALAPPDATA", "local"),
        ("ProgramFiles", "programs"),
    ] {
        variables.insert(name, root.join(folder).into_os_string());
    }
    // The current folder must not be searched.
    let path = ["relative", ".", ""].map(PathBuf::from).into_iter();
    let path = path.chain([root.join("tools"), root.join("python").join("Scripts")]);
    variables.insert("PATH", env::join_paths(path).unwrap());
    let machine = Machine {
        variable: &|name| variables.get(name).cloned(),
        root: &root,
        program: Some(root.join("program")),
    };
    let found = |library, built: Option<&Path>| {
        let places = places_on(&Windows, library, built, &machine);
        let folders = places.iter().flat_map(|place| &place.folders);
        let name = |folder: &PathBuf| {
            let name = folder.strip_prefix(&root).unwrap_or(folder);
            name.to_string_lossy().replace('\\', "/")
        };
        folders.map(name).collect::<Vec<_>>()
    };
    assert_eq!(found(&DRIVER, None), ["", "tools", "python/Scripts"]);
    let built = root.join("built");
    let all = found(&NVRTC, Some(&built));
    let mut expected = vec![
        "path/bin/x64".to_owned(),
        "path/bin".into(),
        "".into(),
        "tools".into(),
        "python/Scripts".into(),
    ];
    for version in ["v13.0", "v12.9", "v9.2"] {
        expected.extend(["bin/x64", "bin"].map(|bin| format!("{programs}/{version}/{bin}")));
    }
    expected.push("built".into());
    expected.extend(["conda/Library/bin/x64", "conda/Library/bin"].map(str::to_owned));
    for site in [
        "conda/Lib/site-packages",
        "venv/Lib/site-packages",
        "python/Lib/site-packages",
        "data/Python/Lib/site-packages",
        "data/Python/Python311/site-packages",
        "local/Programs/Python/Python313/Lib/site-packages",
        "local/Programs/Python/Python312/Lib/site-packages",
        "programs/Python39/Lib/site-packages",
    ] {
        for package in ["cu13", "cuda_nvrtc"] {
            let bins = ["bin/x86_64", "bin"];
            expected.extend(bins.map(|bin| format!("{site}/nvidia/{package}/{bin}")));
        }
    }
    expected.push("program".into());
    assert_eq!(all, expected);
    let cublas = "venv/Lib/site-packages/nvidia/cublas/bin".to_owned();
    assert!(found(&CUBLAS, None).contains(&cublas));
    fs::remove_dir_all(root).unwrap();
}

/// Packages are names below `site-packages/nvidia`.
#[test]
fn packages_are_names() {
    for library in [&NVRTC, &NVJITLINK, &CUBLAS, &CUFFT, &NCCL] {
        let names = library.packages.iter();
        assert!(names.clone().count() > 0 && names.clone().all(|name| !name.contains('/')));
    }
}
