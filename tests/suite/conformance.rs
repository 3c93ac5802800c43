//! The vectors of `conformance/`, on every implementation.

use super::reference;

use std::borrow::Cow;

use leadbyte::{IncrementalValidator, Scanner, Substitution};
use reference::{in_parallel, on_every_implementation, with_every_implementation_active};
use serde_json::Value;

const LINES: &str = include_str!("../../conformance/vectors.jsonl");

/// A line; `conformance/README.md` explains it.
struct Vector {
    before: Vec<u8>,
    bytes: Vec<u8>,
    after: Vec<u8>,
    valid: bool,
    errors: Vec<Error>,
    /// The text for each way of substitution.
    texts: Vec<(Substitution, String)>,
}

impl Vector {
    fn parse(line: &str) -> Option<Self> {
        let fields: Value = serde_json::from_str(line).ok()?;
        let repeated = |field: &str| -> Option<Vec<u8>> {
            let runs = fields.get(field).and_then(Value::as_array).into_iter().flatten();
            let run = |run: &Value| Some(unhex(run[0].as_str()?).repeat(run[1].as_u64()? as usize));
            runs.map(run).collect::<Option<Vec<_>>>().map(|runs| runs.concat())
        };
        let errors = fields.get("errors").and_then(Value::as_array).into_iter().flatten();
        let error = |error: &Value| {
            Some(Error {
                start: error[0].as_u64()?,
                end: error[1].as_u64()?,
                kind: error[2].as_str()?.into(),
                reason: error[3].as_str()?.into(),
            })
        };
        Some(Self {
            before: repeated("before")?,
            bytes: unhex(fields["bytes"].as_str()?),
            after: repeated("after")?,
            valid: fields["valid"].as_bool()?,
            errors: errors.map(error).collect::<Option<_>>()?,
            texts: Substitution::ALL
                .into_iter()
                .map(|way| {
                    let text = fields.get(way.name()).unwrap_or(&fields["text"]);
                    Some((way, text.as_str()?.into()))
                })
                .collect::<Option<_>>()?,
        })
    }
}

#[derive(Debug, PartialEq)]
struct Error {
    start: u64,
    end: u64,
    kind: String,
    reason: String,
}

impl From<leadbyte::Utf8Error> for Error {
    fn from(error: leadbyte::Utf8Error) -> Self {
        let (start, end, kind) = (error.start(), error.end(), error.kind());
        Self { start, end, kind: kind.name().into(), reason: error.reason().into() }
    }
}

fn unhex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two hex digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Calls `check` with each vector and its data.
fn for_each_vector(check: impl Fn(&Vector, &[u8]) + Sync) {
    let lines: Vec<_> = LINES.lines().collect();
    assert!(lines.len() > 4000, "only {} vectors", lines.len());
    in_parallel(lines.len(), |index| {
        let vector = Vector::parse(lines[index]).expect("every field is there");
        let data = [&*vector.before, &vector.bytes, &vector.after].concat();
        check(&vector, &data);
    });
}

#[test]
fn errors_and_repair() {
    for_each_vector(|vector, data| {
        on_every_implementation(|on| {
            let name = on.name();
            assert_eq!(on.is_valid(data), vector.valid, "{name} {data:02x?}");
            let first = on.validate(data).err().map(Error::from);
            assert_eq!(first.as_ref(), vector.errors.first(), "{name} {data:02x?}");
            let errors: Vec<_> = on.iter_errors(data).map(Error::from).collect();
            assert_eq!(errors, vector.errors, "{name} {data:02x?}");
            let scan = on.scan(data);
            assert_eq!(scan.error_count as usize, vector.errors.len(), "{name} {data:02x?}");
            assert_eq!(scan.error.map(Error::from), first, "{name} {data:02x?}");
            for (way, text) in &vector.texts {
                let expected = [&*vector.before, text.as_bytes(), &vector.after].concat();
                let repaired = on.repair_with(data, *way);
                assert_eq!(repaired.as_bytes(), expected, "{name} {way:?} {data:02x?}");
                assert_eq!(matches!(repaired, Cow::Borrowed(_)), vector.valid, "{name} {data:02x?}");
            }
        });
    });
}

/// The pieces end where the sequence starts and within it.
#[test]
fn pieces() {
    with_every_implementation_active(|| {
        for_each_vector(|vector, data| {
            let start = vector.before.len();
            for cut in start..=start + vector.bytes.len() {
                let (mut scanner, mut validator) = (Scanner::new(), IncrementalValidator::new());
                for piece in [&data[..cut], &data[cut..]] {
                    scanner.update(piece);
                    validator.update(piece);
                }
                assert_eq!(scanner.finish(), leadbyte::scan(data), "{data:02x?} cut at {cut}");
                assert_eq!(validator.finish(), vector.valid, "{data:02x?} cut at {cut}");
                let first = validator.error().map(Error::from);
                assert_eq!(first.as_ref(), vector.errors.first(), "{data:02x?} cut at {cut}");
            }
        });
    });
}
