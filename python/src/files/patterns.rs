//! Patterns of `.gitignore` files, by gitignore(5) and as Git compares them: by bytes.
//!
//! A pattern is compared with a path by components, and a component with a name by bytes. In both, one kind of star
//! matches any number of items, and only the last star is ever tried again: time is at most proportional to the
//! product of both lengths. A regular expression for all patterns of a file (globset) was not faster on trees of
//! sources, and had a tenth of the machine code of the extension module.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;

use super::open::open;

/// The names of a path, from the root of the file system.
pub(super) type Names<'a> = [&'a [u8]];

/// Returns the names of a path.
pub(super) fn names(path: &Path) -> Vec<&[u8]> {
    path.iter().map(OsStr::as_encoded_bytes).collect()
}

/// The maximum size in bytes of a file of patterns, as in Git.
const MAX_FILE_BYTES: u64 = 100 << 20;

/// Whether a file of patterns may be a symbolic link; Git follows none to a `.gitignore`.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Links {
    Followed,
    NotFollowed,
}

/// Returns the contents of a file, nothing if it is not regular or longer than any file of patterns that Git takes.
pub(super) fn read(file: &Path, links: Links) -> io::Result<Vec<u8>> {
    let mut contents = vec![];
    if let Some(opened) = open(file, links == Links::Followed)?
        && opened.byte_count <= MAX_FILE_BYTES
    {
        opened.file.take(opened.byte_count).read_to_end(&mut contents)?;
    }
    Ok(contents)
}

/// The patterns of a file, for the entries below a directory.
#[derive(Default)]
pub(super) struct Patterns {
    patterns: Vec<Pattern>,
    /// The number of names in the path of the directory.
    depth: usize,
}

impl Patterns {
    /// Returns the patterns in a file, for the entries below `directory`.
    ///
    /// A file that is not regular, cannot be read, or is longer than any file of patterns that Git takes, ignores
    /// nothing, and neither does a line that is not a pattern.
    pub(super) fn from_file(directory: &Path, file: &Path, links: Links) -> Self {
        let contents = read(file, links).unwrap_or_default();
        let contents = contents.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&contents);
        let lines = contents.split(|&byte| byte == b'\n');
        let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        // To Git, a line is a string of C.
        let lines = lines.map(|line| &line[..memchr::memchr(0, line).unwrap_or(line.len())]);
        Self::new(directory, lines.filter_map(|line| Pattern::of(line).ok()?).collect())
    }

    /// Returns the patterns of these lines, for the entries below `directory`; or the message of a line that is not a
    /// pattern.
    pub(super) fn from_lines(directory: &Path, lines: &[OsString]) -> Result<Self, String> {
        let mut patterns = vec![];
        for line in lines {
            let pattern = Pattern::of(line.as_encoded_bytes());
            patterns.extend(pattern.map_err(|reason| format!("{reason} in the pattern {}", line.display()))?);
        }
        Ok(Self::new(directory, patterns))
    }

    fn new(directory: &Path, patterns: Vec<Pattern>) -> Self {
        Self { patterns, depth: directory.iter().count() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Returns whether the entry with these names, below the directory, is ignored; None if no pattern decides.
    pub(super) fn decide(&self, names: &Names, is_directory: bool) -> Option<bool> {
        let below = names.get(self.depth..)?;
        let last = self.patterns.iter().rfind(|pattern| pattern.matches(below, is_directory))?;
        Some(!last.is_negative)
    }
}

/// A line.
struct Pattern {
    components: Vec<Component>,
    /// Whether it is compared with the whole path below the directory, else with the name of the entry.
    is_path: bool,
    is_negative: bool,
    is_for_directories: bool,
}

/// The part of a pattern between two slashes.
enum Component {
    /// `**`: any number of names.
    Names,
    Literal(Vec<u8>),
    Wildcards(Vec<PatternToken>),
}

/// A part of a name.
enum PatternToken {
    Byte(u8),
    /// `?`
    One,
    /// `*`: any number of bytes.
    Bytes,
    Class(Box<[bool; 256]>),
}

impl Pattern {
    /// Returns the pattern of a line, if it is neither empty nor a comment; the reason why it is not a pattern.
    fn of(line: &[u8]) -> Result<Option<Self>, &'static str> {
        let line = without_trailing_spaces(line);
        if line.is_empty() || line[0] == b'#' {
            return Ok(None);
        }
        let (is_negative, line) = without(line, line.strip_prefix(b"!"));
        let (is_for_directories, line) = without(line, line.strip_suffix(b"/"));
        let is_path = line.contains(&b'/');
        let components = components(line.strip_prefix(b"/").unwrap_or(line))?;
        Ok(Some(Self { components, is_path, is_negative, is_for_directories }))
    }

    fn matches(&self, names: &Names, is_directory: bool) -> bool {
        if self.is_for_directories && !is_directory {
            return false;
        }
        let names = if self.is_path { names } else { &names[names.len().saturating_sub(1)..] };
        let is_star = |component: &Component| matches!(component, Component::Names);
        matches(&self.components, names, is_star, |component, name| component.matches(name))
    }
}

impl Component {
    fn of(tokens: Vec<PatternToken>) -> Self {
        let byte =
            |token: &PatternToken| if let PatternToken::Byte(byte) = token { Some(*byte) } else { None };
        let literal: Option<Vec<u8>> = tokens.iter().map(byte).collect();
        literal.map_or(Self::Wildcards(tokens), Self::Literal)
    }

    /// Returns whether it is for this name; none is empty.
    fn matches(&self, name: &[u8]) -> bool {
        let tokens = match self {
            Self::Names => return true,
            Self::Literal(literal) => return literal == name,
            Self::Wildcards(tokens) => tokens,
        };
        if let (Some(PatternToken::Byte(pattern)), Some(byte)) = (tokens.last(), name.last())
            && pattern != byte
        {
            return false;
        }
        matches(
            tokens,
            name,
            |token| matches!(token, PatternToken::Bytes),
            |token, &byte| token.matches(byte),
        )
    }
}

impl PatternToken {
    fn matches(&self, byte: u8) -> bool {
        match self {
            Self::Byte(same) => *same == byte,
            Self::One | Self::Bytes => true,
            Self::Class(class) => class[usize::from(byte)],
        }
    }
}

/// Returns whether a pattern is for all the items: a star is for any number of them, else `is_for` decides about each.
fn matches<P, T>(
    pattern: &[P],
    items: &[T],
    is_star: impl Fn(&P) -> bool,
    is_for: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut item) = (0, 0);
    // What follows the last star, and the first item that it was compared with.
    let mut last_star = None;
    loop {
        match pattern.get(at) {
            Some(part) if is_star(part) => {
                at += 1;
                last_star = Some((at, item));
            }
            part if item == items.len() => return part.is_none(),
            Some(part) if is_for(part, &items[item]) => (at, item) = (at + 1, item + 1),
            _ => {
                let Some((after, first)) = last_star else { return false };
                (at, item) = (after, first + 1);
                last_star = Some((at, item));
            }
        }
    }
}

/// Returns a line without an optional prefix or suffix, and whether it had that.
fn without<'a>(line: &'a [u8], rest: Option<&'a [u8]>) -> (bool, &'a [u8]) {
    (rest.is_some(), rest.unwrap_or(line))
}

/// Returns a line without the spaces at its end, but for one after a backslash.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let (mut at, mut end) = (0, 0);
    while let Some(&byte) = line.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte != b' ' {
            end = at;
        }
    }
    &line[..end.min(line.len())]
}

/// Returns the components of a pattern.
fn components(pattern: &[u8]) -> Result<Vec<Component>, &'static str> {
    let mut components = vec![];
    let mut tokens = vec![];
    let mut stars = 0;
    let mut rest = pattern;
    loop {
        let (byte, is_escaped) = match *rest {
            [b'\\'] => return Err("nothing follows a backslash"),
            [b'\\', byte, ref after @ ..] => {
                rest = after;
                (Some(byte), true)
            }
            [byte, ref after @ ..] => {
                rest = after;
                (Some(byte), false)
            }
            [] => (None, true),
        };
        match byte {
            Some(b'/') | None => {
                let tokens = std::mem::take(&mut tokens);
                if stars > 1 && tokens.len() == 1 {
                    components.push(Component::Names);
                    // Unless only a slash follows, the rest is for one name at least.
                    if is_escaped {
                        components.push(Component::Wildcards(tokens));
                    }
                } else {
                    components.push(Component::of(tokens));
                }
                stars = 0;
                if byte.is_none() {
                    return Ok(components);
                }
            }
            Some(b'*') if !is_escaped => {
                stars += 1;
                if !matches!(tokens.last(), Some(PatternToken::Bytes)) {
                    tokens.push(PatternToken::Bytes);
                }
            }
            Some(b'?') if !is_escaped => tokens.push(PatternToken::One),
            Some(b'[') if !is_escaped => tokens.push(PatternToken::Class(class(&mut rest)?)),
            Some(byte) => tokens.push(PatternToken::Byte(byte)),
        }
    }
}

/// Returns the bytes that are in a bracket expression, and removes the rest of the expression, after the bracket, from
/// `rest`.
fn class(rest: &mut &[u8]) -> Result<Box<[bool; 256]>, &'static str> {
    const UNCLOSED: &str = "a bracket is not closed";
    let mut class = Box::new([false; 256]);
    let (is_negative, mut left) = match **rest {
        [b'!' | b'^', ref after @ ..] => (true, after),
        _ => (false, *rest),
    };
    // The start of a range, if the next hyphen is for one.
    let mut start = None;
    // What follows the next closing bracket, once that was searched for: many names may begin before it.
    let mut after_next: Option<&[u8]> = None;
    let mut is_first = true;
    loop {
        let (byte, after) = match left {
            [b']', after @ ..] if !is_first => {
                *rest = after;
                class.iter_mut().for_each(|contains| *contains ^= is_negative);
                return Ok(class);
            }
            [b'-', end, after @ ..]
                if let Some(start) = start
                    && *end != b']' =>
            {
                let escaped = (*end == b'\\').then(|| after.split_first().ok_or(UNCLOSED)).transpose()?;
                let (&end, after) = escaped.unwrap_or((end, after));
                (start..=end).for_each(|byte| class[usize::from(byte)] = true);
                (None, after)
            }
            [b'[', b':', after @ ..] => {
                let after_end = match after_next {
                    Some(known) if known.len() < after.len() => known,
                    _ => {
                        let end = after.iter().position(|&byte| byte == b']').ok_or(UNCLOSED)?;
                        &after[end + 1..]
                    }
                };
                after_next = Some(after_end);
                let name = &after[..after.len() - after_end.len() - 1];
                if let Some(name) = name.strip_suffix(b":") {
                    let is_in = class_of_name(name).ok_or("a character class is unknown")?;
                    (0..=u8::MAX).filter(is_in).for_each(|byte| class[usize::from(byte)] = true);
                    (None, after_end)
                } else {
                    (Some(b'['), &left[1..])
                }
            }
            [b'\\', byte, after @ ..] => (Some(*byte), after),
            [] | [b'\\'] => return Err(UNCLOSED),
            [byte, after @ ..] => (Some(*byte), after),
        };
        if let Some(byte) = byte {
            class[usize::from(byte)] = true;
        }
        start = byte;
        is_first = false;
        left = after;
    }
}

/// Returns the predicate of a character class of POSIX.
fn class_of_name(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |&byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, b' ' | b'\t'..=b'\r'),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}
