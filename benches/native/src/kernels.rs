//! Every kernel as a function of its input and output, for `compare.rs` and `bin/instructions.rs`. All types come from
//! the standard library, so that two revisions of leadbyte have the same.

use leadbyte::implementations;
use leadbyte::transcode::SingleByteEncoding;

/// A text as bytes and as units of UTF-16 and UTF-32, of which a kernel reads one.
pub type Input<'a> = (&'a [u8], &'a [u16], &'a [u32]);
/// Memory for bytes, and for units of UTF-16 and UTF-32, of which a kernel writes to one or none.
pub type Output<'a> = (&'a mut [u8], &'a mut [u16], &'a mut [u32]);
/// A kernel. Returns the size of its result.
pub type Function = Box<dyn Fn(Input<'_>, Output<'_>) -> usize>;
/// The name of a kernel; the label of the single-byte encoding that it is for, if any; whether its bytes are in that
/// encoding, else they are UTF-8.
pub type Entry = (String, Option<&'static str>, bool, Function);

/// Returns the names of the instruction sets of this CPU.
pub fn instruction_sets() -> Vec<&'static str> {
    implementations().iter().map(|set| set.name()).collect()
}

/// Returns every kernel on one instruction set.
///
/// # Panics
/// If this CPU does not have the instruction set.
pub fn kernels(set: &str) -> Vec<Entry> {
    let set = *implementations().iter().find(|other| other.name() == set).expect("the CPU has it");
    let mut all: Vec<Entry> = vec![];
    let mut add = |name: &str, function: Function| all.push((name.to_owned(), None, false, function));
    add("is-valid", Box::new(move |input, _| set.is_valid(input.0).into()));
    add("validate", Box::new(move |input, _| set.validate(input.0).map_or(0, str::len)));
    add("measure", Box::new(move |input, _| set.measure(input.0).map_or(0, |measure| measure.chars)));
    add("scan", Box::new(move |input, _| set.scan(input.0).valid.into()));
    add("is-ascii", Box::new(move |input, _| set.is_ascii(input.0).into()));
    add("count-chars", Box::new(move |input, _| set.count_chars(input.0)));
    add("count-newlines", Box::new(move |input, _| set.count_newlines(input.0)));
    add("decode-utf16", Box::new(move |input, out| set.fill_utf16(input.0, out.1)));
    add("decode-utf32", Box::new(move |input, out| set.fill_utf32(input.0, out.2)));
    add("transcode-utf16", Box::new(move |input, out| set.utf8_to_utf16(input.0, out.1).unwrap_or(0)));
    add("encode-ucs2", Box::new(move |input, out| set.encode_ucs2(input.1, out.0).0));
    add("encode-utf16", Box::new(move |input, out| set.encode_utf16(input.1, out.0).0));
    add("encode-utf32", Box::new(move |input, out| set.encode_utf32(input.2, out.0).0));
    add("length-utf16", Box::new(move |input, _| set.utf8_length_of_utf16(input.1)));
    let mut add = |kind: &str, label: &'static str, encodes, function: Function| {
        all.push((format!("{kind}-{}", label.to_lowercase()), Some(label), encodes, function));
    };
    add("decode", LATIN1, false, Box::new(move |input, out| set.fill_latin1(input.0, out.0)));
    add("encode", LATIN1, true, Box::new(move |input, out| set.encode_latin1(input.0, out.0).0));
    for encoding in [encoding_rs::WINDOWS_1251, encoding_rs::WINDOWS_1252] {
        let page = SingleByteEncoding::of(encoding).expect("a single-byte encoding");
        add(
            "decode",
            encoding.name(),
            false,
            Box::new(move |input, out| page.fill_by(set, input.0, out.0).0),
        );
        add(
            "encode",
            encoding.name(),
            true,
            Box::new(move |input, out| page.fill_utf8_by(set, input.0, out.0).0),
        );
    }
    all
}

/// The label of Latin-1, which is not the WHATWG's ISO-8859-1.
pub const LATIN1: &str = "latin-1";

/// A text in all forms, and memory for the results.
pub struct Buffers {
    utf8: Vec<u8>,
    utf16: Vec<u16>,
    utf32: Vec<u32>,
    single: Vec<(&'static str, Vec<u8>)>,
    out8: Vec<u8>,
    out16: Vec<u16>,
    out32: Vec<u32>,
}

impl Buffers {
    /// Returns the buffers for a text.
    pub fn new(text: &str) -> Self {
        let latin1 = text.chars().map(|char| u8::try_from(char).ok()).collect::<Option<Vec<u8>>>();
        let mut single: Vec<_> = latin1.map(|bytes| (LATIN1, bytes)).into_iter().collect();
        for encoding in [encoding_rs::WINDOWS_1251, encoding_rs::WINDOWS_1252] {
            let (bytes, _, unmappable) = encoding.encode(text);
            if !unmappable && !text.is_ascii() {
                single.push((encoding.name(), bytes.into()));
            }
        }
        let utf16: Vec<u16> = text.encode_utf16().collect();
        let utf32: Vec<u32> = text.chars().map(u32::from).collect();
        let (out8, out16, out32) = (vec![0; text.len()], vec![0; utf16.len()], vec![0; utf32.len()]);
        Self { utf8: text.into(), utf16, utf32, single, out8, out16, out32 }
    }

    /// Calls a kernel, and returns its result; `None` if the text is not in its encoding.
    pub fn call(&mut self, (_, label, encodes, function): &Entry) -> Option<usize> {
        let single = self.single.iter().find(|(other, _)| Some(*other) == *label);
        let (bytes, length) = match (label, single) {
            (Some(_), None) => return None,
            (Some(_), Some((_, bytes))) if *encodes => (bytes, self.utf8.len()),
            (Some(_), Some((_, bytes))) => (&self.utf8, bytes.len()),
            (None, _) => (&self.utf8, self.utf8.len()),
        };
        let input = (&bytes[..], &self.utf16[..], &self.utf32[..]);
        Some(function(input, (&mut self.out8[..length], &mut self.out16, &mut self.out32)))
    }
}
