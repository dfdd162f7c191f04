//! Prints the kernels' sources: for people, and for `tuning/tune.py`, which measures variants of them.
//!
//! ```text
//! kernel_sources reduce sum f32 threads=512 unroll=4    one kernel, in one piece
//! kernel_sources tables                                 the variants that the library chooses from, as measured
//! kernel_sources --into FOLDER < REQUESTS               one request a line: files in parts, and manifest.json
//! ```
//!
//! `Launch::from_request` in `src/tuning.rs` says what can be asked for.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

use cuda_compute::tuning::{self, Launch, Source};
use serde_json::{Map, Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["tables"] => print!("{}", tuning::tables()),
        ["--into", folder] => write(Path::new(folder))?,
        [] | ["--help"] => println!("kernel_sources REQUEST | tables | --into FOLDER < REQUESTS"),
        _ => print!(
            "{}",
            in_one_piece(&Launch::from_request(&words.join(" "))?.source)
        ),
    }
    Ok(())
}

/// Returns the text that a compiler accepts without options or other files.
fn in_one_piece(source: &Source) -> String {
    let defines = source
        .defines()
        .map(|(name, value)| format!("#define {name} {value}\n"));
    let mut text = defines.collect();
    let mut headers = source.headers().collect();
    include(source.file().1, &mut headers, &mut text);
    text
}

/// Appends a file's text. Headers are inserted where they are first included, and removed from the
/// list.
fn include(file: &str, headers: &mut BTreeMap<&str, &str>, text: &mut String) {
    for line in file.lines() {
        let name = line.strip_prefix("#include \"");
        let name = name.and_then(|rest| rest.strip_suffix('"'));
        match name {
            Some(name) => {
                if let Some(header) = headers.remove(name) {
                    include(header, headers, text);
                }
            }
            None if line == "#pragma once" => {}
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
}

/// Writes what the lines of the standard input ask for.
fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let mut files = Files {
        folder: folder.into(),
        of_text: BTreeMap::new(),
    };
    let mut kernels = Map::new();
    for request in io::stdin().lines() {
        let request = request?;
        let launch = Launch::from_request(&request)?;
        let (name, text) = launch.source.file();
        let mut headers = Map::new();
        for (name, text) in launch.source.headers() {
            headers.insert(name.into(), files.put(name, text)?.into());
        }
        let defines: Map<String, Value> = launch
            .source
            .defines()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let kernel = json!({
            "file": files.put(name, text)?,
            "name": name,
            "headers": headers,
            "defines": defines,
            "entry": launch.source.entry(),
            "threads": launch.threads,
            "shared": launch.shared_bytes,
        });
        kernels.insert(request, kernel);
    }
    fs::write(
        folder.join("manifest.json"),
        serde_json::to_string_pretty(&kernels)?,
    )?;
    println!("{} kernels in {}", kernels.len(), folder.display());
    Ok(())
}

/// Files of different texts, some of which have one name.
struct Files {
    folder: PathBuf,
    of_text: BTreeMap<String, String>,
}

impl Files {
    /// The name of the file with that text, written the first time.
    fn put(&mut self, name: &str, text: &str) -> io::Result<String> {
        if let Some(known) = self.of_text.get(text) {
            return Ok(known.clone());
        }
        let taken = |file: &String| self.of_text.values().any(|known| known == file);
        let numbered = (2..).map(|number| format!("{number}-{name}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let file = names
            .find(|file| !taken(file))
            .expect("numbers without end");
        fs::write(self.folder.join(&file), text)?;
        self.of_text.insert(text.into(), file.clone());
        Ok(file)
    }
}
