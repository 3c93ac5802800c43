//! The results of several threads, which come in any order and are taken in the order of their numbers.

use std::collections::VecDeque;

/// The results that were not taken yet.
pub(super) struct InOrder<T> {
    taken: usize,
    /// The next results, as far as they are there.
    waiting: VecDeque<Option<T>>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self { taken: 0, waiting: VecDeque::new() }
    }
}

impl<T> InOrder<T> {
    /// Returns the number of results that were taken, which is the number of the next one.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Adds the result of a number, from 0 on.
    pub(super) fn add(&mut self, number: usize, result: T) {
        let place = number - self.taken;
        while self.waiting.len() <= place {
            self.waiting.push_back(None);
        }
        self.waiting[place] = Some(result);
    }

    /// Takes the next result, if it is there.
    pub(super) fn take(&mut self) -> Option<T> {
        let result = self.waiting.front_mut()?.take()?;
        self.waiting.pop_front();
        self.taken += 1;
        Some(result)
    }
}
