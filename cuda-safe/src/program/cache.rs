//! Compiled programs on disk.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use sha2::{Digest, Sha256};

use super::compile::CompiledProgram;

/// Where compiled programs are kept between runs.
///
/// The key is a hash over the source, options, name expressions, architecture, NVRTC's version
/// and the contents of everything that may be included, so that an entry never needs to be
/// thrown away. Entries are written to a temporary file and renamed, and checked when they are
/// read: several processes may share a folder, and a broken entry is compiled afresh. What can't
/// be written is not kept; that is no error.
///
/// ```
/// # use cuda_safe::{Architecture, Cache, Program};
/// # fn main() -> cuda_safe::Result<()> {
/// let folder = std::env::temp_dir().join(format!("cache-{}", std::process::id()));
/// let program = Program::new("__global__ void nothing() {}");
/// let kept = program.clone().cache(Cache::Folder(folder.clone()));
/// let target = Architecture::virtual_of(90);
/// assert!(!kept.compile(target)?.is_from_cache());
/// assert!(kept.compile(target)?.is_from_cache());
/// assert!(!program.cache(Cache::Off).compile(target)?.is_from_cache());
/// # std::fs::remove_dir_all(&folder).expect("the folder's end");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cache {
    /// The folder named by the environment variable `CUDA_DIRECT_CACHE` (`off` for none),
    /// otherwise `$XDG_CACHE_HOME/cuda-direct`, otherwise `$HOME/.cache/cuda-direct`.
    #[default]
    Default,
    /// A folder; made when it does not exist.
    Folder(PathBuf),
    /// Nothing is kept.
    Off,
}

impl Cache {
    pub(super) fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::Off => None,
            Self::Folder(folder) => Some(folder.clone()),
            Self::Default => match env::var_os("CUDA_DIRECT_CACHE") {
                Some(value) if value == "off" => None,
                Some(value) if !value.is_empty() => Some(value.into()),
                _ => {
                    let absolute = |name| {
                        env::var_os(name)
                            .map(PathBuf::from)
                            .filter(|path| path.is_absolute())
                    };
                    absolute("XDG_CACHE_HOME")
                        .or_else(|| Some(absolute("HOME")?.join(".cache")))
                        .map(|folder| folder.join("cuda-direct"))
                }
            },
        }
    }
}

/// A hash over parts, none of which can run into the next.
pub(super) struct Key(Sha256);

impl Key {
    pub(super) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(super) fn part(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub(super) fn finish(self) -> String {
        self.0
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// First bytes of an entry; the number is that of the layout.
const MAGIC: &[u8; 8] = b"CUDADIR1";

pub(super) fn read(folder: &Path, key: &str) -> Option<CompiledProgram> {
    decode(&fs::read(folder.join(key)).ok()?)
}

pub(super) fn write(folder: &Path, key: &str, program: &CompiledProgram) {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".{key}.{}.{number}", std::process::id()));
    let written = fs::create_dir_all(folder)
        .and_then(|()| fs::File::create_new(&temporary))
        .and_then(|mut file| file.write_all(&encode(program)))
        .and_then(|()| fs::rename(&temporary, folder.join(key)));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
}

fn encode(program: &CompiledProgram) -> Vec<u8> {
    let mut body = Vec::new();
    let mut part = |bytes: &[u8]| {
        body.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        body.extend_from_slice(bytes);
    };
    part(program.ptx.as_bytes());
    part(program.cubin.as_deref().unwrap_or_default());
    part(program.log.as_bytes());
    for (expression, lowered) in &program.lowered {
        part(expression.as_bytes());
        part(lowered.as_bytes());
    }
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&Sha256::digest(&body));
    file.extend_from_slice(&body);
    file
}

fn decode(file: &[u8]) -> Option<CompiledProgram> {
    let (digest, mut body) = file.strip_prefix(MAGIC)?.split_at_checked(32)?;
    if *Sha256::digest(body) != *digest {
        return None;
    }
    let mut parts = Vec::new();
    while !body.is_empty() {
        let (length, rest) = body.split_first_chunk::<8>()?;
        let (part, rest) =
            rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        parts.push(part.to_vec());
        body = rest;
    }
    let mut parts = parts.into_iter();
    let mut text = || String::from_utf8(parts.next()?).ok();
    let ptx = text()?;
    let cubin = parts.next()?;
    let log = String::from_utf8(parts.next()?).ok()?;
    let mut lowered = Vec::new();
    while let Some(expression) = parts.next() {
        lowered.push((
            String::from_utf8(expression).ok()?,
            String::from_utf8(parts.next()?).ok()?,
        ));
    }
    let cubin = (!cubin.is_empty()).then_some(cubin);
    Some(CompiledProgram {
        ptx,
        cubin,
        log,
        lowered,
        from_cache: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> CompiledProgram {
        CompiledProgram {
            ptx: ".version 8.0".into(),
            cubin: Some(vec![1, 2, 3]),
            log: "a warning".into(),
            lowered: vec![("f<int>".into(), "_Z1fIiEvv".into())],
            from_cache: false,
        }
    }

    #[test]
    fn an_entry_comes_back_as_it_went() {
        let entry = decode(&encode(&program())).unwrap();
        assert_eq!(entry.ptx, program().ptx);
        assert_eq!(entry.cubin, program().cubin);
        assert_eq!(entry.log, program().log);
        assert_eq!(entry.lowered, program().lowered);
        assert!(entry.from_cache);
    }

    #[test]
    fn every_damage_is_noticed() {
        let file = encode(&program());
        for length in 0..file.len() {
            assert!(decode(&file[..length]).is_none(), "cut to {length}");
        }
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert!(decode(&damaged).is_none(), "bit flipped in byte {at}");
        }
    }

    #[test]
    fn parts_of_a_key_do_not_run_together() {
        let key = |parts: &[&str]| {
            let mut key = Key::new();
            parts.iter().for_each(|part| {
                key.part(part);
            });
            key.finish()
        };
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a", ""]), key(&["a"]));
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
    }
}
