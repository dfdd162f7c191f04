//! The expected contents of memory, as plain vectors.

/// The effect of a call on memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    Done,
    Nothing,
    /// The call failed before or after its work.
    Unknown,
}

/// The possible contents of memory: one vector, or several after calls with unknown effects. Reading the memory decides
/// between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Model(Vec<Vec<u32>>);

impl Model {
    pub fn new(contents: Vec<u32>) -> Self {
        Self(vec![contents])
    }

    /// Applies the effect of a call to all possible contents.
    pub fn change(&mut self, effect: Effect, change: impl Fn(&mut [u32])) {
        let mut changed = self.0.clone();
        changed.iter_mut().for_each(|contents| change(contents));
        match effect {
            Effect::Nothing => {}
            Effect::Done => self.0 = changed,
            Effect::Unknown => {
                changed.retain(|contents| !self.0.contains(contents));
                self.0.append(&mut changed);
            }
        }
    }

    /// Returns the contents if they are known.
    pub fn certain(&self) -> Option<&[u32]> {
        match &self.0[..] {
            [contents] => Some(contents),
            _ => None,
        }
    }

    /// Compares memory, or the part of it that begins at `first`, with the model. Returns whether it fits. Contents that do
    /// not fit are no longer possible.
    pub fn fits(&mut self, first: usize, found: &[u32]) -> bool {
        let fits = |contents: &Vec<u32>| contents.get(first..first + found.len()) == Some(found);
        if !self.0.iter().any(fits) {
            return false;
        }
        self.0.retain(fits);
        true
    }

    /// Describes the first difference.
    pub fn difference(&self, found: &[u32]) -> String {
        let contents = &self.0[0];
        let at = (0..contents.len()).find(|i| found.get(*i) != contents.get(*i));
        let at = at.unwrap_or(0);
        let others = match self.0.len() {
            1 => String::new(),
            count => format!(" (or one of {} other values)", count - 1),
        };
        format!(
            "element {at} of {} is {:?} instead of {:?}{others}",
            contents.len(),
            found.get(at),
            contents.get(at)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successful_call_changes_the_contents() {
        let mut model = Model::new(vec![1, 2]);
        model.change(Effect::Done, |contents| contents[1] = 7);
        assert_eq!(model.certain(), Some(&[1, 7][..]));
        model.change(Effect::Nothing, |contents| contents.fill(9));
        assert!(model.fits(0, &[1, 7]));
        assert!(!model.fits(0, &[1, 2]));
        assert!(!model.fits(0, &[1, 7, 0]), "too long");
    }

    #[test]
    fn reading_decides_unknown_effects() {
        let mut model = Model::new(vec![1, 2]);
        model.change(Effect::Unknown, |contents| contents[0] = 5);
        assert_eq!(model.certain(), None);
        model.change(Effect::Done, |contents| contents[1] += 1);
        assert!(model.clone().fits(0, &[1, 3]));
        assert!(model.fits(0, &[5, 3]));
        assert_eq!(model.certain(), Some(&[5, 3][..]));
        assert!(!model.fits(0, &[1, 3]), "the read has excluded this");
    }

    #[test]
    fn unknown_effect_without_a_change_is_certain() {
        let mut model = Model::new(vec![4]);
        model.change(Effect::Unknown, |contents| contents[0] = 4);
        assert_eq!(model.certain(), Some(&[4][..]));
    }

    #[test]
    fn parts_are_compared_at_their_offset() {
        let mut model = Model::new(vec![1, 2, 3]);
        assert!(model.fits(1, &[2, 3]));
        assert!(!model.fits(0, &[2]));
        let text = model.difference(&[1, 5, 3]);
        assert_eq!(text, "element 1 of 3 is Some(5) instead of Some(2)");
    }
}
