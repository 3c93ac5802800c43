//! The functions to compare: ours (as called, and on the other instruction sets) and the peers, each checked first.

use core::cell::RefCell;
use core::fmt::Debug;
use core::hint::black_box;
use std::rc::Rc;

use leadbyte::{Implementation, implementations};

use crate::pool::Pool;

/// The name of our public function, on the instruction set chosen at run time.
pub const OURS: &str = "leadbyte";

/// The size of a page of memory.
const PAGE_BYTES: usize = 4096;

pub type Function<T, U = u8> = fn(&[U]) -> T;

/// A function that is timed over the slices of a pool.
pub struct Contestant {
    pub name: String,
    /// Bytes of UTF-8 that one walk reads or writes.
    pub bytes: usize,
    /// Calls in one walk.
    pub calls: usize,
    pub walk: Box<dyn Fn()>,
}

impl Contestant {
    pub fn walk(&self) {
        (self.walk)();
    }
}

/// A function of each slice of a pool, and its correct results.
pub struct Question<T, U = u8> {
    pool: Rc<Pool<U>>,
    answers: Rc<[T]>,
    bytes: usize,
}

impl<T: PartialEq + Debug + 'static> Question<T> {
    /// `expected` gives the answer by the standard library alone.
    pub fn new(pool: &Rc<Pool>, expected: Function<T>) -> Self {
        Self::about(pool, expected, pool.bytes)
    }
}

impl<T: PartialEq + Debug + 'static, U: 'static> Question<T, U> {
    /// Asks about slices of code units of any type, which together take `bytes` bytes as UTF-8.
    pub fn about(pool: &Rc<Pool<U>>, expected: Function<T, U>, bytes: usize) -> Self {
        Self { pool: Rc::clone(pool), answers: pool.slices().map(expected).collect(), bytes }
    }

    /// Returns a contestant that calls through a pointer, so that no call is inlined into the loop. Panics unless
    /// its result is correct for every slice.
    fn contestant(&self, name: impl Into<String>, call: impl Fn(&[U]) -> T + 'static) -> Contestant {
        let name = name.into();
        for (slice, answer) in self.pool.slices().zip(&*self.answers) {
            assert_eq!(call(slice), *answer, "{name} is wrong about {} units", slice.len());
        }
        let pool = Rc::clone(&self.pool);
        let walk = move || {
            for slice in pool.slices() {
                black_box(call(black_box(slice)));
            }
        };
        Contestant { name, bytes: self.bytes, calls: self.pool.calls, walk: Box::new(walk) }
    }

    pub fn one(&self, name: &str, call: Function<T, U>) -> Contestant {
        self.contestant(name, call)
    }

    /// Returns ours as called, then on the other instruction sets.
    pub fn ours(&self, public: Function<T, U>, on: fn(Implementation, &[U]) -> T) -> Vec<Contestant> {
        let mut all = vec![self.one(OURS, public)];
        all.extend(other_sets().map(|set| self.contestant(on_set(set.name()), move |data| on(set, data))));
        all
    }

    pub fn peers(&self, peers: &[(&str, Function<T, U>)]) -> Vec<Contestant> {
        peers.iter().map(|&(name, call)| self.one(name, call)).collect()
    }
}

/// Returns all implementations but the active one: two that run the same code would train the branch predictor for
/// each other.
fn other_sets() -> impl Iterator<Item = Implementation> {
    implementations().iter().copied().filter(|&other| other != Implementation::active())
}

/// A conversion of each slice of a pool, and its correct results.
pub struct Conversion<U, V> {
    from: Rc<Pool<U>>,
    to: Rc<Pool<V>>,
    bytes: usize,
    spare: usize,
}

/// Converts the first slice into the second, which is long enough; returns the number of units written.
pub type Convert<U, V> = fn(&[U], &mut [V]) -> usize;

impl<U: 'static, V: Copy + Default + PartialEq + 'static> Conversion<U, V> {
    /// Each slice of `to` is the correct result for the slice of `from`; whichever of the two is UTF-8 has `bytes`
    /// bytes.
    pub fn new(from: &Rc<Pool<U>>, to: &Rc<Pool<V>>, bytes: usize) -> Self {
        Self { from: Rc::clone(from), to: Rc::clone(to), bytes, spare: 0 }
    }

    /// Makes each output `spare` units longer than the result. Without this, it is exactly as long.
    pub fn with_spare_capacity(self, spare: usize) -> Self {
        Self { spare, ..self }
    }

    /// Returns a contestant that always writes to one buffer. Panics unless every output is correct.
    fn contestant(
        &self,
        name: impl Into<String>,
        call: impl Fn(&[U], &mut [V]) -> usize + 'static,
    ) -> Contestant {
        let name = name.into();
        // Outputs start at a page boundary: stores that cross one take longer, and all contestants shall have equally
        // many of them.
        let spare = self.spare;
        let longest = self.to.slices().map(<[V]>::len).max().unwrap_or(0);
        let buffer = RefCell::new(vec![V::default(); longest + spare + PAGE_BYTES]);
        let start = buffer.borrow().as_ptr().align_offset(PAGE_BYTES);
        for (slice, expected) in self.from.slices().zip(self.to.slices()) {
            let mut buffer = buffer.borrow_mut();
            buffer.fill(V::default());
            let output = &mut buffer[start..start + expected.len() + spare];
            let written = call(slice, output);
            assert!(output[..written] == *expected, "{name} is wrong about {} units", slice.len());
        }
        let (from, to) = (Rc::clone(&self.from), Rc::clone(&self.to));
        let walk = move || {
            let mut buffer = buffer.borrow_mut();
            for (slice, expected) in from.slices().zip(to.slices()) {
                let output = &mut buffer[start..start + expected.len() + spare];
                black_box(call(black_box(slice), black_box(output)));
            }
        };
        Contestant { name, bytes: self.bytes, calls: self.from.calls, walk: Box::new(walk) }
    }

    pub fn one(&self, name: &str, call: impl Fn(&[U], &mut [V]) -> usize + 'static) -> Contestant {
        self.contestant(name, call)
    }

    /// Returns ours as called, then on the other instruction sets.
    pub fn ours(
        &self,
        public: impl Fn(&[U], &mut [V]) -> usize + 'static,
        on: impl Fn(Implementation, &[U], &mut [V]) -> usize + Copy + 'static,
    ) -> Vec<Contestant> {
        let mut all = vec![self.one(OURS, public)];
        all.extend(
            other_sets()
                .map(|set| self.contestant(on_set(set.name()), move |units, output| on(set, units, output))),
        );
        all
    }
}

/// Returns the name of our implementation on an instruction set.
pub fn on_set(name: &str) -> String {
    if name == Implementation::active().name() { OURS.to_owned() } else { format!("{OURS}/{name}") }
}
