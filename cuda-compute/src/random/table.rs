//! Distributions of counts as tables.
//!
//! The alias method (Walker, "An efficient method for generating discrete random variables with general
//! distributions", 1977) divides the unit interval into equal buckets, each of which belongs to at most
//! two counts. A number of 32 bits then determines a count with one lookup. The tables are those of Vose,
//! "A linear algorithm for generating random numbers with a given distribution", 1991, in integers:
//! probabilities are multiples of 2⁻³², and the table has exactly these.

use std::sync::Arc;

use crate::expression::lookup::Lookup;

/// The maximum variance of a distribution with a table. A table then has up to 4096 buckets.
pub(super) const MAX_VARIANCE: f64 = 65_536.0;

/// The number of tables that a sequence keeps.
const KEPT: usize = 4;

/// A distribution of counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    /// Poisson's, with a mean.
    Poisson(f64),
    /// Of successes in this number of trials with a probability.
    Binomial(u32, f64),
}

impl Law {
    fn variance(self) -> f64 {
        match self {
            Self::Poisson(mean) => mean,
            Self::Binomial(trials, p) => f64::from(trials) * p * (1.0 - p),
        }
    }

    /// Returns a count that no other exceeds in probability, apart from rounding.
    fn mode(self) -> u32 {
        match self {
            Self::Poisson(mean) => mean as u32,
            Self::Binomial(trials, p) => (((f64::from(trials) + 1.0) * p) as u32).min(trials),
        }
    }

    /// Returns the probability of `k + 1`, divided by that of `k`. The latter must not be zero.
    fn ratio(self, k: u32) -> f64 {
        let next = f64::from(k) + 1.0;
        match self {
            Self::Poisson(mean) => mean / next,
            Self::Binomial(trials, p) if k < trials => {
                f64::from(trials - k) / next * (p / (1.0 - p))
            }
            Self::Binomial(..) => 0.0,
        }
    }
}

/// The table of a distribution.
#[derive(Debug)]
pub(super) struct CountTable {
    /// The count of the first bucket. The others follow.
    pub(super) first: u32,
    /// The logarithm of the number of buckets.
    pub(super) bits: u32,
    /// For each bucket, the part that belongs to its own count in the upper `32 - bits` bits, and the
    /// bucket whose count has the rest in the others.
    pub(super) lookup: Arc<Lookup>,
}

impl CountTable {
    fn new(law: Law) -> Self {
        let (first, shares) = shares(law);
        // At least two buckets, so that a share of a bucket fits in 32 bits.
        let buckets = shares.len().next_power_of_two().max(2);
        let bits = buckets.ilog2();
        Self {
            first,
            bits,
            lookup: Arc::new(Lookup::new(aliases(shares, bits))),
        }
    }
}

/// Returns the probabilities of consecutive counts in multiples of 2⁻³², and the first count. Their sum
/// is 2³².
fn shares(law: Law) -> (u32, Vec<u64>) {
    // Probabilities relative to that of the mode, in both directions until they are negligible.
    const NEGLIGIBLE: f64 = 1e-14;
    let mode = law.mode();
    let (mut first, mut weight) = (mode, 1.0);
    let mut weights = vec![weight];
    while first > 0 && weight > NEGLIGIBLE {
        first -= 1;
        weight /= law.ratio(first);
        weights.push(weight);
    }
    weights.reverse();
    (weight, first) = (1.0, first);
    for k in mode..=u32::MAX {
        weight *= law.ratio(k);
        if weight <= NEGLIGIBLE {
            break;
        }
        weights.push(weight);
    }
    let total: f64 = weights.iter().sum();
    // Sums are rounded instead of probabilities, so that the total is exact.
    let (mut sum, mut before) = (0.0, 0);
    let mut shares: Vec<u64> = weights
        .iter()
        .map(|weight| {
            sum += weight;
            let until = (sum / total * 2f64.powi(32)).round() as u64;
            until - std::mem::replace(&mut before, until)
        })
        .collect();
    let impossible = shares.iter().take_while(|&&share| share == 0).count();
    shares.drain(..impossible);
    while shares.last() == Some(&0) {
        shares.pop();
    }
    (first + impossible as u32, shares)
}

/// Returns the buckets for shares whose sum is 2³².
fn aliases(mut shares: Vec<u64>, bits: u32) -> Vec<u32> {
    let (buckets, size) = (1 << bits, 1 << (32 - bits));
    shares.resize(buckets, 0);
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..buckets).partition(|&bucket| shares[bucket] < size);
    // A bucket that is not visited belongs to its own count.
    let mut table: Vec<u32> = (0..buckets as u32).collect();
    while let (Some(little), Some(&much)) = (small.pop(), large.last()) {
        table[little] = (shares[little] << bits) as u32 | much as u32;
        shares[much] -= size - shares[little];
        if shares[much] < size {
            large.pop();
            small.push(much);
        }
    }
    table
}

/// The tables that were used last.
#[derive(Clone, Debug)]
pub(super) struct Tables(Vec<(Law, Arc<CountTable>)>);

impl Tables {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns the table of a distribution, or `None` if the variance is too large.
    pub(super) fn of(&mut self, law: Law) -> Option<Arc<CountTable>> {
        if law.variance() > MAX_VARIANCE {
            return None;
        }
        match self.0.iter().position(|(known, _)| *known == law) {
            Some(at) => self.0[..=at].rotate_right(1),
            None => {
                self.0.truncate(KEPT - 1);
                self.0.insert(0, (law, Arc::new(CountTable::new(law))));
            }
        }
        Some(self.0[0].1.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of 2^32 words that give each count, from the first on.
    fn words_of_counts(table: &CountTable) -> Vec<u64> {
        let size = 1u64 << (32 - table.bits);
        let words = table.lookup.words();
        let mut counts = vec![0; words.len()];
        for (bucket, word) in words.iter().enumerate() {
            let own = u64::from(word >> table.bits);
            counts[bucket] += own;
            counts[*word as usize & (words.len() - 1)] += size - own;
        }
        counts
    }

    /// The logarithms of the factorials of 0 to `most`.
    fn ln_factorials(most: u32) -> Vec<f64> {
        let mut sum = 0.0;
        let others = (1..=most).map(|k| {
            sum += f64::from(k).ln();
            sum
        });
        [0.0].into_iter().chain(others).collect()
    }

    #[test]
    fn a_table_has_the_probabilities_of_its_distribution() {
        let ln_factorial = ln_factorials(70_000);
        let ln_factorial = |n: u32| ln_factorial[n as usize];
        let poisson = |mean: f64, k: u32| (f64::from(k) * mean.ln() - mean - ln_factorial(k)).exp();
        let binomial = |n: u32, p: f64, k: u32| {
            let ways = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
            (ways + f64::from(k) * p.ln() + f64::from(n - k) * (-p).ln_1p()).exp()
        };
        for mean in [1e-12, 1e-3, 0.5, 1.0, 9.0, 10.5, 1000.0, MAX_VARIANCE] {
            check(Law::Poisson(mean), u32::MAX, |k| poisson(mean, k));
        }
        for (n, p) in [(1, 0.25), (7, 0.5), (20, 0.999), (1000, 1e-9), (5000, 0.3)] {
            check(Law::Binomial(n, p), n, |k| binomial(n, p, k));
        }
    }

    /// Compares a table with probabilities of counts up to `most`.
    fn check(law: Law, most: u32, probability: impl Fn(u32) -> f64) {
        let table = CountTable::new(law);
        let counts = words_of_counts(&table);
        assert_eq!(counts.iter().sum::<u64>(), 1 << 32, "{law:?}");
        assert!(counts.len() <= 4096, "{law:?}: {}", counts.len());
        let mut all = 0.0;
        for (k, &count) in (table.first..=most).zip(&counts) {
            let wanted = probability(k);
            let got = count as f64 / 2f64.powi(32);
            // Rounded once, and the logarithms of large factorials have errors.
            let error = (got - wanted).abs();
            assert!(
                error < 2f64.powi(-32) + wanted * 1e-9,
                "{law:?}, {k}: {got} instead of {wanted}"
            );
            all += wanted;
        }
        assert!((all - 1.0).abs() < 1e-7, "{law:?}: {all} of all counts");
    }

    #[test]
    fn certain_counts_have_one_bucket() {
        for (law, count) in [
            (Law::Poisson(0.0), 0),
            (Law::Binomial(0, 0.5), 0),
            (Law::Binomial(9, 0.0), 0),
            (Law::Binomial(9, 1.0), 9),
            (Law::Binomial(u32::MAX, 1.0), u32::MAX),
        ] {
            let table = CountTable::new(law);
            assert_eq!((table.first, table.bits), (count, 1), "{law:?}");
            assert_eq!(words_of_counts(&table), [1 << 32, 0], "{law:?}");
        }
    }

    #[test]
    fn the_last_tables_are_kept() {
        let mut tables = Tables::new();
        let laws = [1.0, 2.0, 3.0, 4.0].map(Law::Poisson);
        let made = laws.map(|law| tables.of(law).unwrap());
        for (law, made) in laws.into_iter().zip(&made) {
            assert!(Arc::ptr_eq(&tables.of(law).unwrap(), made));
        }
        // The first one is the least recently used.
        tables.of(Law::Binomial(3, 0.5)).unwrap();
        assert!(!Arc::ptr_eq(&tables.of(laws[0]).unwrap(), &made[0]));
        assert!(Arc::ptr_eq(&tables.of(laws[3]).unwrap(), &made[3]));
        assert!(tables.of(Law::Poisson(MAX_VARIANCE * 1.01)).is_none());
    }
}
