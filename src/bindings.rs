//! What bindings to other languages use beyond the public interface: operations on code units of a string, progress of
//! long work, and results as they are kept. No promise is made about it; it changes with the bindings of this project.

pub mod allocation {
    pub use crate::allocation::{
        AllocError, Grow, product, sum, try_extend, try_push, try_push_str, written,
    };
}

pub mod audit {
    pub use crate::audit::{Audit, Syntax, sanitize_with};
}

pub mod census {
    pub use crate::census::{Census, Entry};
}

pub mod columns {
    pub use crate::columns::column::{Context, is_valid_utf8, map};
    pub use crate::columns::detect::{RowSample, detection, detections};
    pub use crate::columns::error::{ColumnError, ConversionError, RowError};
    pub use crate::columns::errors::{ErrorLists, ErrorTable, lists_schema};
    pub use crate::columns::findings::{self, FindingTable};
    pub use crate::columns::flatten::flattened;
    pub use crate::columns::interface::abi::{ArrowArray, ArrowArrayStream, ArrowSchema};
    pub use crate::columns::interface::export;
    pub use crate::columns::interface::export::{Array, stream};
    pub use crate::columns::interface::import::Chunk;
    pub use crate::columns::interface::nested::NestedChunk;
    pub use crate::columns::interface::read::{Values, Visitor};
    pub use crate::columns::interface::schema::{BytesLayout, BytesType, ColumnType, Field, Schema, name_of};
    pub use crate::columns::measure::{CountUnit, counts};
    pub use crate::columns::mojibake::{RepairMojibake, add_rows, knowledge};
    pub use crate::columns::operations::{Errors, NormalizeRows, Operation, SanitizeRows, TruncateRows};
    pub use crate::columns::transcode::{ConversionErrors, TranscodeRows};
    pub use crate::columns::{detect, errors};
}

pub mod cut {
    pub use crate::cut::limit::{LimitUnit, Measurable, StrUnit, StrUnits, Utf8Text};
    pub use crate::cut::split::{Boundary, ChunkCutter, MIN_CHUNK_BYTES, points};
    pub use crate::cut::truncate::{Limit, Removed, Side};
}

pub mod detect {
    pub use crate::detect::{
        DeclaredEncoding, DetectorState, Encodings, Query, TextEnd, ascii_length, language, rank_with,
    };
}

pub mod encodings {
    pub use crate::encodings::error_handler::{
        ESCAPE_SEQUENCE_BYTES, EncodeReplacement, ErrorHandler, escape_sequence,
    };
    pub use crate::encodings::scheme::{Scheme, utf8_is_incomplete};
    pub use crate::encodings::surrogates::{SURROGATES, UTF8_BYTES};
    pub use crate::encodings::{Fault, double_byte, error_handler, registry, surrogates};
}

pub mod error_iter {
    pub use crate::error_iter::{ERROR_COST_BYTES, ErrorIter, ErrorSearch, first_error};
}

pub mod jsonl {
    pub use crate::jsonl::{Edit, Finding, JsonLines, Kind, Record, Replacement, edited};
}

pub mod kernels {
    pub use crate::kernels::counts::Measure;
    pub use crate::kernels::decode::one_pass::{End, OnePass};
    pub use crate::kernels::decode::{CodeUnit, ErrorUnits};
    pub use crate::kernels::encode::unit::Lane;
    pub use crate::kernels::encode::{Encoded, Source, pair};
}

pub mod language {
    pub use crate::language::known_code;
}

pub mod lines {
    pub use crate::lines::{LastBytes, LineEnd, with_line_feed};
}

pub mod location {
    pub use crate::location::{LocationCounter, locate_with};
}

pub mod mojibake {
    pub use crate::mojibake::{
        Blocks, Column, Fallback, Knowledge, LineEncoding, Stretch, explain_with, read_mixed_with,
    };
}

pub mod newlines {
    pub use crate::newlines::universal_newlines;
}

pub mod offsets {
    pub use crate::offsets::{EditableIndex, OffsetIndex, Validity};
}

pub mod progress {
    pub use crate::progress::{Poll, Progress, Stopped, unobserved};
}

pub mod repair {
    pub use crate::repair::{MeasuredRepair, REPLACEMENT, Replacement, well_formed};
}

pub mod sequence {
    pub use crate::sequence::boundary::{CHUNK_BYTES, MAX_BYTES_TO_LEAD, chunks, cut, head};
    pub use crate::sequence::{announced_length, incomplete_suffix, is_continuation};
}

pub mod simd {
    pub use crate::simd::dispatch::{Implementation, VARIABLE};
    pub use crate::simd::uninit::{
        MaybeUninit, Scratch, as_numbers_mut, put, try_append, unfilled, uninitialised,
    };
    pub use crate::simd::{Number, huge_pages, prefetch};
}

pub mod transcode {
    pub use crate::transcode::transcoder::{BomPolicy, Direct, Failure, Faults, Stop};
    pub use crate::transcode::{transcoder, utf8_to_utf32};
}

pub mod unicode {
    pub use crate::unicode::cluster_walk::{ClusterWalk, independent_start};
    pub use crate::unicode::clusters::{count_in_text, count_in_units};
    pub use crate::unicode::folding::FoldedSize;
    pub use crate::unicode::normalize::{
        NormalizedSize, is_normalized_text, is_normalized_units, normalize_text, rewrite, unchanged_bits,
        write,
    };
    pub use crate::unicode::search::Needle;
    pub use crate::unicode::{Form, Ignore, UNICODE_VERSION, clusters, folding};
}

pub mod variants {
    pub use crate::variants::VariantError;
    pub use crate::variants::integers::{EXTENDED, Integer, IntegerForms, RFC2279};
    pub use crate::variants::surrogates::{
        CESU8, MUTF8, Variant, VariantSurvey, WTF8, encode_wtf8, wtf8_length,
    };
}

pub mod with_errors {
    pub use crate::with_errors::{Division, WithErrors};
}

pub mod with_surrogates {
    pub use crate::with_surrogates::{STEP_UNITS, WithSurrogates};
}
