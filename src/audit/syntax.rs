//! Strings and comments of programming languages, as far as controls of direction need them: each is a paragraph of its
//! own (UTS 55, section 4.1).
//!
//! A language is known by the extension of a file. Languages that write strings and comments alike share a syntax. A
//! quotation mark that is not one (a lifetime of Rust) ends at the end of the line; that makes a pair of controls
//! around it a finding, no more.

/// How some languages write strings and comments.
#[derive(Debug)]
pub struct Syntax {
    /// Their extensions.
    extensions: &'static [&'static str],
    /// What starts a comment that ends with the line.
    line_comments: &'static [&'static [u8]],
    /// What starts a comment or a string, longer ones first, and what ends it.
    delimited: &'static [Delimited],
}

/// A string, or a comment, with delimiters.
#[derive(Debug)]
struct Delimited {
    open: &'static [u8],
    close: &'static [u8],
    /// Whether it may have several lines.
    multiline: bool,
    /// Whether a backslash makes the next character a part of it.
    escapes: bool,
}

const fn string(quote: &'static [u8], multiline: bool) -> Delimited {
    Delimited { open: quote, close: quote, multiline, escapes: true }
}

const fn comment(open: &'static [u8], close: &'static [u8]) -> Delimited {
    Delimited { open, close, multiline: true, escapes: false }
}

const SYNTAXES: [Syntax; 6] = [
    Syntax {
        extensions: &[
            "c", "cc", "cpp", "cs", "css", "cxx", "dart", "go", "h", "hpp", "java", "js", "jsx", "kt", "mjs",
            "php", "proto", "rs", "scala", "swift", "ts", "tsx", "zig",
        ],
        line_comments: &[b"//"],
        delimited: &[
            comment(b"/*", b"*/"),
            string(b"\"\"\"", true),
            string(b"\"", false),
            string(b"'", false),
            string(b"`", true),
        ],
    },
    Syntax {
        extensions: &["py", "pyi", "pyx"],
        line_comments: &[b"#"],
        delimited: &[
            string(b"\"\"\"", true),
            string(b"'''", true),
            string(b"\"", false),
            string(b"'", false),
        ],
    },
    Syntax {
        extensions: &["bash", "ex", "exs", "jl", "pl", "pm", "r", "rb", "sh", "toml", "yaml", "yml", "zsh"],
        line_comments: &[b"#"],
        delimited: &[string(b"\"", true), string(b"'", true)],
    },
    Syntax {
        extensions: &["sql"],
        line_comments: &[b"--"],
        delimited: &[comment(b"/*", b"*/"), string(b"'", true), string(b"\"", false)],
    },
    Syntax {
        extensions: &["hs", "lua"],
        line_comments: &[b"--"],
        delimited: &[comment(b"{-", b"-}"), comment(b"--[[", b"]]"), string(b"\"", false)],
    },
    Syntax {
        extensions: &["htm", "html", "svg", "vue", "xhtml", "xml"],
        line_comments: &[],
        delimited: &[comment(b"<!--", b"-->")],
    },
];

impl Syntax {
    /// Returns the syntax of the files with an extension, which is in lower case and without a dot.
    pub fn of_extension(extension: &str) -> Option<&'static Self> {
        SYNTAXES.iter().find(|syntax| syntax.extensions.contains(&extension))
    }
}

/// Where a text is: in code, in a comment to the end of the line, or in something delimited.
#[derive(Clone, Copy, Debug)]
enum Mode {
    Code,
    LineComment,
    Delimited(&'static Delimited),
}

/// The state of a search for strings and comments.
#[derive(Clone, Debug)]
pub(super) struct Lexer {
    syntax: &'static Syntax,
    mode: Mode,
    /// The offset up to which the text was read.
    at: usize,
}

impl Lexer {
    pub(super) fn of(syntax: &'static Syntax) -> Self {
        Self { syntax, mode: Mode::Code, at: 0 }
    }

    /// Reads up to an offset; returns whether a string or a comment starts or ends before it.
    pub(super) fn crosses(&mut self, data: &[u8], to: usize) -> bool {
        let mut crossed = false;
        while self.at < to
            && let Some(rest) = data.get(self.at..)
            && let Some(&byte) = rest.first()
        {
            let (mode, length) = match self.mode {
                Mode::Code => self.open(rest),
                Mode::LineComment if byte == b'\n' => (Some(Mode::Code), 1),
                Mode::LineComment => (None, 1),
                Mode::Delimited(delimited) if rest.starts_with(delimited.close) => {
                    (Some(Mode::Code), delimited.close.len())
                }
                Mode::Delimited(delimited) if byte == b'\n' && !delimited.multiline => (Some(Mode::Code), 1),
                Mode::Delimited(delimited) if byte == b'\\' && delimited.escapes => (None, 2),
                Mode::Delimited(_) => (None, 1),
            };
            if let Some(mode) = mode {
                (self.mode, crossed) = (mode, true);
            }
            self.at += length;
        }
        crossed
    }

    /// Returns what starts here in code, and its length.
    fn open(&self, rest: &[u8]) -> (Option<Mode>, usize) {
        if let Some(delimited) = self.syntax.delimited.iter().find(|item| rest.starts_with(item.open)) {
            return (Some(Mode::Delimited(delimited)), delimited.open.len());
        }
        match self.syntax.line_comments.iter().find(|open| rest.starts_with(open)) {
            Some(open) => (Some(Mode::LineComment), open.len()),
            None => (None, 1),
        }
    }

    /// Continues in a piece of text that follows `data`.
    pub(super) fn next_piece(&mut self, data: &[u8]) {
        self.crosses(data, data.len());
        self.at -= data.len();
    }
}
