//! Options and progress of a pass over a file.

use std::{fmt, thread};

/// Options of a pass, in which a file is processed in pieces.
///
/// ```
/// use cuda_nccl::spread::{FilePass, FileProgress};
///
/// let mut lines = Vec::new();
/// let mut show = |progress: FileProgress| lines.push(format!("{:.0} %", 100.0 * progress.fraction()));
/// let pass = FilePass::new().piece_bytes(1 << 20).slots(2).progress(&mut show);
/// ```
#[must_use]
pub struct FilePass<'a> {
    pub(super) piece_bytes: usize,
    pub(super) slots: usize,
    pub(super) threads: usize,
    pub(super) progress: Option<&'a mut dyn FnMut(FileProgress)>,
}

impl<'a> FilePass<'a> {
    /// Creates options with pieces of 64 MiB, three slots, and four reading threads, or one per
    /// processor if there are fewer than four.
    pub fn new() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self {
            piece_bytes: 64 << 20,
            slots: 3,
            threads: processors.min(4),
            progress: None,
        }
    }

    /// Sets the size of a piece in bytes. A piece has at least one element.
    pub fn piece_bytes(mut self, bytes: usize) -> Self {
        self.piece_bytes = bytes;
        self
    }

    /// Sets the number of pieces in flight. For each, memory for one piece is allocated on the
    /// device and in page-locked host memory. A pass needs no other memory, regardless of the
    /// length of the file.
    pub fn slots(mut self, slots: usize) -> Self {
        self.slots = slots;
        self
    }

    /// Sets the number of threads that read a piece from the file, each a part of it. At least one
    /// is used.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets a callback that is called after each piece, on the thread that waits for the result.
    pub fn progress(mut self, show: &'a mut dyn FnMut(FileProgress)) -> Self {
        self.progress = Some(show);
        self
    }
}

impl Default for FilePass<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for FilePass<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilePass")
            .field("piece_bytes", &self.piece_bytes)
            .field("slots", &self.slots)
            .field("threads", &self.threads)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// The completed part of a rank's share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FileProgress {
    /// The number of elements reduced so far.
    pub done: usize,
    /// The number of elements in this rank's share.
    pub of: usize,
}

impl FileProgress {
    /// Returns the completed fraction, from 0 to 1.
    #[must_use]
    pub fn fraction(self) -> f64 {
        if self.of == 0 {
            return 1.0;
        }
        self.done as f64 / self.of as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_described() {
        let pass = FilePass::new().piece_bytes(1).slots(2).threads(5);
        let text = "FilePass { piece_bytes: 1, slots: 2, threads: 5, progress: false }";
        assert_eq!(format!("{pass:?}"), text);
        let mut show = |_: FileProgress| {};
        let pass = pass.progress(&mut show);
        assert_eq!(format!("{pass:?}"), text.replace("false", "true"));
    }

    #[test]
    fn a_pass_has_defaults() {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        for pass in [FilePass::new(), FilePass::default()] {
            assert_eq!((pass.piece_bytes, pass.slots), (67_108_864, 3));
            assert_eq!(pass.threads, processors.min(4));
            assert!(pass.progress.is_none());
        }
    }

    #[test]
    fn progress_is_a_fraction() {
        let fraction = |done, of| FileProgress { done, of }.fraction();
        assert_eq!(fraction(1, 4), 0.25);
        assert_eq!(fraction(4, 4), 1.0);
        assert_eq!(fraction(0, 4), 0.0);
        assert_eq!(fraction(0, 0), 1.0);
    }
}
