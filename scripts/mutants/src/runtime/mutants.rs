
/// Activates mutants. `make mutants` inserts this module.
#[doc(hidden)]
#[allow(warnings, clippy::all)]
pub(crate) mod __mutants {
    use std::fs::File;
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

    /// The active mutant, or 0 for none.
    static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
    const UNKNOWN: u32 = u32::MAX;
    /// No mutant is active, but reached mutants are recorded.
    const NOTING: u32 = u32::MAX - 1;

    #[inline(always)]
    pub fn active(mutant: u32) -> bool {
        let active = ACTIVE.load(Relaxed);
        active == mutant || (active >= NOTING && seldom(mutant, active))
    }

    #[cold]
    #[inline(never)]
    fn seldom(mutant: u32, mut active: u32) -> bool {
        static FILE: OnceLock<File> = OnceLock::new();
        static REACHED: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];
        if active == UNKNOWN {
            // Reading the environment allocates, and a test's allocator may call this function
            // again. All mutants are inactive meanwhile.
            if ACTIVE.compare_exchange(UNKNOWN, 0, Relaxed, Relaxed).is_err() {
                return false;
            }
            let number = std::env::var("MUTANT").ok().and_then(|text| text.parse().ok());
            let path = std::env::var_os("MUTANTS_REACHED");
            active = match (number, path) {
                (Some(number), _) => number,
                (None, None) => 0,
                (None, Some(path)) => {
                    let file = File::options().create(true).append(true).open(path);
                    file.map_or(0, |file| FILE.set(file).map_or(0, |()| NOTING))
                }
            };
            ACTIVE.store(active, Relaxed);
        }
        if active != NOTING {
            return active == mutant;
        }
        let bit = 1 << (mutant % 64);
        if REACHED[mutant as usize / 64].fetch_or(bit, Relaxed) & bit == 0 {
            // Without allocating, for the same reason.
            let mut text = [b'\n'; 11];
            let (mut start, mut rest) = (10, mutant);
            loop {
                start -= 1;
                text[start] = b'0' + (rest % 10) as u8;
                rest /= 10;
                if rest == 0 {
                    break;
                }
            }
            if let Some(mut file) = FILE.get() {
                let _ = file.write_all(&text[start..]);
            }
        }
        false
    }

    /// One of two iterators.
    pub enum Either<L, R> {
        Left(L),
        Right(R),
    }

    impl<L: Iterator<Item = R::Item>, R: Iterator> Iterator for Either<L, R> {
        type Item = R::Item;
        fn next(&mut self) -> Option<R::Item> {
            match self {
                Self::Left(left) => left.next(),
                Self::Right(right) => right.next(),
            }
        }
    }
}
