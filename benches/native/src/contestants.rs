//! Who runs: ours (as called, and on the other instruction sets) and the peers, each checked first.

use core::cell::RefCell;
use core::fmt::Debug;
use core::hint::black_box;
use std::rc::Rc;

use leadbyte::{Implementation, implementations};

use crate::pool::Pool;

/// The name of our public function, as everyone calls it.
pub const OURS: &str = "leadbyte";

/// How many bytes a page of memory has.
const PAGE: usize = 4096;

pub type Function<T, U = u8> = fn(&[U]) -> T;

/// Someone who walks a pool.
pub struct Contestant {
    pub name: String,
    /// How many bytes of UTF-8 are looked at, or come out, in one walk.
    pub bytes: usize,
    /// How many answers are given in one walk.
    pub calls: usize,
    walk: Box<dyn Fn()>,
}

impl Contestant {
    pub fn walk(&self) {
        (self.walk)();
    }
}

/// What is asked about each slice of a pool, and the right answers.
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
    /// The same about units of any kind, which are so many bytes as UTF-8.
    pub fn about(pool: &Rc<Pool<U>>, expected: Function<T, U>, bytes: usize) -> Self {
        Self { pool: Rc::clone(pool), answers: pool.slices().map(expected).collect(), bytes }
    }

    /// One who answers through a pointer, as all do: none is inlined into the loop. Panics unless the
    /// answer is right on every slice.
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

    /// Ours as called, then on the other instruction sets.
    pub fn ours(&self, public: Function<T, U>, on: fn(Implementation, &[U]) -> T) -> Vec<Contestant> {
        let mut all = vec![self.one(OURS, public)];
        all.extend(other_sets().map(|set| self.contestant(on_set(set.name()), move |data| on(set, data))));
        all
    }

    pub fn peers(&self, peers: &[(&str, Function<T, U>)]) -> Vec<Contestant> {
        peers.iter().map(|&(name, call)| self.one(name, call)).collect()
    }
}

/// Not the active one: two that run the same code would train the branch predictor for each other.
fn other_sets() -> impl Iterator<Item = Implementation> {
    implementations().iter().copied().filter(|&other| other != Implementation::active())
}

/// What is to be written for each slice of a pool.
pub struct Conversion<U, V> {
    from: Rc<Pool<U>>,
    to: Rc<Pool<V>>,
    bytes: usize,
    more: usize,
}

/// Writes what comes out of the first slice into the second, which has the room for it; tells how much.
pub type Convert<U, V> = fn(&[U], &mut [V]) -> usize;

impl<U: 'static, V: Copy + Default + PartialEq + 'static> Conversion<U, V> {
    /// Each slice of `to` is what the one of `from` must become; one of them is so many bytes of UTF-8.
    pub fn new(from: &Rc<Pool<U>>, to: &Rc<Pool<V>>, bytes: usize) -> Self {
        Self { from: Rc::clone(from), to: Rc::clone(to), bytes, more: 0 }
    }

    /// The same with room for so much `more` than is to be written; else there is just the room.
    pub fn with_more_room(self, more: usize) -> Self {
        Self { more, ..self }
    }

    /// One who writes to the same place again and again. Panics unless every output is right.
    fn contestant(
        &self,
        name: impl Into<String>,
        call: impl Fn(&[U], &mut [V]) -> usize + 'static,
    ) -> Contestant {
        let name = name.into();
        // From the start of a page on: what is written across two of them takes longer, and all shall have the
        // same luck.
        let more = self.more;
        let most = self.to.slices().map(<[V]>::len).max().unwrap_or(0);
        let room = RefCell::new(vec![V::default(); most + more + PAGE]);
        let start = room.borrow().as_ptr().align_offset(PAGE);
        for (slice, expected) in self.from.slices().zip(self.to.slices()) {
            let mut room = room.borrow_mut();
            room.fill(V::default());
            let room = &mut room[start..start + expected.len() + more];
            let written = call(slice, room);
            assert!(room[..written] == *expected, "{name} is wrong about {} units", slice.len());
        }
        let (from, to) = (Rc::clone(&self.from), Rc::clone(&self.to));
        let walk = move || {
            let mut room = room.borrow_mut();
            for (slice, expected) in from.slices().zip(to.slices()) {
                let room = &mut room[start..start + expected.len() + more];
                black_box(call(black_box(slice), black_box(room)));
            }
        };
        Contestant { name, bytes: self.bytes, calls: self.from.calls, walk: Box::new(walk) }
    }

    pub fn one(&self, name: &str, call: impl Fn(&[U], &mut [V]) -> usize + 'static) -> Contestant {
        self.contestant(name, call)
    }

    /// Ours as called, then on the other instruction sets.
    pub fn ours(
        &self,
        public: impl Fn(&[U], &mut [V]) -> usize + 'static,
        on: impl Fn(Implementation, &[U], &mut [V]) -> usize + Copy + 'static,
    ) -> Vec<Contestant> {
        let mut all = vec![self.one(OURS, public)];
        all.extend(
            other_sets()
                .map(|set| self.contestant(on_set(set.name()), move |units, room| on(set, units, room))),
        );
        all
    }
}

/// The name under which our implementation on an instruction set runs.
pub fn on_set(name: &str) -> String {
    if name == Implementation::active().name() { OURS.to_owned() } else { format!("{OURS}/{name}") }
}
