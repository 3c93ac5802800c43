//! The encoding that a text declares: in HTML, XML, CSS, message catalogues, and for editors and interpreters.
//!
//! In the first 1,024 bytes, as browsers search them: `charset` in a `<meta>` tag (HTML, "prescan a byte stream"), the
//! declaration of XML (XML 1.0, 4.3.3) and `@charset` (CSS Syntax 3.2). In the first two lines: `coding:` of Python
//! (PEP 263) and Emacs, and the modeline of Vim, which may also be in one of the last five. In the header of a message
//! catalogue, the entry with an empty `msgid`: `charset` of `Content-Type` (manual of gettext, "Header Entry").

use core::fmt;

use encoding_rs::{Encoding, GB18030, GBK, ISO_8859_8, ISO_8859_8_I};

use super::legacy::{self, Candidate};
use crate::encodings::bom::BOM;

/// The number of bytes at the start, and at the end, in which a declaration is searched.
const SEARCHED_BYTES: usize = 1 << 10;
/// The length of the shortest declaration, `#coding:` with a name.
const MIN_DECLARATION_BYTES: usize = 9;
const MAX_LABEL_BYTES: usize = 32;
/// The number of bytes in which the header of a catalogue is searched, which comments precede.
const CATALOGUE_BYTES: usize = 8 << 10;
const FIRST_LINES: usize = 2;
const LAST_LINES: usize = 5;
const CONTENT_TYPE: &[u8] = b"\"Content-Type:";

/// The name of the encoding that a text declares, in lower case: one that Python knows if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeclaredEncoding {
    label: [u8; MAX_LABEL_BYTES],
    length: u8,
}

impl DeclaredEncoding {
    /// Returns the encoding of this label; `None` if it is too long or has other characters than labels have.
    #[doc(hidden)]
    pub fn of(label: &[u8]) -> Option<Self> {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:+".contains(byte);
        if label.is_empty() || label.len() > MAX_LABEL_BYTES || !label.iter().all(plain) {
            return None;
        }
        let lower = label.to_ascii_lowercase();
        let name = for_python(&lower).map_or(&lower[..], str::as_bytes);
        let mut kept = [0; MAX_LABEL_BYTES];
        kept.get_mut(..name.len())?.copy_from_slice(name);
        Some(Self { label: kept, length: u8::try_from(name.len()).ok()? })
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        let label = self.label.get(..usize::from(self.length)).unwrap_or_default();
        core::str::from_utf8(label).unwrap_or_default()
    }

    /// Returns the legacy encoding, or UTF-8, that is meant.
    pub(super) fn candidate(&self) -> Option<&'static Candidate> {
        let name = self.as_str();
        match Encoding::for_label(name.as_bytes()) {
            Some(encoding) => candidate_of(encoding),
            None => {
                let key = key_of(name);
                let key = OTHER_KEYS.iter().find(|known| known.0 == key).map_or(&*key, |known| known.1);
                let page = page_of(key);
                legacy::candidates()
                    .find(|candidate| {
                        let own = key_of(candidate.name);
                        own == key || page.is_some() && page_of(&own) == page
                    })
                    .or_else(|| candidate_of(Encoding::for_label(key.as_bytes())?))
                    .or_else(|| candidate_of(Encoding::for_label(name.replace('_', "-").as_bytes())?))
            }
        }
    }
}

/// Names in Python and iconv that differ from the candidate's by more than hyphens and prefixes.
const OTHER_KEYS: [(&str, &str); 5] = [
    ("macroman", "macintosh"),
    ("maccentraleurope", "maclatin2"),
    ("cpis", "cp861"),
    ("cp936", "gb18030"),
    ("936", "gb18030"),
];

/// Returns a name with letters and digits only, as Python compares names.
fn key_of(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Returns the number of the code page of a name without hyphens: of MS-DOS or Windows.
fn page_of(name: &str) -> Option<&str> {
    let prefixes = ["cspc8codepage", "cspcp", "cspc", "csibm", "windows", "ibm", "cp", ""];
    let number = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))?;
    let digits = number.trim_end_matches(|char: char| char.is_ascii_lowercase());
    let is_number = (3..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && (digits == number || name.starts_with("cspc"))).then_some(digits)
}

impl fmt::Debug for DeclaredEncoding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), formatter)
    }
}

impl PartialEq<str> for DeclaredEncoding {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

fn candidate_of(encoding: &'static Encoding) -> Option<&'static Candidate> {
    let tried = match encoding {
        _ if encoding == GBK => GB18030,
        _ if encoding == ISO_8859_8_I => ISO_8859_8,
        _ => encoding,
    };
    legacy::candidates().find(|candidate| candidate.standard() == Some(tried))
}

/// Labels of the WHATWG Encoding Standard without `x-` that Python does not know.
const WHATWG_ONLY: [&str; 44] = [
    "cn-big5",
    "cseuckr",
    "cseucpkdfmtjapanese",
    "csgb2312",
    "csiso88596e",
    "csiso88596i",
    "csiso88598e",
    "csiso88598i",
    "csisolatin9",
    "csksc56011987",
    "csmacintosh",
    "csunicode",
    "dos-874",
    "gb_2312",
    "gb_2312-80",
    "iso-10646-ucs-2",
    "iso-8859-6-e",
    "iso-8859-6-i",
    "iso-8859-8-e",
    "iso-8859-8-i",
    "iso-ir-149",
    "iso88591",
    "iso885910",
    "iso885911",
    "iso885913",
    "iso885914",
    "iso885915",
    "koi",
    "koi8",
    "koi8-ru",
    "ks_c_5601-1989",
    "ksc_5601",
    "logical",
    "mac",
    "sun_eu_greek",
    "ucs-2",
    "unicode",
    "unicode-1-1-utf-8",
    "unicode11utf8",
    "unicode20utf8",
    "visual",
    "windows-31j",
    "windows-874",
    "windows-949",
];

/// Returns the name in Python of a label that only the WHATWG Encoding Standard has.
fn for_python(label: &[u8]) -> Option<&'static str> {
    let is_unknown = label.starts_with(b"x-")
        || WHATWG_ONLY.iter().any(|known| known.as_bytes() == label)
        || label.strip_prefix(b"iso8859").is_some_and(|part| matches!(part, [b'2'..=b'9']));
    if !is_unknown {
        return None;
    }
    let encoding = Encoding::for_label_no_replacement(label)?;
    match candidate_of(encoding) {
        Some(candidate) => Some(candidate.name),
        None if encoding == encoding_rs::UTF_16LE => Some("utf-16-le"),
        None => None,
    }
}

/// Returns the encoding that data declares.
pub(super) fn declared(data: &[u8]) -> Option<DeclaredEncoding> {
    if data.len() < MIN_DECLARATION_BYTES {
        return None;
    }
    let data = data.strip_prefix(&BOM).unwrap_or(data);
    if let Some(found) = in_catalogue(data) {
        return Some(found);
    }
    let head = &data[..data.len().min(SEARCHED_BYTES)];
    if let Some(label) = head.strip_prefix(b"@charset \"") {
        let end = label.windows(2).position(|pair| pair == b"\";")?;
        return DeclaredEncoding::of(&label[..end]);
    }
    let in_head = memchr::memchr2_iter(b'=', b':', head)
        .find_map(|at| in_markup(head, at).or_else(|| in_comment(head, at, CommentPlace::Start)));
    in_head.or_else(|| {
        let tail = &data[data.len().saturating_sub(SEARCHED_BYTES)..];
        // A single line has been searched as the first.
        memchr::memchr(b'\n', tail)?;
        memchr::memchr_iter(b'=', tail).find_map(|at| in_comment(tail, at, CommentPlace::End))
    })
}

/// Returns whether the format of data makes its declaration binding: XML, a catalogue, or Python (PEP 263).
pub(super) fn is_binding(data: &[u8]) -> bool {
    let is_comment =
        |line: &[u8]| line.trim_ascii_start().starts_with(b"#") && rfind(line, b"coding").is_some();
    data.starts_with(b"<?xml")
        || in_catalogue(data).is_some()
        || data.splitn(FIRST_LINES + 1, |&byte| byte == b'\n').take(FIRST_LINES).any(is_comment)
}

/// Returns the encoding declared in the header of a catalogue of gettext. A template has `CHARSET` in its place.
fn in_catalogue(data: &[u8]) -> Option<DeclaredEncoding> {
    let head = &data[..data.len().min(CATALOGUE_BYTES)];
    let header = &head[memchr::memmem::find(head, b"msgid \"\"")?..];
    let line = header.split(|&byte| byte == b'\n').find(|line| {
        line.get(..CONTENT_TYPE.len()).is_some_and(|start| start.eq_ignore_ascii_case(CONTENT_TYPE))
    })?;
    let label = &line[memchr::memmem::find(line, b"charset=")? + b"charset=".len()..];
    let label = label.split(|&byte| byte == b'\\').next().filter(|&label| label != b"CHARSET")?;
    label_at(label)
}

/// Returns the encoding declared in HTML or XML by the value after the equals sign at `at`.
fn in_markup(head: &[u8], at: usize) -> Option<DeclaredEncoding> {
    let before = head[..at].trim_ascii_end();
    if head[at] != b'=' {
        return None;
    }
    let value = head[at + 1..].trim_ascii_start();
    if before.ends_with(b"encoding") && head.starts_with(b"<?xml") {
        let end = memchr::memchr(b'>', head).unwrap_or(head.len());
        let (quote, label) = value.split_first()?;
        return (at < end && b"\"'".contains(quote)).then(|| label_at(label))?;
    }
    if !ends_with_ignoring_case(before, b"charset") {
        return None;
    }
    let tag = &before[memchr::memrchr(b'<', before)?..];
    let is_meta = tag.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"<meta"))
        && tag.get(5).is_some_and(|after| after.is_ascii_whitespace() || *after == b'/')
        && !tag.contains(&b'>');
    let comment = rfind(before, b"<!--");
    let is_comment = comment.is_some_and(|start| rfind(&before[start..], b"-->").is_none());
    let label = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    (is_meta && !is_comment).then(|| label_at(label.trim_ascii_start()))?
}

/// The part of a text in which comments declare its encoding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CommentPlace {
    Start,
    End,
}

/// Returns the encoding declared in a comment for Python, Emacs or Vim by the value after the sign at `at`.
fn in_comment(part: &[u8], at: usize, place: CommentPlace) -> Option<DeclaredEncoding> {
    let is_short = part[..at].ends_with(b"fenc");
    if !(is_short || part[..at].ends_with(b"coding")) {
        return None;
    }
    let newlines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
    let start = memchr::memrchr(b'\n', &part[..at]).map_or(0, |newline| newline + 1);
    let is_near = match place {
        CommentPlace::Start => newlines(&part[..at]) < FIRST_LINES,
        CommentPlace::End => newlines(part[at..].trim_ascii_end()) < LAST_LINES,
    };
    let before = &part[start..at];
    let label = part[at + 1..].trim_ascii_start();
    let is_modeline = [&b"vim:"[..], b"vi:", b"ex:"].iter().any(|name| rfind(before, name).is_some());
    if is_near && is_modeline && (is_short || before.ends_with(b"fileencoding")) {
        // A colon ends the modeline.
        return label_at(label.split(|&byte| byte == b':').next()?);
    }
    if !is_near || is_short || place == CommentPlace::End {
        return None;
    }
    if rfind(before, b"-*-").is_some() {
        let label = label_bytes(label);
        let line_ends = [&b"-unix"[..], b"-dos", b"-mac"];
        return DeclaredEncoding::of(
            line_ends.iter().find_map(|end| label.strip_suffix(*end)).unwrap_or(label),
        );
    }
    // The line before Python's encoding declaration may only be a comment, too.
    let is_comment = |line: &[u8]| matches!(line.trim_ascii_start(), [b'#', ..]);
    let first = part[..start].trim_ascii();
    (is_comment(before) && (first.is_empty() || is_comment(first))).then(|| label_at(label))?
}

/// Returns the encoding whose label is at the start.
fn label_at(bytes: &[u8]) -> Option<DeclaredEncoding> {
    DeclaredEncoding::of(label_bytes(bytes))
}

/// Returns the bytes at the start up to the next that ends a label.
fn label_bytes(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| !byte.is_ascii_graphic() || b"\"'<>;,*/?".contains(byte));
    &bytes[..end.unwrap_or(bytes.len())]
}

fn ends_with_ignoring_case(bytes: &[u8], end: &[u8]) -> bool {
    bytes
        .split_at_checked(bytes.len().wrapping_sub(end.len()))
        .is_some_and(|(_, last)| last.eq_ignore_ascii_case(end))
}

fn rfind(bytes: &[u8], sought: &[u8]) -> Option<usize> {
    memchr::memmem::rfind(bytes, sought)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(data: &[u8]) -> String {
        declared(data).map_or_else(String::new, |found| found.as_str().to_owned())
    }

    #[test]
    fn declarations_are_found() {
        for (data, label) in [
            (&b"<!DOCTYPE html><html><head><meta charset=\"KOI8-R\">"[..], "koi8-r"),
            (b"<META http-equiv='Content-Type' content='text/html; charset=x-sjis'>", "cp932"),
            (b"<meta/charset = utf-8>", "utf-8"),
            (b"<!-- <meta charset=a> --><meta charset=latin1 >", "latin1"),
            (b"<?xml version=\"1.0\" encoding='ISO-8859-2'?>", "iso-8859-2"),
            (b"\xEF\xBB\xBF<?xml version='1.0' encoding = \"utf-8\"?>", "utf-8"),
            (b"@charset \"Windows-1251\";", "windows-1251"),
            (b"# coding: latin-1", "latin-1"),
            (b"#!/usr/bin/python\n  # vim: set fileencoding=cp866 :\n", "cp866"),
            (b"#!/bin/sh\n# -*- mode: python; coding: utf-8-unix -*-\n", "utf-8"),
            (b";; -*- coding: euc-jp; -*-", "euc-jp"),
            (b"a\nb\nc\n/* vim: set fenc=koi8-u: */\n", "koi8-u"),
            (b"a\n// vim: ts=4 fileencoding=latin2\n\nb\nc\n", "latin2"),
            (b"# coding: unheard-of", "unheard-of"),
            (
                b"# Polish\n\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=iso-8859-2\\n\"\n",
                "iso-8859-2",
            ),
            (b"msgid \"\"\r\nmsgstr \"\"\r\n\"content-type: text/plain; charset=KOI8-R\\n\"\r\n", "koi8-r"),
        ] {
            assert_eq!(name(data), label, "{}", data.escape_ascii());
        }
    }

    #[test]
    fn other_texts_declare_nothing() {
        for data in [
            &b""[..],
            b"charset=utf-8",
            b"<p charset=utf-8>",
            b"<metal charset=utf-8>",
            b"<!-- <meta charset=utf-8>",
            b"<meta name=a><p>charset=utf-8",
            b"<a encoding='utf-8'>",
            b"<?xml version='1.0'?><a encoding='utf-8'>",
            b"<?xml encoding=utf-8?>",
            b"@charset \"utf-8",
            b"print(1)  # coding: utf-8",
            b"import sys\n# coding: utf-8",
            b"#\n#\n# coding: utf-8",
            b"# coding: \xE9",
            b"# coding: ",
            b"# coding: 0123456789012345678901234567890123456789",
            b"1\n2\nvim: set fenc=utf-8\n4\n5\n6\n7\n8",
            b"# fenc=utf-8",
            b"msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=CHARSET\\n\"\n",
            b"msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain\\n\"\n",
            b"\"Content-Type: text/plain; charset=koi8-r\\n\"\n",
        ] {
            assert_eq!(name(data), "", "{}", data.escape_ascii());
        }
        assert_eq!(name(&[&[b' '; 1024][..], b"<meta charset=utf-8>"].concat()), "");
    }

    #[test]
    fn declared_encodings_are_candidates() {
        for (label, candidate) in [
            ("latin1", "windows-1252"),
            ("latin-1", "windows-1252"),
            ("iso8859_15", "iso-8859-15"),
            ("windows_1251", "windows-1251"),
            ("1251", "windows-1251"),
            ("gb2312", "gb18030"),
            ("cp936", "gb18030"),
            ("euc_kr", "cp949"),
            ("ibm850", "cp850"),
            ("csibm857", "cp857"),
            ("cspc775baltic", "cp775"),
            ("850", "cp850"),
            ("cp437", "cp437"),
            ("mac_roman", "macintosh"),
            ("maccyrillic", "mac-cyrillic"),
        ] {
            assert_eq!(DeclaredEncoding::of(label.as_bytes()).unwrap().candidate().unwrap().name, candidate);
        }
        for unknown in ["unheard-of", "8859", "85", "cp", "utf"] {
            assert!(DeclaredEncoding::of(unknown.as_bytes()).unwrap().candidate().is_none(), "{unknown}");
        }
    }
}
