//! The places of a library, in search order.

mod layout;
mod tests;
mod unix;
mod windows;

use std::path::{Path, PathBuf};

use layout::Layout;
pub use layout::VARIABLES;
pub(crate) use layout::{Machine, Place};
pub use unix::driver_folders;

use crate::library::Library;

/// Returns the places of a library after those that the process has already loaded. `built` is the
/// library's folder when the program was built.
pub(crate) fn places(library: &Library, built: Option<&Path>, machine: &Machine) -> Vec<Place> {
    match cfg!(windows) {
        true => places_on(&windows::Windows, library, built, machine),
        false => places_on(&unix::Unix, library, built, machine),
    }
}

fn places_on<L: Layout>(
    layout: &L,
    library: &Library,
    built: Option<&Path>,
    machine: &Machine,
) -> Vec<Place> {
    let packages = library.packages;
    if packages.is_empty() {
        return layout.of_driver(machine);
    }
    let toolkit = |home: &Path| layout.of_toolkit(home);
    let of_sites = |sites: Vec<PathBuf>| {
        let packages = sites.iter().flat_map(|site| {
            packages
                .iter()
                .map(move |package| site.join("nvidia").join(package))
        });
        packages
            .flat_map(|package| layout.of_package(&package))
            .collect::<Vec<_>>()
    };
    let pip = |prefix: &Path| of_sites(layout.sites(prefix));
    let mut places: Vec<_> = VARIABLES[..3]
        .iter()
        .map(|name| Place::prefix(name, machine.folder(name), toolkit))
        .collect();
    places.extend(layout.loader(machine));
    for home in layout.toolkits(machine) {
        places.push(Place::new(home.display().to_string(), toolkit(&home)));
    }
    places.extend(built.map(Place::folder));
    let conda = |prefix: &Path| [layout.of_conda(prefix), pip(prefix)].concat();
    places.push(Place::prefix(
        "CONDA_PREFIX",
        machine.folder("CONDA_PREFIX"),
        conda,
    ));
    places.push(Place::prefix(
        "VIRTUAL_ENV",
        machine.folder("VIRTUAL_ENV"),
        pip,
    ));
    let python = machine.path().into_iter().find_map(|folder| {
        folder
            .join(L::PYTHON)
            .is_file()
            .then(|| layout.python(&folder))?
    });
    let name = L::PYTHON.trim_end_matches(".exe");
    places.push(Place::prefix(
        &format!("the first {name} on PATH"),
        python,
        pip,
    ));
    let user = layout.user(machine);
    places.push(Place::prefix("the user's pip packages", user, pip));
    let system = of_sites(layout.system(machine));
    places.push(Place::new("the system's pip packages", system));
    let program = machine.program.clone();
    let own = |folder: &Path| vec![folder.to_owned()];
    places.push(Place::prefix("the program's folder", program, own));
    places
}
