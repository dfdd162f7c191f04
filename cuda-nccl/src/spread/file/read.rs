//! Reading a file with several threads.

use std::{fs::File, io, os::unix::fs::FileExt, path::Path, thread};

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
            "{}: not a regular file. Its length is needed to divide it among the ranks",
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

fn read_part(file: &File, path: &Path, mut offset: u64, mut host: &mut [u8]) -> Result<()> {
    while !host.is_empty() {
        match file.read_at(host, offset) {
            Ok(0) => {
                return Err(Error::File(format!(
                    "{}: ends at byte {offset}, but had {} more bytes when it was opened. Was it truncated in the meantime?",
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
