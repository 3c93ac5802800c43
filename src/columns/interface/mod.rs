//! The Arrow C data interface: arrays of other libraries in, arrays for other libraries out, without a copy.
//!
//! Sources: [C data interface](https://arrow.apache.org/docs/format/CDataInterface.html) and [C stream
//! interface](https://arrow.apache.org/docs/format/CStreamInterface.html). Its structs are a frozen ABI, so they are
//! defined here: the crates that define them would make a wheel 0.2 to 2.6 MB larger.
//!
//! All of the `unsafe` of columns is in this folder. The interface carries no lengths of buffers: that they are as long
//! as offsets and views claim is the producer's word. Everything else is checked.

pub(crate) mod abi;
pub mod export;
#[cfg(any(test, fuzzing))]
#[path = "../../../tests/reference/columns.rs"]
pub(crate) mod fuzzing;
pub(crate) mod import;
#[cfg(any(test, fuzzing))]
#[path = "../../../tests/reference/import.rs"]
pub(crate) mod import_fuzzing;
pub(crate) mod nested;
pub(crate) mod read;
pub(crate) mod schema;
