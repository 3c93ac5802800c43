//! The choice among implementations: detected once, changed by `LEADBYTE_ISA` or [`set_isa`].

use core::fmt;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::OnceLock;

#[cfg(target_arch = "aarch64")]
use super::Neon;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512, Sse42};
use super::{Isa, Scalar};

/// The environment variable that overrides the choice.
pub const VARIABLE: &str = "LEADBYTE_ISA";

/// One implementation of every function, on one instruction set that this CPU has.
///
/// The functions at the crate's root use the best one; [`implementations`] gives all of them, for
/// tests and benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Implementation(Token);

/// The token of one instruction set of this architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
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

/// Evaluates `$result` with the token of `$implementation` as `$isa`.
macro_rules! with_token {
    ($isa:ident of $implementation:expr => $result:expr) => {
        match $implementation.token() {
            $crate::simd::dispatch::Token::Scalar($isa) => $result,
            #[cfg(target_arch = "x86_64")]
            $crate::simd::dispatch::Token::Sse42($isa) => $result,
            #[cfg(target_arch = "x86_64")]
            $crate::simd::dispatch::Token::Avx2($isa) => $result,
            #[cfg(target_arch = "x86_64")]
            $crate::simd::dispatch::Token::Avx512($isa) => $result,
            #[cfg(target_arch = "aarch64")]
            $crate::simd::dispatch::Token::Neon($isa) => $result,
        }
    };
}
pub(crate) use with_token;

/// The checks for all instruction sets, from the least to the most able.
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

/// The implementation in use; null until it is first needed.
static ACTIVE: AtomicPtr<Implementation> = AtomicPtr::new(ptr::null_mut());

fn activate(implementation: &'static Implementation) {
    ACTIVE.store(ptr::from_ref(implementation).cast_mut(), Ordering::Release);
}

#[cold]
fn choose() -> Implementation {
    // A request that cannot be met is ignored here; `cpu_info` reports it.
    let requested = requested().ok().flatten();
    let implementation = requested.unwrap_or(&implementations()[implementations().len() - 1]);
    let chosen = ptr::from_ref(implementation).cast_mut();
    // Another thread may have called `set_isa` meanwhile.
    let _ = ACTIVE.compare_exchange(ptr::null_mut(), chosen, Ordering::Release, Ordering::Relaxed);
    Implementation::chosen().unwrap_or(*implementation)
}

/// Returns the implementation that `LEADBYTE_ISA` requests.
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

/// Returns the names of all implementations, from the least to the most able.
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

/// The instruction sets of this CPU, and those in use.
#[derive(Clone, Debug)]
pub struct CpuInfo {
    /// Names of the instruction sets found, from the least to the most able.
    pub detected: Vec<&'static str>,
    /// Names of the instruction sets that have an implementation: at present all of those found.
    pub implementations: Vec<&'static str>,
    /// The instruction set that `LEADBYTE_ISA` requests: `None` without a request, an error if the request cannot be
    /// met and is ignored.
    pub requested: Result<Option<&'static str>, IsaError>,
    /// The instruction set that the functions at the crate's root use.
    pub active: &'static str,
    /// The instruction set of the functions that only count or test for ASCII: it may be a lesser one.
    pub counting: &'static str,
    /// The instruction set of normalization, case folding, clusters, search and audits: it may be a lesser one.
    pub further: &'static str,
}

/// Returns the instruction sets that were found, requested and chosen.
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
        counting: with_token!(isa of Implementation::active() => name(isa.counter())),
        further: with_token!(isa of Implementation::active() => name(isa.further())),
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

/// Returns every implementation that this CPU can run, from the slowest to the fastest; there is at least one.
pub fn implementations() -> &'static [Implementation] {
    static FOUND: OnceLock<Vec<Implementation>> = OnceLock::new();
    FOUND.get_or_init(|| LEVELS.iter().filter_map(|token| token().map(Implementation)).collect())
}

impl Implementation {
    /// Returns the implementation that the functions at the crate's root use.
    #[inline]
    pub fn active() -> Self {
        Self::chosen().unwrap_or_else(choose)
    }

    /// Returns the active implementation if it was chosen before.
    #[inline]
    pub(crate) fn chosen() -> Option<Self> {
        let active = ACTIVE.load(Ordering::Acquire);
        if active.is_null() {
            return None;
        }
        // SAFETY: only `activate` and `choose` store here, and only pointers that come from `&'static`.
        Some(unsafe { *active })
    }

    /// Returns the name of its instruction set.
    pub fn name(self) -> &'static str {
        with_token!(isa of self => name(isa))
    }

    /// Returns whether it has vectors.
    #[inline]
    pub(crate) fn has_vectors(self) -> bool {
        !matches!(self.0, Token::Scalar(_))
    }

    /// Returns the token of its instruction set.
    #[inline]
    pub(crate) fn token(self) -> Token {
        self.0
    }
}

fn name<I: Isa>(_: I) -> &'static str {
    I::NAME
}
