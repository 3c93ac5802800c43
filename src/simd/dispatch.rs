//! The choice among implementations: detected once, changed by `LEADBYTE_ISA` or [`set_isa`].

use core::fmt;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
use super::{Isa, scalar::Scalar};
use crate::kernels::Kernel;

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
    Avx2(Avx2),
}

/// An instruction set that can be asked for by name.
struct Level {
    name: &'static str,
    present: fn() -> bool,
    /// What is implemented with just this instruction set.
    token: fn() -> Option<Token>,
}

/// From the least to the most able; each one includes those before it.
const LEVELS: &[Level] = &[
    Level { name: "scalar", present: || true, token: || Some(Token::Scalar(Scalar)) },
    #[cfg(target_arch = "x86_64")]
    Level { name: "sse42", present: || is_x86_feature_detected!("sse4.2"), token: || None },
    #[cfg(target_arch = "x86_64")]
    Level { name: "avx2", present: || Avx2::detect().is_some(), token: || Avx2::detect().map(Token::Avx2) },
    #[cfg(target_arch = "x86_64")]
    Level {
        name: "avx512",
        present: || {
            is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vbmi")
                && is_x86_feature_detected!("avx512vbmi2")
        },
        token: || None,
    },
    #[cfg(target_arch = "aarch64")]
    Level { name: "neon", present: || std::arch::is_aarch64_feature_detected!("neon"), token: || None },
];

/// Every name that [`set_isa`] knows, on this architecture or another.
const NAMES: [&str; 5] = ["scalar", "sse42", "avx2", "avx512", "neon"];

/// What the CPU was found to have.
struct Found {
    /// Names of the instruction sets present, from the least to the most able.
    names: Vec<&'static str>,
    /// What runs on them, from the slowest to the fastest. Never empty.
    implementations: Vec<Implementation>,
    /// For each of `names` the index of the best implementation at or below it.
    best: Vec<usize>,
}

fn found() -> &'static Found {
    static FOUND: OnceLock<Found> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut found = Found { names: vec![], implementations: vec![], best: vec![] };
        for level in LEVELS.iter().filter(|level| (level.present)()) {
            found.names.push(level.name);
            found.implementations.extend((level.token)().map(Implementation));
            found.best.push(found.implementations.len() - 1);
        }
        found
    })
}

/// The implementation in use; null until it is first asked for.
static ACTIVE: AtomicPtr<Implementation> = AtomicPtr::new(ptr::null_mut());

fn activate(implementation: &'static Implementation) {
    ACTIVE.store(ptr::from_ref(implementation).cast_mut(), Ordering::Release);
}

#[cold]
fn choose() -> Implementation {
    // A request that cannot be met is ignored here; `cpu_info` tells of it.
    let requested = requested_isa().ok().flatten();
    let chosen = requested.unwrap_or(found().names.len() - 1);
    let implementation = &found().implementations[found().best[chosen]];
    activate(implementation);
    *implementation
}

/// What `LEADBYTE_ISA` asks for, as an index into the names found.
fn requested_isa() -> Result<Option<usize>, IsaError> {
    match std::env::var_os(VARIABLE) {
        None => Ok(None),
        Some(name) if name.is_empty() => Ok(None),
        Some(name) => find(&name.to_string_lossy()).map(Some),
    }
}

fn find(name: &str) -> Result<usize, IsaError> {
    found().names.iter().position(|&found| found == name).ok_or_else(|| IsaError { name: name.to_owned() })
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
        write!(f, "; choose one of {}", found().names.join(", "))
    }
}

impl core::error::Error for IsaError {}

/// The instruction sets of this CPU and what is used of them.
#[derive(Clone, Debug)]
pub struct CpuInfo {
    /// Names of the instruction sets found, from the least to the most able.
    pub detected: &'static [&'static str],
    /// Those for which there is code of its own.
    pub implementations: Vec<&'static str>,
    /// What `LEADBYTE_ISA` asks for: `None` if nothing, an error if it cannot be had and is ignored.
    pub requested: Result<Option<&'static str>, IsaError>,
    /// The one that the functions at the crate's root use.
    pub active: &'static str,
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
        detected: &found().names,
        implementations: implementations().iter().map(|implementation| implementation.name()).collect(),
        requested: requested_isa().map(|index| Some(found().names[index?])),
        active: Implementation::active().name(),
    }
}

/// Uses the best implementation at or below the instruction set `name` from now on, in all threads.
///
/// ```
/// assert!(leadbyte::set_isa("scalar").is_ok());
/// let error = leadbyte::set_isa("abacus").unwrap_err();
/// assert!(error.to_string().starts_with("unknown instruction set \"abacus\""));
/// ```
pub fn set_isa(name: &str) -> Result<(), IsaError> {
    let index = find(name)?;
    activate(&found().implementations[found().best[index]]);
    Ok(())
}

/// Every implementation that this CPU can run, from the slowest to the fastest; there is at least one.
pub fn implementations() -> &'static [Implementation] {
    &found().implementations
}

impl Implementation {
    /// The one that the functions at the crate's root use.
    #[inline]
    pub fn active() -> Self {
        let active = ACTIVE.load(Ordering::Acquire);
        if active.is_null() {
            return choose();
        }
        // SAFETY: only `activate` stores here, and only pointers that come from `&'static`.
        unsafe { *active }
    }

    /// The name of its instruction set.
    pub fn name(self) -> &'static str {
        match self.0 {
            Token::Scalar(_) => "scalar",
            #[cfg(target_arch = "x86_64")]
            Token::Avx2(_) => "avx2",
        }
    }

    /// Runs `kernel` on this instruction set.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Token::Scalar(isa) => isa.call(kernel),
            #[cfg(target_arch = "x86_64")]
            Token::Avx2(isa) => isa.call(kernel),
        }
    }
}
