//! Programs: the operations of each thread, generated from a seed.

use std::fmt;

use super::{
    operation::{CONTEXTS, Operation, STREAMS},
    random::Random,
    recipe,
};

/// The number of programs with consecutive seeds that share a process, unless they fault or leak.
pub const BATCH: u64 = 8;

/// The deliberate errors in the programs of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Class {
    /// None. Only documented errors are allowed, and no leaks.
    Clean,
    /// Guards, futures and memory are forgotten.
    Forgets,
    /// Kernels fault.
    Faults,
    /// Driver calls fail.
    Failures,
}

/// The environment of a child, which all its programs share.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub class: Class,
    /// For how many milliseconds enqueued work is held back.
    pub hold: u64,
    /// The seed for the order of blocks and warps in kernels.
    pub seed: u64,
    /// The driver call that fails, and whether all later calls fail too.
    pub failure: Option<(u64, bool)>,
}

impl Settings {
    pub fn of(seed: u64) -> Self {
        let batch = seed / BATCH;
        let class = match batch % 8 {
            3 => Class::Forgets,
            5 => Class::Faults,
            7 if batch % 16 == 7 => Class::Failures,
            7 => Class::Faults,
            _ => Class::Clean,
        };
        // Another sequence of numbers than the operations use.
        let mut random = Random::new(!match class {
            Class::Clean => batch * BATCH,
            _ => seed,
        });
        Self {
            class,
            hold: random.choose(&[1, 2, 5, 20, 50]),
            seed: random.next() >> 1,
            failure: (class == Class::Failures)
                .then(|| (random.between(40, 500) as u64, random.chance(30))),
        }
    }

    /// Whether each program has its own process.
    pub fn is_alone(&self) -> bool {
        self.class != Class::Clean
    }
}

/// One operation of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Its number in the whole program. It stays the same when other steps are removed.
    pub number: usize,
    pub thread: usize,
    /// The number of the capture that contains the step.
    pub inside: Option<usize>,
    pub operation: Operation,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub seed: u64,
    pub settings: Settings,
    pub steps: Vec<Step>,
}

impl Program {
    pub fn generate(seed: u64) -> Self {
        let settings = Settings::of(seed);
        let mut random = Random::new(seed);
        // Few streams of one or two contexts, so that threads use the same ones.
        let mut streams = Vec::new();
        let first = random.below(CONTEXTS);
        let second = random.below(CONTEXTS);
        for context in [first, second] {
            for _ in 0..random.between(1, 3) {
                streams.push(context * STREAMS + random.below(STREAMS));
            }
        }
        let threads = random.between(2, 4);
        if settings.class == Class::Clean && random.chance(5) {
            let steps = loops(&mut random, first, threads);
            return Self {
                seed,
                settings,
                steps,
            };
        }
        let length = random.between(4, 20);
        // The model is less strict for programs with global captures.
        let global = random.chance(15);
        let mut steps = Vec::new();
        for thread in 0..threads {
            let begin = steps.len();
            let mut recipe = Vec::new().into_iter();
            while steps.len() - begin < length {
                if random.chance(6) {
                    recipe = recipe::random(&mut random, &streams, settings.class).into_iter();
                }
                let next = if random.chance(80) {
                    recipe.next()
                } else {
                    None
                };
                let operation = match (next, settings.class) {
                    (Some(operation), _) => operation,
                    (None, Class::Forgets) if random.chance(8) => {
                        Operation::random_forget(&mut random, &streams)
                    }
                    (None, Class::Faults) if random.chance(3) => {
                        Operation::random_fault(&mut random, &streams)
                    }
                    _ => Operation::random(&mut random, &streams),
                };
                let operation = match global {
                    true => operation,
                    false => operation.without_global(),
                };
                let number = steps.len();
                let step = |number, inside, operation| Step {
                    number,
                    thread,
                    inside,
                    operation,
                };
                steps.push(step(number, None, operation));
                if operation.is_capture() {
                    for _ in 0..random.below(5) {
                        let inner = Operation::random(&mut random, &streams);
                        if !inner.is_capture() {
                            steps.push(step(steps.len(), Some(number), inner));
                        }
                    }
                }
            }
        }
        Self {
            seed,
            settings,
            steps,
        }
    }

    /// Returns the program with only these steps.
    pub fn keep(&self, numbers: &[usize]) -> Self {
        let steps = self.steps.iter();
        let steps = steps.filter(|step| numbers.contains(&step.number));
        Self {
            steps: steps.copied().collect(),
            ..self.clone()
        }
    }

    pub fn numbers(&self) -> Vec<usize> {
        self.steps.iter().map(|step| step.number).collect()
    }

    pub fn threads(&self) -> Vec<usize> {
        let mut threads: Vec<_> = self.steps.iter().map(|step| step.thread).collect();
        threads.dedup();
        threads
    }

    /// Returns the steps of a thread outside of captures.
    pub fn of_thread(&self, thread: usize) -> impl Iterator<Item = &Step> {
        let steps = self.steps.iter().filter(move |step| step.thread == thread);
        steps.filter(|step| !step.inside.is_some_and(|number| self.has(number)))
    }

    /// Returns the steps inside a capture.
    pub fn inside(&self, number: usize) -> impl Iterator<Item = &Step> {
        let steps = self.steps.iter();
        steps.filter(move |step| step.inside == Some(number))
    }

    fn has(&self, number: usize) -> bool {
        self.steps.iter().any(|step| step.number == number)
    }
}

/// Returns a step for each thread that repeats short operations in one context. Some races need many tries.
fn loops(random: &mut Random, context: usize, threads: usize) -> Vec<Step> {
    let streams: Vec<usize> = (0..3).map(|one| context * STREAMS + one).collect();
    let step = |thread| {
        let (stream, count) = (random.choose(&streams), 1500);
        let operation = match thread {
            0 => Operation::EmptyCaptures { stream, count },
            1 => Operation::DropArrays { stream, count },
            _ => Operation::random(random, &streams).without_global(),
        };
        Step {
            number: thread,
            thread,
            inside: None,
            operation,
        }
    };
    (0..threads).map(step).collect()
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings {
            hold,
            failure,
            class,
            ..
        } = &self.settings;
        writeln!(
            f,
            "seed {}, {class:?}, work is held for {hold} ms",
            self.seed
        )?;
        if let Some((call, later)) = failure {
            let later = if *later { " and all later ones" } else { "" };
            writeln!(f, "driver call {call}{later} fails")?;
        }
        for step in &self.steps {
            let inside = match step.inside {
                Some(number) if self.has(number) => format!("in the capture {number}: "),
                _ => String::new(),
            };
            let Step {
                number,
                thread,
                operation,
                ..
            } = step;
            writeln!(f, "  thread {thread}  {number:3}  {inside}{operation:?}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_generates_the_same_program() {
        for seed in 0..200 {
            assert_eq!(Program::generate(seed), Program::generate(seed));
        }
        assert_ne!(Program::generate(1).steps, Program::generate(2).steps);
    }

    #[test]
    fn step_numbers_do_not_change_if_steps_are_removed() {
        for seed in 0..100 {
            let program = Program::generate(seed);
            let numbers: Vec<usize> = (0..program.steps.len()).collect();
            assert_eq!(program.numbers(), numbers);
            let odd: Vec<usize> = numbers.into_iter().filter(|n| n % 2 == 1).collect();
            let half = program.keep(&odd);
            assert_eq!(half.numbers(), odd);
            for step in &half.steps {
                assert_eq!(*step, program.steps[step.number]);
            }
            // Each step runs once, either in its thread or in its capture.
            let outside: usize = half
                .threads()
                .iter()
                .map(|t| half.of_thread(*t).count())
                .sum();
            let inside: usize = odd.iter().map(|number| half.inside(*number).count()).sum();
            assert_eq!(outside + inside, half.steps.len());
        }
    }

    #[test]
    fn programs_leak_or_fault_only_in_their_class() {
        let mut classes = [0; 3];
        for seed in 0..1000 {
            let program = Program::generate(seed);
            let forgets = program.steps.iter().any(|step| step.operation.forgets());
            let faults = program.steps.iter().any(|step| step.operation.is_fault());
            match program.settings.class {
                Class::Forgets => assert!(!faults),
                Class::Faults => assert!(!forgets),
                _ => assert!(!faults && !forgets),
            }
            classes[0] += usize::from(forgets);
            classes[1] += usize::from(faults);
            classes[2] += usize::from(program.settings.failure.is_some());
        }
        assert!(classes.iter().all(|count| *count > 30), "{classes:?}");
    }

    #[test]
    fn programs_contain_all_kinds_of_operations() {
        let mut names = std::collections::HashSet::new();
        for seed in 0..2000 {
            for step in Program::generate(seed).steps {
                let name = format!("{:?}", step.operation);
                names.insert(name.split(' ').next().unwrap().to_owned());
            }
        }
        assert_eq!(names.len(), 61, "{names:?}");
    }
}
