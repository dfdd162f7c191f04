//! The search itself, and the error for a library that it does not find.

use std::{
    env,
    error::Error,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

use crate::{
    library::Library,
    places::{Machine, Place, places},
    system::{self, Handle},
};

impl Library {
    /// Opens the library. [The crate's documentation](crate#search-order) lists the places.
    ///
    /// `versions` are the major versions of the toolkit that may be used, in order. `first` are the
    /// folders of step 2, and `built` is the folder of step 6.
    ///
    /// `accept` receives each file that can be opened, and returns the caller's functions or the
    /// reason why it is not the library. Use [`Handle::function`] and [`Handle::find`]. The path is
    /// the one that was passed to the loader, which may be a name alone.
    ///
    /// # Errors
    /// Returns a [`Missing`] if no file is accepted.
    pub fn open<T>(
        &self,
        versions: &[u32],
        first: &[PathBuf],
        built: Option<&Path>,
        accept: impl Fn(Handle, &Path) -> Result<T, String>,
    ) -> Result<T, Missing> {
        let program = || Some(env::current_exe().ok()?.parent()?.to_owned());
        let machine = Machine {
            variable: &variable,
            root: Path::new("/"),
            program: system::trusts_environment().then(program).flatten(),
        };
        self.open_on(&machine, versions, first, built, accept)
    }

    fn open_on<T>(
        &self,
        machine: &Machine,
        versions: &[u32],
        first: &[PathBuf],
        built: Option<&Path>,
        accept: impl Fn(Handle, &Path) -> Result<T, String>,
    ) -> Result<T, Missing> {
        if !self.exists() {
            return Err(self.none());
        }
        let open = |file: &Path| {
            let checked = |reason| format!("{}: {reason}", file.display());
            accept(system::open(file)?, file).map_err(checked)
        };
        if let Some(file) = (machine.variable)(self.variable) {
            let named = Path::new(&file).display().to_string();
            let searched = format!("{named} ({})", self.variable);
            return open(file.as_ref()).map_err(|reason| self.missing(&searched, true, &[reason]));
        }
        let names = self.names(versions);
        let mut reasons = Vec::new();
        let mut look_in = |place: &Place| {
            let files = place.folders.iter();
            let mut files = files.flat_map(|dir| names.iter().map(move |name| dir.join(name)));
            files.find_map(|file| {
                if file.is_absolute() && !file.is_file() {
                    return None;
                }
                let found = open(&file);
                found
                    .map_err(|reason| {
                        reasons.extend((!system::is_absence(&reason, &file)).then_some(reason))
                    })
                    .ok()
            })
        };
        let first: Vec<_> = first.iter().map(|folder| Place::folder(folder)).collect();
        if let Some(found) = first.iter().find_map(&mut look_in) {
            return Ok(found);
        }
        if self.preloaded
            && let Some(name) = names.first()
            && let Ok(found) = accept(Handle::PROCESS, Path::new(name))
        {
            return Ok(found);
        }
        let present = |name: &Path| accept(system::loaded(name)?, name).ok();
        if let Some(found) = names.iter().find_map(|name| present(name.as_ref())) {
            return Ok(found);
        }
        let others = places(self, built, machine);
        if let Some(found) = others.iter().find_map(look_in) {
            return Ok(found);
        }
        let searched: Vec<_> = first
            .iter()
            .chain(&others)
            .map(|place| &*place.text)
            .collect();
        let searched = format!("{} in {}", names.join(", "), searched.join(", "));
        Err(self.missing(&searched, false, &reasons))
    }

    /// Returns the error on systems for which NVIDIA does not make the library.
    #[cold]
    fn none(&self) -> Missing {
        let (name, os) = (self.name, env::consts::OS);
        Missing(format!(
            "{name} was not found: it does not exist for this system ({os}). Fix: run the program on Linux{}",
            if cfg!(windows) { "" } else { " or Windows" }
        ))
    }

    /// Returns the error. `named` says whether only the file of the variable was tried.
    #[cold]
    fn missing(&self, searched: &str, named: bool, reasons: &[String]) -> Missing {
        let Self {
            name,
            variable,
            remedy,
            without,
            ..
        } = self;
        let loader = match reasons {
            [] => String::new(),
            reasons => format!(". The loader says: {}", reasons.join("; ")),
        };
        let fix = match named {
            true => format!("correct {variable}, or unset it and {remedy}"),
            false => {
                format!("{remedy}. If it is installed elsewhere, set {variable} to its file")
            }
        };
        let without = match *without {
            "" => String::new(),
            without => format!(". {without}"),
        };
        Missing(format!(
            "{name} was not found: looked for {searched}{loader}. Fix: {fix}{without}"
        ))
    }
}

/// The error for a library that was not found.
///
/// `Display` prints one line with the library, everything that was searched, the loader's messages
/// about files that exist, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Missing {}

/// Returns an environment variable that is not empty, unless the program runs with more privileges
/// than its user.
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty() && system::trusts_environment())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        cell::RefCell,
        collections::BTreeMap,
        ffi::{CStr, OsStr},
        fs,
        process::Command,
    };

    use super::*;
    use crate::{CUBLAS, DRIVER, NCCL, NVJITLINK, NVRTC, driver_folders, file_of};

    /// A machine whose files are below a temporary folder, which is removed on drop.
    struct Fake {
        root: PathBuf,
        variables: BTreeMap<&'static str, PathBuf>,
    }

    impl Fake {
        fn new(name: &str) -> Self {
            let root = env::temp_dir().join(format!("cuda-find-{name}-{}", std::process::id()));
            fs::create_dir_all(&root).unwrap();
            let variables = BTreeMap::new();
            Self { root, variables }
        }

        fn set(&mut self, name: &'static str, folder: &str) {
            self.variables.insert(name, self.root.join(folder));
        }

        /// Puts a copy of `library` in a folder.
        fn copy(&self, library: &Path, file: &str) -> PathBuf {
            let file = self.root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::copy(library, &file).unwrap();
            file
        }

        fn write(&self, file: &str) -> PathBuf {
            let file = self.root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "no library").unwrap();
            file
        }

        /// Compiles a library with functions of these names.
        fn compile(&self, names: &[&str], options: &[&str]) -> PathBuf {
            let (text, file) = (self.root.join("double.c"), self.root.join("double.so"));
            let functions = names
                .iter()
                .map(|name| format!("int {name}(void) {{ return 0; }}\n"));
            fs::write(&text, functions.collect::<String>()).unwrap();
            let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
            let mut compile = Command::new(compiler);
            let compile = compile
                .args(["-shared", "-fPIC", "-o"])
                .arg(&file)
                .arg(&text);
            assert!(compile.args(options).status().unwrap().success());
            file
        }

        fn find(&self, library: &Library, mark: &CStr) -> Result<PathBuf, Missing> {
            let first = [self.root.join("first")];
            self.find_in(library, &first, mark)
        }

        fn find_in(
            &self,
            library: &Library,
            first: &[PathBuf],
            mark: &CStr,
        ) -> Result<PathBuf, Missing> {
            self.open(library, first, |handle, file| {
                handle.find(mark)?;
                Ok(file.to_owned())
            })
        }

        fn open<T>(
            &self,
            library: &Library,
            first: &[PathBuf],
            accept: impl Fn(Handle, &Path) -> Result<T, String>,
        ) -> Result<T, Missing> {
            let machine = Machine {
                variable: &|name| self.variables.get(name).map(|value| value.into()),
                root: &self.root,
                program: Some(self.root.join("program")),
            };
            let built = self.root.join("built");
            library.open_on(&machine, &[78, 77], first, Some(&built), accept)
        }
    }

    impl Drop for Fake {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.root);
        }
    }

    /// Runs a test again in a child process with this folder on the loader's search path. Returns
    /// whether this process is the child.
    fn is_child(test: &str, folder: &Path) -> bool {
        const CHILD: &str = "CUDA_FIND_TEST";
        if env::var_os(CHILD).is_some() {
            return true;
        }
        // The loader forgets folders that do not exist when a program starts.
        fs::create_dir_all(folder).unwrap();
        let output = Command::new(env::current_exe().unwrap())
            .args([&format!("open::tests::{test}"), "--exact", "--nocapture"])
            .env(CHILD, folder)
            .env("LD_LIBRARY_PATH", folder)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let passed = output.status.success() && text.contains("1 passed");
        assert!(passed, "{text}");
        false
    }

    /// Every place has a library, which is opened and rejected.
    #[test]
    fn places_are_searched_in_order() {
        let parent = Fake::new("order");
        let loader = parent.root.join("loader");
        if !is_child("places_are_searched_in_order", &loader) {
            return;
        }
        let loader = PathBuf::from(env::var_os("LD_LIBRARY_PATH").unwrap());
        let mut fake = Fake::new("order-child");
        for (name, folder) in [
            ("CUDA_PATH", "path"),
            ("CUDA_HOME", "home"),
            ("CUDA_ROOT", "root"),
            ("CONDA_PREFIX", "conda"),
            ("VIRTUAL_ENV", "venv"),
            ("HOME", "user"),
            ("PATH", "python/bin"),
        ] {
            fake.set(name, folder);
        }
        fake.write("python/bin/python3");
        let library = fake.compile(&["find_in_order"], &[]);
        let target = match env::consts::ARCH {
            "aarch64" => "sbsa",
            other => other,
        };
        let folders = [
            "first",
            "path/lib64",
            "path/lib",
            "home/lib64",
            "root/lib",
            loader.to_str().unwrap(),
            "usr/local/cuda/lib64",
            "opt/cuda/lib",
            "built",
            "conda/lib",
            &format!("conda/targets/{target}-linux/lib"),
            "conda/lib/python3.12/site-packages/nvidia/cu13/lib",
            "venv/lib/python3.12/site-packages/nvidia/cu13/lib",
            "venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib",
            "venv/lib/python3.9/site-packages/nvidia/cu13/lib",
            "python/lib/python3.13t/site-packages/nvidia/cu13/lib",
            "user/.local/lib/python3.11/site-packages/nvidia/cu13/lib",
            "usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib",
            "usr/lib/python3/dist-packages/nvidia/cu13/lib",
            "program",
        ];
        let names = ["libnvrtc.so.78", "libnvrtc.so.77", "libnvrtc.so"];
        let files = folders
            .iter()
            .flat_map(|folder| names.map(|name| format!("{folder}/{name}")));
        let expected: Vec<_> = files.map(|file| fake.copy(&library, &file)).collect();
        let found = RefCell::new(Vec::new());
        let error = fake.open(&NVRTC, &[fake.root.join("first")], |handle, _| {
            let function = handle.find(c"find_in_order")?;
            found.borrow_mut().extend(file_of(function.as_ptr()));
            Err::<(), _>("not this one".into())
        });
        assert!(error.is_err());
        assert_eq!(found.into_inner(), expected);
    }

    #[test]
    fn variable_excludes_other_places() {
        let mut fake = Fake::new("named");
        fake.set("CUDA_PATH", "toolkit");
        let library = fake.compile(&["find_named"], &[]);
        let other = fake.copy(&library, "toolkit/lib/libnvrtc.so.77");
        assert_eq!(fake.find(&NVRTC, c"find_named").unwrap(), other);
        fake.set("CUDA_SYS_LIBNVRTC", "double.so");
        assert_eq!(fake.find(&NVRTC, c"find_named").unwrap(), library);
        fake.set("CUDA_SYS_LIBNVRTC", "none.so");
        let text = fake.find(&NVRTC, c"find_named").unwrap_err().to_string();
        let root = fake.root.display();
        assert_eq!(
            text,
            format!(
                "NVRTC was not found: looked for {root}/none.so (CUDA_SYS_LIBNVRTC). The loader says: {root}/none.so: cannot \
                 open shared object file: No such file or directory. Fix: correct CUDA_SYS_LIBNVRTC, or unset it and run \
                 `pip install nvidia-cuda-nvrtc` (for CUDA 12, `nvidia-cuda-nvrtc-cu12`) in the active virtual environment, `conda install -c conda-forge cuda-nvrtc`, or, with NVIDIA's package repository, `apt \
                 install cuda-nvrtc-13-0`"
            )
        );
    }

    #[test]
    fn missing_library_error_lists_places_and_remedies() {
        let mut fake = Fake::new("missing");
        fake.set("CUDA_HOME", "home");
        fake.set("VIRTUAL_ENV", "venv");
        let error = fake.find(&NVJITLINK, c"find_missing").unwrap_err();
        let root = fake.root.display();
        assert_eq!(
            error.to_string(),
            format!(
                "nvJitLink was not found: looked for libnvJitLink.so.78, libnvJitLink.so.77 in {root}/first, CUDA_PATH (not \
                 set), CUDA_HOME ({root}/home), CUDA_ROOT (not set), the loader's search path, {root}/usr/local/cuda, \
                 {root}/opt/cuda, {root}/built, CONDA_PREFIX (not set), VIRTUAL_ENV ({root}/venv), the first python3 on PATH \
                 (none), the user's pip packages (none), the system's pip packages, the program's folder ({root}/program). \
                 Fix: run `pip install nvidia-nvjitlink` (for CUDA 12, `nvidia-nvjitlink-cu12`) in the active virtual \
                 environment, `conda install -c conda-forge libnvjitlink`, or, with NVIDIA's package repository, `apt install \
                 libnvjitlink-13-0`. If it is installed elsewhere, set CUDA_SAFE_LIBNVJITLINK to its file"
            )
        );
        for (library, pip, conda, apt) in [
            (&NVRTC, "nvidia-cuda-nvrtc", "cuda-nvrtc", "cuda-nvrtc-13-0"),
            (&CUBLAS, "nvidia-cublas", "libcublas", "libcublas-13-0"),
            (&NCCL, "nvidia-nccl-cu13", "nccl", "libnccl2"),
        ] {
            let text = fake.find(library, c"find_missing").unwrap_err().to_string();
            for part in [
                format!("{} was not found: looked for lib", library.name),
                format!("VIRTUAL_ENV ({root}/venv)"),
                format!("`pip install {pip}`"),
                format!("`conda install -c conda-forge {conda}`"),
                format!("`apt install {apt}`"),
                format!("set {} to its file", library.variable),
            ] {
                assert!(text.contains(&part), "no {part:?} in {text}");
            }
        }
    }

    /// The driver's libraries have a symbol that no driver of this machine has.
    #[test]
    fn driver_is_searched_only_where_drivers_are() {
        let mut fake = Fake::new("driver");
        let library = fake.compile(&["find_driver"], &[]);
        for variable in ["CUDA_PATH", "CONDA_PREFIX"] {
            fake.set(variable, "toolkit");
            fake.copy(&library, "toolkit/lib64/libcuda.so.1");
        }
        let find = || fake.find_in(&DRIVER, &[], c"find_driver");
        let text = find().unwrap_err().to_string();
        let start = "NVIDIA's driver was not found: looked for libcuda.so.1 in the loader's search path, the folders of WSL, \
                     Jetson and NixOS. ";
        assert!(text.starts_with(start), "{text}");
        let end = "Fix: install the NVIDIA driver. If it is installed elsewhere, set CUDA_SYS_LIBCUDA to its file. Without a \
                   GPU, use the emulator: make cuda-emulator an optional dependency with a feature, write `use cuda_emulator \
                   as _;`, and start `cargo run --features emulator`. Or set CUDA_SYS_LIBCUDA to the absolute path of \
                   libcuda_emulator.so, which cargo puts in `debug/deps` of its target folder";
        assert!(text.ends_with(end), "{text}");
        for folder in driver_folders(env::consts::ARCH) {
            let file = fake.copy(&library, &format!("{folder}/libcuda.so.1"));
            assert_eq!(find().unwrap(), file);
            fs::remove_file(file).unwrap();
        }
    }

    #[test]
    fn files_that_are_no_library_are_skipped_and_reported() {
        let mut fake = Fake::new("other");
        fake.set("CUDA_PATH", "a");
        fake.set("CUDA_HOME", "b");
        fake.set("CUDA_ROOT", "c");
        let text = fake.write("a/lib64/libcublas.so.78");
        let other = fake.compile(&["find_another"], &[]);
        let other = fake.copy(&other, "b/lib64/libcublas.so.77");
        let error = fake.find(&CUBLAS, c"find_other").unwrap_err().to_string();
        let (_, said) = error.split_once("The loader says: ").unwrap();
        let (said, _) = said.split_once(". Fix: ").unwrap();
        let (first, second) = said.split_once("; ").unwrap();
        assert!(first.starts_with(text.to_str().unwrap()), "{error}");
        let expected = format!("{}: it has no find_other", other.display());
        assert_eq!(second, expected);
        let library = fake.compile(&["find_other"], &[]);
        let library = fake.copy(&library, "c/lib/libcublas.so.77");
        assert_eq!(fake.find(&CUBLAS, c"find_other").unwrap(), library);
    }

    /// A library in the process comes before toolkits, and after the folder that must match.
    #[test]
    fn loaded_library_is_found() {
        let mut fake = Fake::new("loaded");
        fake.set("CUDA_PATH", "toolkit");
        let library = fake.compile(&["find_loaded"], &["-Wl,-soname,libcublas.so.77"]);
        let find = || fake.find(&CUBLAS, c"find_loaded");
        assert!(find().is_err(), "it is not open yet");
        let loaded = fake.copy(&library, "elsewhere.so");
        system::open(&loaded).unwrap();
        let toolkit = fake.copy(&library, "toolkit/lib64/libcublas.so.78");
        assert_eq!(find().unwrap(), Path::new("libcublas.so.77"));
        let first = fake.copy(&library, "first/libcublas.so.78");
        assert_eq!(find().unwrap(), first);
        assert!(toolkit.is_file());
    }

    #[test]
    fn functions_of_the_process_are_used_if_any_version_serves() {
        let mut fake = Fake::new("process");
        assert!(fake.find(&NCCL, c"getpid").is_err());
        assert_eq!(
            fake.find(&NVRTC, c"getpid").unwrap(),
            OsStr::new("libnvrtc.so.78")
        );
        fake.set("CUDA_SYS_LIBNVRTC", "none.so");
        assert!(fake.find(&NVRTC, c"getpid").is_err());
    }

    /// Tests in this process must not change the environment, so this one sets no variables.
    #[test]
    fn empty_variables_count_as_unset() {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        for (name, value) in env::vars_os() {
            let name = name.to_string_lossy();
            assert_eq!(variable(&name), is_set(&name).then_some(value), "{name}");
        }
        assert_eq!(variable("CUDA_FIND_NO_SUCH_VARIABLE"), None);
    }
}
