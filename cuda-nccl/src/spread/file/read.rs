//! Reading a file with several threads.

use std::{fs::File, io, path::Path, thread};

use crate::error::{Error, Result};

/// Smaller parts are not worth a thread.
const PART: usize = 1 << 20;

/// Opens a file and returns its length in bytes.
pub(super) fn open(path: &Path) -> Result<(File, u64)> {
    let failed = |error: io::Error| Error::File(format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(failed)?;
    let known = file.metadata().map_err(failed)?;
    if !known.is_file() {
        return Err(Error::File(format!(
            "{}: not a regular file, so it has no length by which to divide it among the ranks",
            path.display()
        )));
    }
    Ok((file, known.len()))
}

/// Fills `host` with the contents of the file from `offset` on.
pub(super) fn read(
    file: &File,
    path: &Path,
    offset: u64,
    host: &mut [u8],
    threads: usize,
) -> Result<()> {
    let part = host
        .len()
        .div_ceil(threads.max(1))
        .next_multiple_of(4096)
        .max(PART);
    if host.len() <= part {
        return read_part(file, path, offset, host);
    }
    thread::scope(|scope| {
        let mut parts = host.chunks_mut(part).enumerate();
        let first = parts.next();
        let others: Vec<_> = parts
            .map(|(number, host)| {
                let at = offset + (number * part) as u64;
                scope.spawn(move || read_part(file, path, at, host))
            })
            .collect();
        let own = first.map_or(Ok(()), |(_, host)| read_part(file, path, offset, host));
        others.into_iter().fold(own, |outcome, other| {
            // Propagates a panic of the thread.
            outcome.and(
                other
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        })
    })
}

/// Reads without the position that other threads also use.
#[cfg(unix)]
fn read_at(file: &File, host: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, host, offset)
}

/// Reads at an offset. It moves the file's position, which no thread uses.
#[cfg(windows)]
fn read_at(file: &File, host: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, host, offset)
}

fn read_part(file: &File, path: &Path, mut offset: u64, mut host: &mut [u8]) -> Result<()> {
    while !host.is_empty() {
        match read_at(file, host, offset) {
            Ok(0) => {
                return Err(Error::File(format!(
                    "{}: ends at byte {offset}, but had {} more bytes when it was opened. Fix: check that no other program truncates it",
                    path.display(),
                    host.len()
                )));
            }
            Ok(bytes) => {
                offset += bytes as u64;
                host = &mut host[bytes..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(Error::File(format!(
                    "{}: reading at byte {offset} failed: {error}",
                    path.display()
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Returns an open file with these bytes, and its former path. The file is already unlinked.
    fn file(content: &[u8]) -> (File, PathBuf) {
        use std::sync::atomic::{AtomicU32, Ordering};
        static FILES: AtomicU32 = AtomicU32::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let name = format!("cuda-nccl-read-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).unwrap();
        let (file, bytes) = open(&path).unwrap();
        assert_eq!(bytes, content.len() as u64);
        std::fs::remove_file(&path).unwrap();
        (file, path)
    }

    #[test]
    fn parts_of_several_threads_lie_side_by_side() {
        let content: Vec<u8> = (0..3 * PART + 5000)
            .map(|at| (at * 7 % 251) as u8)
            .collect();
        let (file, path) = file(&content);
        for len in [0, 1, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 4990] {
            for threads in [0, 1, 2, 3, 100] {
                let mut host = vec![0; len];
                read(&file, &path, 10, &mut host, threads).unwrap();
                assert!(
                    host == content[10..10 + len],
                    "{len} bytes by {threads} threads"
                );
            }
        }
    }

    #[test]
    fn a_file_that_was_cut_is_an_error_with_the_offset() {
        let (file, path) = file(&[1, 2, 3]);
        let mut host = [0; 4];
        let error = read(&file, &path, 1, &mut host, 1).unwrap_err();
        let text = format!(
            "{}: ends at byte 3, but had 2 more bytes when it was opened. Fix: check that no other program truncates it",
            path.display()
        );
        assert_eq!(error.to_string(), text);
        assert_eq!(host[..2], [2, 3]);
    }

    #[test]
    fn an_offset_that_the_system_rejects_is_an_error() {
        let (file, path) = file(&[1, 2, 3]);
        let error = read(&file, &path, u64::MAX, &mut [0], 1).unwrap_err();
        let start = format!("{}: reading at byte {} failed: ", path.display(), u64::MAX);
        assert!(error.to_string().starts_with(&start), "{error}");
        assert!(matches!(error, Error::File(_)));
    }
}
