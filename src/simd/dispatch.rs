//! The choice among implementations: detected once, changed by `LEADBYTE_ISA` or [`set_isa`].

use core::fmt;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::OnceLock;

#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::{Isa, scalar::Scalar};
#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512, sse42::Sse42};
use crate::kernels::{Kernel, Task};

/// The environment variable that overrides the choice.
pub(crate) const VARIABLE: &str = "LEADBYTE_ISA";

/// One implementation of every function, on one instruction set that this CPU has.
///
/// The functions at the crate's root use the best one; [`implementations`] gives all of them, for
/// tests and benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Implementation(Token);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Scalar(Scalar),
    #[cfg(target_arch = "x86_64")]
    Sse42(Sse42),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

/// Does `$work` with the instruction set that `$implementation` names as `$isa`.
macro_rules! with {
    ($isa:ident of $implementation:expr => $work:expr) => {
        match $implementation.0 {
            Token::Scalar($isa) => $work,
            #[cfg(target_arch = "x86_64")]
            Token::Sse42($isa) => $work,
            #[cfg(target_arch = "x86_64")]
            Token::Avx2($isa) => $work,
            #[cfg(target_arch = "x86_64")]
            Token::Avx512($isa) => $work,
            #[cfg(target_arch = "aarch64")]
            Token::Neon($isa) => $work,
        }
    };
}

/// From the least to the most able, each if this CPU has it.
const LEVELS: &[fn() -> Option<Token>] = &[
    || Some(Token::Scalar(Scalar)),
    #[cfg(target_arch = "x86_64")]
    || Sse42::detect().map(Token::Sse42),
    #[cfg(target_arch = "x86_64")]
    || Avx2::detect().map(Token::Avx2),
    #[cfg(target_arch = "x86_64")]
    || Avx512::detect().map(Token::Avx512),
    #[cfg(target_arch = "aarch64")]
    || Neon::detect().map(Token::Neon),
];

/// Every name that [`set_isa`] knows, on this architecture or another.
const NAMES: [&str; 5] = ["scalar", "sse42", "avx2", "avx512", "neon"];

/// The implementation in use; null until it is first asked for.
static ACTIVE: AtomicPtr<Implementation> = AtomicPtr::new(ptr::null_mut());

fn activate(implementation: &'static Implementation) {
    ACTIVE.store(ptr::from_ref(implementation).cast_mut(), Ordering::Release);
}

#[cold]
fn choose() -> Implementation {
    // A request that cannot be met is ignored here; `cpu_info` tells of it.
    let requested = requested().ok().flatten();
    let implementation = requested.unwrap_or(&implementations()[implementations().len() - 1]);
    activate(implementation);
    *implementation
}

/// What `LEADBYTE_ISA` asks for.
fn requested() -> Result<Option<&'static Implementation>, IsaError> {
    match std::env::var_os(VARIABLE) {
        None => Ok(None),
        Some(name) if name.is_empty() => Ok(None),
        Some(name) => find(&name.to_string_lossy()).map(Some),
    }
}

fn find(name: &str) -> Result<&'static Implementation, IsaError> {
    let found = implementations().iter().find(|implementation| implementation.name() == name);
    found.ok_or_else(|| IsaError { name: name.to_owned() })
}

/// The names of all implementations, from the least to the most able.
fn names() -> Vec<&'static str> {
    implementations().iter().map(|implementation| implementation.name()).collect()
}

/// A request for an instruction set that leadbyte does not know or this CPU does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsaError {
    name: String,
}

impl fmt::Display for IsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.contains(&self.name.as_str()) {
            true => write!(f, "this CPU does not have the instruction set {:?}", self.name)?,
            false => write!(f, "unknown instruction set {:?}", self.name)?,
        }
        write!(f, "; choose one of {}", names().join(", "))
    }
}

impl core::error::Error for IsaError {}

/// The instruction sets of this CPU and what is used of them.
#[derive(Clone, Debug)]
pub struct CpuInfo {
    /// Names of the instruction sets found, from the least to the most able.
    pub detected: Vec<&'static str>,
    /// Those for which there is code of its own: at present all of them.
    pub implementations: Vec<&'static str>,
    /// What `LEADBYTE_ISA` asks for: `None` if nothing, an error if it cannot be had and is ignored.
    pub requested: Result<Option<&'static str>, IsaError>,
    /// The one that the functions at the crate's root use.
    pub active: &'static str,
    /// The one that those of them use which only count, or look for ASCII: it may be a lesser one.
    pub counting: &'static str,
}

/// What was found, asked for and chosen.
///
/// ```
/// let info = leadbyte::cpu_info();
/// assert_eq!(info.detected[0], "scalar");
/// assert!(info.implementations.contains(&info.active));
/// ```
pub fn cpu_info() -> CpuInfo {
    CpuInfo {
        detected: names(),
        implementations: names(),
        requested: requested().map(|implementation| Some(implementation?.name())),
        active: Implementation::active().name(),
        counting: Implementation::active().name_for(Task::Count),
    }
}

/// Uses the implementation for the instruction set `name` from now on, in all threads.
///
/// ```
/// assert!(leadbyte::set_isa("scalar").is_ok());
/// let error = leadbyte::set_isa("abacus").unwrap_err();
/// assert!(error.to_string().starts_with("unknown instruction set \"abacus\""));
/// ```
pub fn set_isa(name: &str) -> Result<(), IsaError> {
    activate(find(name)?);
    Ok(())
}

/// Every implementation that this CPU can run, from the slowest to the fastest; there is at least one.
pub fn implementations() -> &'static [Implementation] {
    static FOUND: OnceLock<Vec<Implementation>> = OnceLock::new();
    FOUND.get_or_init(|| LEVELS.iter().filter_map(|token| token().map(Implementation)).collect())
}

impl Implementation {
    /// The one that the functions at the crate's root use.
    #[inline]
    pub fn active() -> Self {
        Self::chosen().unwrap_or_else(choose)
    }

    #[inline]
    fn chosen() -> Option<Self> {
        let active = ACTIVE.load(Ordering::Acquire);
        if active.is_null() {
            return None;
        }
        // SAFETY: only `activate` stores here, and only pointers that come from `&'static`.
        Some(unsafe { *active })
    }

    /// The name of its instruction set.
    pub fn name(self) -> &'static str {
        self.name_for(Task::Validate)
    }

    /// The name of the instruction set that it does this kind of work with: it may prefer a lesser one.
    pub(crate) fn name_for(self, task: Task) -> &'static str {
        with!(isa of self => isa.name(task))
    }

    /// Runs `kernel` on this instruction set.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        with!(isa of self => isa.call(kernel))
    }
}

/// Runs `kernel` on the active implementation; the shortest way there, for what takes a few nanoseconds.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    match Implementation::chosen() {
        Some(active) => active.run(kernel),
        None => choose_and_run(kernel),
    }
}

/// A way of its own, so that the usual one need keep nothing for it.
#[cold]
#[inline(never)]
fn choose_and_run<K: Kernel>(kernel: K) -> K::Output {
    choose().run(kernel)
}
