//! Who runs: ours (as called, and on the other instruction sets) and the peers, each checked first.

use core::cell::RefCell;
use core::fmt::Debug;
use core::hint::black_box;
use std::rc::Rc;

use leadbyte::{Implementation, implementations};

use crate::pool::Pool;

/// The name of our public function, as everyone calls it.
pub const OURS: &str = "leadbyte";

pub type Function<T> = fn(&[u8]) -> T;

/// A function whose answer is written into a buffer, which has just the room for it, and how much it wrote.
pub type Filler<U> = fn(&[u8], &mut [U]) -> usize;

/// Someone who walks a pool.
pub struct Contestant {
    pub name: String,
    pub pool: Rc<Pool>,
    walk: Box<dyn Fn(&Pool)>,
}

impl Contestant {
    pub fn walk(&self) {
        (self.walk)(&self.pool);
    }
}

/// What is asked about each slice of a pool, and the right answers.
pub struct Question<T> {
    pool: Rc<Pool>,
    answers: Rc<[T]>,
}

impl<T: PartialEq + Debug + 'static> Question<T> {
    /// `expected` gives the answer by the standard library alone.
    pub fn new(pool: &Rc<Pool>, expected: Function<T>) -> Self {
        Self { pool: Rc::clone(pool), answers: pool.slices().map(expected).collect() }
    }

    /// One who answers through a pointer, as all do: none is inlined into the loop. Panics unless the
    /// answer is right on every slice.
    fn contestant(&self, name: impl Into<String>, call: impl Fn(&[u8]) -> T + 'static) -> Contestant {
        let name = name.into();
        for (slice, answer) in self.pool.slices().zip(&*self.answers) {
            assert_eq!(call(slice), *answer, "{name} is wrong about {} bytes", slice.len());
        }
        let walk = move |pool: &Pool| {
            for slice in pool.slices() {
                black_box(call(black_box(slice)));
            }
        };
        Contestant { name, pool: Rc::clone(&self.pool), walk: Box::new(walk) }
    }

    pub fn one(&self, name: &str, call: Function<T>) -> Contestant {
        self.contestant(name, call)
    }

    /// Ours as called, then on the other instruction sets. Not on the active one again: the two would
    /// train the branch predictor for each other.
    pub fn ours(&self, public: Function<T>, on: fn(Implementation, &[u8]) -> T) -> Vec<Contestant> {
        let mut all = vec![self.one(OURS, public)];
        let others = implementations().iter().filter(|&&other| other != Implementation::active());
        all.extend(others.map(|&implementation| {
            self.contestant(on_set(implementation.name()), move |data| on(implementation, data))
        }));
        all
    }

    pub fn peers(&self, peers: &[(&str, Function<T>)]) -> Vec<Contestant> {
        peers.iter().map(|&(name, call)| self.one(name, call)).collect()
    }
}

impl<U: Copy + Default + PartialEq + Debug + 'static> Question<Vec<U>> {
    /// One who writes its answers, all into the same memory. Panics unless they are right on every slice.
    fn writer(
        &self,
        name: impl Into<String>,
        fill: impl Fn(&[u8], &mut [U]) -> usize + 'static,
    ) -> Contestant {
        let name = name.into();
        let lengths: Vec<usize> = self.answers.iter().map(Vec::len).collect();
        let mut room = vec![U::default(); lengths.iter().copied().max().unwrap_or(0)];
        for (slice, answer) in self.pool.slices().zip(&*self.answers) {
            let room = &mut room[..answer.len()];
            room.fill(U::default());
            let written = fill(slice, room);
            assert!(room[..written] == **answer, "{name} is wrong about {} bytes", slice.len());
        }
        let room = RefCell::new(room);
        let walk = move |pool: &Pool| {
            let room = &mut *room.borrow_mut();
            for (slice, &length) in pool.slices().zip(&lengths) {
                black_box(fill(black_box(slice), black_box(&mut room[..length])));
            }
        };
        Contestant { name, pool: Rc::clone(&self.pool), walk: Box::new(walk) }
    }

    /// As [`ours`](Question::ours).
    pub fn our_writers(
        &self,
        public: Filler<U>,
        on: fn(Implementation, &[u8], &mut [U]) -> usize,
    ) -> Vec<Contestant> {
        let mut all = vec![self.writer(OURS, public)];
        let others = implementations().iter().filter(|&&other| other != Implementation::active());
        all.extend(others.map(|&implementation| {
            self.writer(on_set(implementation.name()), move |data, room| on(implementation, data, room))
        }));
        all
    }

    pub fn peer_writers(&self, peers: &[(&str, Filler<U>)]) -> Vec<Contestant> {
        peers.iter().map(|&(name, fill)| self.writer(name, fill)).collect()
    }
}

/// The name under which our implementation on an instruction set runs.
pub fn on_set(name: &str) -> String {
    if name == Implementation::active().name() { OURS.to_owned() } else { format!("{OURS}/{name}") }
}
