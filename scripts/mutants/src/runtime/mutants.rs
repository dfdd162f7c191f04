
/// Switches mutants on; put here by `make mutants`.
#[doc(hidden)]
#[allow(warnings, clippy::all)]
pub(crate) mod __mutants {
    use std::fs::File;
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

    /// The mutant that is on; 0 for none.
    static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
    const UNKNOWN: u32 = u32::MAX;
    /// None is on, but those that are reached are written down.
    const NOTING: u32 = u32::MAX - 1;

    #[inline(always)]
    pub fn active(mutant: u32) -> bool {
        let active = ACTIVE.load(Relaxed);
        active == mutant || (active >= NOTING && seldom(mutant, active))
    }

    #[cold]
    #[inline(never)]
    fn seldom(mutant: u32, mut active: u32) -> bool {
        static FILE: OnceLock<Option<File>> = OnceLock::new();
        static REACHED: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];
        if active == UNKNOWN {
            let number = std::env::var("MUTANT").ok().and_then(|text| text.parse().ok());
            active = match number {
                Some(number) => number,
                None if std::env::var_os("MUTANTS_REACHED").is_some() => NOTING,
                None => 0,
            };
            ACTIVE.store(active, Relaxed);
        }
        if active != NOTING {
            return active == mutant;
        }
        let bit = 1 << (mutant % 64);
        if REACHED[mutant as usize / 64].fetch_or(bit, Relaxed) & bit == 0 {
            let file = FILE.get_or_init(|| {
                let path = std::env::var_os("MUTANTS_REACHED")?;
                File::options().create(true).append(true).open(path).ok()
            });
            if let Some(mut file) = file.as_ref() {
                let _ = file.write_all(format!("{mutant}\n").as_bytes());
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
