//! All mutants of the repository with their numbers, and which of them compile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cargo::Cargo;
use crate::find::{self, Found};
use crate::mutant::Mutant;
use crate::rewrite;
use crate::targets;
use crate::tree;
use crate::unviable::{self, Compiled};

/// The code that adds the switch to a package.
const SWITCH: &str = include_str!("runtime/mutants.rs");

/// A source file.
struct Source {
    name: String,
    text: String,
    found: Found,
    /// The number of its first mutant.
    first: u32,
    /// The mutants that don't compile, with the compiler's messages.
    unviable: BTreeMap<usize, String>,
}

impl Source {
    fn hash(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}

/// Returns the folder of the modules that a file declares.
fn module_folder(file: &str) -> &str {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    match file.strip_prefix(folder) {
        Some("/mod.rs" | "/lib.rs" | "/main.rs") => folder,
        _ => file.strip_suffix(".rs").unwrap_or(file),
    }
}

/// The repository.
pub struct Project {
    root: PathBuf,
    files: Vec<String>,
    sources: Vec<Source>,
    /// The packages that are mutated. The others are copied unchanged.
    packages: Vec<&'static str>,
}

impl Project {
    /// Finds all mutants.
    ///
    /// # Errors
    /// Returns an error if a source can't be read or parsed.
    pub fn read(root: &Path, packages: Vec<&'static str>) -> Result<Self, String> {
        let files = tree::files(root)?;
        let (mut sources, mut left_out) = (Vec::new(), Vec::new());
        for name in files.iter().filter(|file| targets::of(file).is_some()) {
            let text =
                fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
            let found = find::search(name, &text)?;
            let folder = module_folder(name);
            left_out.extend(
                found
                    .modules_left_out
                    .iter()
                    .map(|module| format!("{folder}/{module}")),
            );
            sources.push(Source {
                name: name.clone(),
                text,
                found,
                first: 0,
                unviable: BTreeMap::new(),
            });
        }
        sources.retain(|source| {
            let is_of = |module: &String| {
                let rest = source.name.strip_prefix(module.as_str());
                rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            };
            !left_out.iter().any(is_of)
        });
        let mut first = 1;
        for source in &mut sources {
            source.first = first;
            first += source.found.mutants.len() as u32;
        }
        Ok(Self {
            root: root.to_path_buf(),
            files,
            sources,
            packages,
        })
    }

    /// Returns a hash of the contents of all files.
    pub fn state(&self) -> String {
        let mut hasher = DefaultHasher::new();
        for file in &self.files {
            (file, fs::read(self.root.join(file)).unwrap_or_default()).hash(&mut hasher);
        }
        format!("{:016x}", hasher.finish())
    }

    /// Returns all mutants with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (u32, &Mutant)> {
        self.sources
            .iter()
            .flat_map(|source| (source.first..).zip(&source.found.mutants))
    }

    /// Returns the mutants that compile.
    pub fn live(&self) -> impl Iterator<Item = (u32, &Mutant)> {
        self.sources.iter().flat_map(|source| {
            let mutants = source.found.mutants.iter().enumerate();
            mutants
                .filter(|(index, _)| !source.unviable.contains_key(index))
                .map(|(index, mutant)| (source.first + index as u32, mutant))
        })
    }

    /// Returns the number of mutants in the wanted files that don't compile.
    pub fn unviable(&self, wanted: &dyn Fn(&str) -> bool) -> usize {
        self.sources
            .iter()
            .filter(|source| wanted(&source.name))
            .map(|source| source.unviable.len())
            .sum()
    }

    /// Returns the skipped places of the wanted files: file, line, reason.
    pub fn passed_over(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<(String, usize, String)> {
        self.sources
            .iter()
            .filter(|source| wanted(&source.name))
            .flat_map(|source| {
                let passed = source.found.passed_over.iter();
                passed.map(|(line, reason)| (source.name.clone(), *line, reason.clone()))
            })
            .collect()
    }

    /// Checks repeatedly and excludes mutants that don't compile, until everything compiles. The
    /// copied tree then contains all others.
    ///
    /// # Errors
    /// Returns an error if the tree doesn't compile for another reason.
    pub fn leave_out_unviable(
        &mut self,
        cargo: &Cargo,
        memory: &Path,
        fresh: bool,
    ) -> Result<(), String> {
        if !fresh {
            self.recall(memory);
        }
        for round in 1.. {
            let blamed = {
                let (compiled, changed) = self.compiled();
                tree::copy(&self.root, &cargo.tree, &self.files, &changed)?;
                let errors = cargo.check()?;
                if errors.is_empty() {
                    break;
                }
                let mut blamed: BTreeMap<(String, usize), String> = BTreeMap::new();
                let mut others = Vec::new();
                for error in &errors {
                    let mutants = unviable::blame(error, &compiled);
                    let words = error["message"].as_str().unwrap_or_default();
                    if mutants.is_empty() {
                        others.push(error["rendered"].as_str().unwrap_or(words).to_string());
                    }
                    for (file, mutant) in mutants {
                        blamed.insert((file.to_string(), mutant), words.to_string());
                    }
                }
                let new = |(file, mutant): &(String, usize)| {
                    let source = self.sources.iter().find(|source| source.name == *file);
                    source.is_some_and(|source| !source.unviable.contains_key(mutant))
                };
                blamed.retain(|mutant, _| new(mutant));
                if blamed.is_empty() {
                    return Err(format!("the copy doesn't compile\n{}", others.join("\n")));
                }
                println!(
                    "check {round}: {} errors, {} mutants don't compile",
                    errors.len(),
                    blamed.len()
                );
                blamed
            };
            for source in &mut self.sources {
                for ((_, mutant), words) in
                    blamed.iter().filter(|((file, _), _)| *file == source.name)
                {
                    source.unviable.insert(*mutant, words.clone());
                }
            }
            self.remember(memory)?;
        }
        Ok(())
    }

    /// Returns the sources with their mutants, and all files that change.
    fn compiled(&self) -> (BTreeMap<String, Compiled<'_>>, BTreeMap<String, String>) {
        let (mut compiled, mut changed) = (BTreeMap::new(), BTreeMap::new());
        let mutated = |source: &&Source| {
            targets::of(&source.name).is_some_and(|target| self.packages.contains(&target.package))
        };
        for source in self.sources.iter().filter(mutated) {
            let number = |index: usize| {
                let live = !source.unviable.contains_key(&index);
                live.then_some(source.first + index as u32)
            };
            let rewritten = rewrite::rewrite(&source.text, &source.found, &number);
            changed.insert(source.name.clone(), rewritten.text.clone());
            compiled.insert(
                source.name.clone(),
                Compiled {
                    found: &source.found,
                    rewritten,
                },
            );
        }
        for name in self.files.iter().filter(|file| targets::is_root(file)) {
            let text = changed
                .remove(name)
                .unwrap_or_else(|| fs::read_to_string(self.root.join(name)).unwrap_or_default());
            changed.insert(name.clone(), text + SWITCH);
        }
        (compiled, changed)
    }

    /// Loads the list of mutants that did not compile the last time, for unchanged files.
    fn recall(&mut self, memory: &Path) {
        let text = fs::read_to_string(memory).unwrap_or_default();
        let known: Value = serde_json::from_str(&text).unwrap_or_default();
        for source in &mut self.sources {
            let of_file = &known[&source.name];
            if of_file["hash"] != source.hash() {
                continue;
            }
            let words: BTreeMap<&str, &str> = of_file["unviable"]
                .as_object()
                .into_iter()
                .flatten()
                .filter_map(|(identity, words)| Some((identity.as_str(), words.as_str()?)))
                .collect();
            for (index, mutant) in source.found.mutants.iter().enumerate() {
                if let Some(words) = words.get(mutant.identity().as_str()) {
                    source.unviable.insert(index, (*words).to_string());
                }
            }
        }
    }

    fn remember(&self, memory: &Path) -> Result<(), String> {
        let mut all = serde_json::Map::new();
        let names: BTreeSet<&str> = self
            .sources
            .iter()
            .map(|source| source.name.as_str())
            .collect();
        debug_assert_eq!(names.len(), self.sources.len());
        for source in &self.sources {
            let unviable: serde_json::Map<String, Value> = source
                .unviable
                .iter()
                .map(|(index, words)| (source.found.mutants[*index].identity(), json!(words)))
                .collect();
            all.insert(
                source.name.clone(),
                json!({ "hash": source.hash(), "unviable": unviable }),
            );
        }
        let text = serde_json::to_string_pretty(&all).map_err(|error| error.to_string())?;
        fs::write(memory, text).map_err(|error| format!("{}: {error}", memory.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn module_folders_follow_rust_rules() {
        assert_eq!(module_folder("a/src/lib.rs"), "a/src");
        assert_eq!(module_folder("a/src/b/mod.rs"), "a/src/b");
        assert_eq!(module_folder("a/src/b.rs"), "a/src/b");
    }

    #[test]
    fn test_files_are_excluded_and_numbers_are_contiguous() {
        let name = format!("mutants-project-{}", std::process::id());
        let root = std::env::temp_dir().join(name);
        let source = root.join("cuda-safe/src");
        fs::create_dir_all(source.join("b/tests")).unwrap();
        fs::create_dir_all(source.join("guide")).unwrap();
        let function = "fn f() -> bool { a() }";
        for (file, text) in [
            ("a.rs", function),
            ("b.rs", "#[cfg(test)] mod tests; fn f() { g() }"),
            ("b/tests.rs", function),
            ("b/tests/more.rs", function),
            ("guide/text.rs", function),
            ("z.rs", function),
        ] {
            fs::write(source.join(file), text).unwrap();
        }
        let git = Command::new("git")
            .arg("init")
            .arg("-q")
            .arg(&root)
            .status();
        assert!(git.unwrap().success());
        let project = Project::read(&root, vec!["cuda-safe"]).unwrap();
        let state = project.state();
        let all: Vec<_> = project
            .all()
            .map(|(number, mutant)| (number, mutant.file["cuda-safe/src/".len()..].to_string()))
            .collect();
        let expected = [
            (1, "a.rs"),
            (2, "a.rs"),
            (3, "b.rs"),
            (4, "z.rs"),
            (5, "z.rs"),
        ];
        assert_eq!(
            all,
            expected.map(|(number, file)| (number, file.to_string()))
        );

        fs::write(source.join("z.rs"), "").unwrap();
        assert_ne!(
            Project::read(&root, vec!["cuda-safe"]).unwrap().state(),
            state
        );
        fs::remove_dir_all(&root).unwrap();
    }
}
