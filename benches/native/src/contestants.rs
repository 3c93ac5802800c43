//! Who runs: ours (as called, and on the other instruction sets) and the peers, each checked first.

use core::fmt::Debug;
use core::hint::black_box;
use std::rc::Rc;

use leadbyte::{Implementation, implementations};

use crate::pool::Pool;

/// The name of our public function, as everyone calls it.
pub const OURS: &str = "leadbyte";

pub type Function<T> = fn(&[u8]) -> T;

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

/// The name under which our implementation on an instruction set runs.
pub fn on_set(name: &str) -> String {
    if name == Implementation::active().name() { OURS.to_owned() } else { format!("{OURS}/{name}") }
}
