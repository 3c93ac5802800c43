//! A text as pieces: stretches of a frozen text with an index, and bytes that were inserted, in a B-tree whose nodes
//! hold the sums of their pieces.
//!
//! Pieces in a table are Charles Crowley's ("Data Structures for Text Sequences", 1998), in a tree with sums the nodes
//! of ropes (Hans Boehm, Russ Atkinson, Michael Plass, "Ropes: an Alternative to Strings", 1995). Here the sums are
//! numbers of marks, and the sums of a frozen stretch, however long, come from two ranks of the index. So the first
//! edit of a long text is as fast as any other, and only inserted text is owned.
//!
//! A line end may be cut: a CR at the end of a piece counts as a line end there, which is taken back where the next
//! piece starts with LF. So sums add up for any cut.
//!
//! The tree compacts itself: when a leaf has too many pieces, neighbours that are short together become one. What does
//! not keep the tree correct but only balanced is left undone where memory is exhausted.

use core::ops::Range;

use crate::allocation::{AllocError, Grow};
use crate::kernels;
use crate::kernels::offsets::{
    ABSENT, BYTES, CountMarks, FindMark, Index, KINDS, LINES, LineEnds, MarkPlace, Ranks, Select, Text,
    byte_at,
};

/// The maximum number of pieces or nodes in a node.
const MAX_CHILDREN: usize = 24;
/// The number in a node after a split, so that the next one is not near.
const SPLIT_CHILDREN: usize = MAX_CHILDREN * 2 / 3;
/// The maximum number of bytes in an owned piece.
const MAX_OWNED_BYTES: usize = 1024;
/// A stretch of the frozen text that is shorter becomes owned when it is cut: a piece of it would take more memory.
const MIN_FROZEN_BYTES: usize = 96;
/// The capacity of a new owned piece, at least.
const OWNED_CAPACITY: usize = 128;

/// The frozen text and its index.
#[derive(Clone, Copy)]
pub(super) struct Frozen<'a> {
    pub index: &'a Index,
    pub text: Text<'a>,
}

impl Frozen<'_> {
    fn line_ends(self) -> LineEnds {
        self.index.line_ends()
    }

    fn ranks(self, byte: usize) -> [usize; KINDS] {
        kernels::run(&Ranks { index: self.index, text: self.text, byte: byte.min(self.index.byte_count()) })
    }

    /// Returns whether a byte is LF.
    fn is_line_feed(self, byte: usize) -> bool {
        byte_at(self.text, byte) == b'\n'
    }

    /// Returns the sums of a stretch, given the marks before it and whether it starts with LF.
    fn sums(
        self,
        Range { start, end }: Range<usize>,
        before: [usize; KINDS],
        starts_with_line_feed: bool,
    ) -> Sums {
        let after = self.ranks(end);
        let last = byte_at(self.text, end.wrapping_sub(1));
        let ends_with_carriage_return = self.line_ends().is_carriage_return(last);
        let mut marks = [0; KINDS];
        for (kind, count) in marks.iter_mut().enumerate() {
            *count = after[kind].saturating_sub(before[kind]);
        }
        // In the frozen text it is not a mark if LF follows.
        marks[LINES] += usize::from(ends_with_carriage_return && self.is_line_feed(end));
        Sums { bytes: end - start, marks, starts_with_line_feed, ends_with_carriage_return }
    }

    /// Appends a stretch; bytes that the text has no longer are replaced.
    fn append_to(self, bytes: &mut Vec<u8>, range: Range<usize>) -> Result<(), AllocError> {
        let present = bytes.len();
        bytes.grow(range.len())?;
        bytes.resize(present + range.len(), ABSENT);
        self.text.copy_to(range.start, &mut bytes[present..]);
        Ok(())
    }
}

/// The numbers of bytes and marks of a stretch of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub bytes: usize,
    /// The marks of each kind. A CR at the end counts as a line end.
    pub marks: [usize; KINDS],
    starts_with_line_feed: bool,
    pub ends_with_carriage_return: bool,
}

impl Sums {
    /// Returns the sums of two neighbours together.
    #[inline]
    fn plus(self, next: Self) -> Self {
        if self.bytes == 0 {
            return next;
        }
        if next.bytes == 0 {
            return self;
        }
        let mut marks = [0; KINDS];
        for (kind, sum) in marks.iter_mut().enumerate() {
            *sum = self.marks[kind].saturating_add(next.marks[kind]);
        }
        marks[LINES] -=
            usize::from(self.ends_with_carriage_return & next.starts_with_line_feed).min(marks[LINES]);
        Self {
            bytes: self.bytes + next.bytes,
            marks,
            starts_with_line_feed: self.starts_with_line_feed,
            ends_with_carriage_return: next.ends_with_carriage_return,
        }
    }

    /// Returns the sums of bytes.
    fn of(bytes: &[u8], line_ends: LineEnds) -> Self {
        Self {
            bytes: bytes.len(),
            marks: kernels::run(&CountMarks { bytes, line_ends }),
            starts_with_line_feed: bytes.first() == Some(&b'\n'),
            ends_with_carriage_return: bytes.last().is_some_and(|&byte| line_ends.is_carriage_return(byte)),
        }
    }

    /// Returns the number of line ends, given whether LF follows.
    #[inline]
    fn lines_before(&self, line_feed: bool) -> usize {
        self.marks[LINES].saturating_sub(usize::from(self.ends_with_carriage_return & line_feed))
    }

    /// Returns the number of bytes or of marks of a kind, given whether LF follows.
    #[inline]
    fn count(&self, kind: usize, line_feed: bool) -> usize {
        match kind {
            BYTES => self.bytes,
            LINES => self.lines_before(line_feed),
            _ => self.marks[kind],
        }
    }
}

/// Where the bytes of a piece are.
enum PieceSource {
    /// In the frozen text.
    Frozen {
        start: usize,
        /// The marks of the frozen text before `start`.
        before: [usize; KINDS],
    },
    Owned(Vec<u8>),
}

/// A piece of the text; not empty.
struct Piece {
    sums: Sums,
    source: PieceSource,
}

impl Piece {
    /// Returns a stretch of the frozen text.
    fn frozen(frozen: Frozen<'_>, range: Range<usize>) -> Self {
        let before = frozen.ranks(range.start);
        let start = range.start;
        let sums = frozen.sums(range, before, frozen.is_line_feed(start));
        Self { sums, source: PieceSource::Frozen { start, before } }
    }

    /// Returns a copy.
    fn copied(&self) -> Result<Self, AllocError> {
        let source = match &self.source {
            &PieceSource::Frozen { start, before } => PieceSource::Frozen { start, before },
            PieceSource::Owned(bytes) => {
                let mut copy = Vec::new();
                copy.grow(bytes.capacity())?;
                copy.extend_from_slice(bytes);
                PieceSource::Owned(copy)
            }
        };
        Ok(Self { sums: self.sums, source })
    }

    fn owned(bytes: Vec<u8>, line_ends: LineEnds) -> Self {
        Self { sums: Sums::of(&bytes, line_ends), source: PieceSource::Owned(bytes) }
    }

    /// Returns the byte at `at`.
    fn byte(&self, frozen: Frozen<'_>, at: usize) -> u8 {
        match &self.source {
            PieceSource::Frozen { start, .. } => byte_at(frozen.text, start + at),
            PieceSource::Owned(bytes) => byte_at(Text::valid(bytes), at),
        }
    }

    /// Returns the sums of the bytes before `end`.
    fn sums_before(&self, frozen: Frozen<'_>, end: usize) -> Sums {
        match &self.source {
            _ if end == 0 => Sums::default(),
            PieceSource::Frozen { start, before } => {
                frozen.sums(*start..start + end, *before, self.sums.starts_with_line_feed)
            }
            PieceSource::Owned(bytes) => Sums::of(bytes.get(..end).unwrap_or(bytes), frozen.line_ends()),
        }
    }

    /// Returns the place of mark `n` of a kind, which the piece has.
    fn find(&self, frozen: Frozen<'_>, kind: usize, n: usize) -> MarkPlace {
        let last = MarkPlace { byte: self.sums.bytes - 1, second: false };
        match &self.source {
            PieceSource::Frozen { start, before } => {
                let n = before[kind].saturating_add(n);
                if n >= frozen.index.count(kind) {
                    return last;
                }
                let place = kernels::run(&Select { index: frozen.index, text: frozen.text, kind, n });
                // A CR at the end is not a mark of the frozen text if LF follows it there.
                let byte = place.byte.saturating_sub(*start);
                if byte > last.byte { last } else { MarkPlace { byte, ..place } }
            }
            PieceSource::Owned(bytes) => {
                kernels::run(&FindMark { bytes, line_ends: frozen.line_ends(), kind, n }).unwrap_or(last)
            }
        }
    }

    /// Appends a range of the bytes.
    fn append_to(
        &self,
        frozen: Frozen<'_>,
        range: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<(), AllocError> {
        match &self.source {
            PieceSource::Frozen { start, .. } => {
                frozen.append_to(out, start + range.start..start + range.end)
            }
            PieceSource::Owned(bytes) => {
                let bytes = bytes.get(range).unwrap_or_default();
                out.grow(bytes.len())?;
                out.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Removes the first bytes, fewer than there are.
    fn remove_first(&mut self, frozen: Frozen<'_>, count: usize) {
        match &mut self.source {
            PieceSource::Frozen { start, .. } => {
                let range = *start + count..*start + self.sums.bytes;
                *self = Self::frozen(frozen, range);
            }
            PieceSource::Owned(bytes) => {
                bytes.drain(..count.min(bytes.len()));
                self.sums = Sums::of(bytes, frozen.line_ends());
            }
        }
    }

    /// Appends the bytes of the next piece, which become owned with the bytes of this one. If memory is exhausted, both
    /// have the same bytes as before.
    fn append(&mut self, frozen: Frozen<'_>, next: &Self) -> Result<(), AllocError> {
        if let PieceSource::Frozen { .. } = self.source {
            let mut bytes = Vec::new();
            bytes.grow(MAX_OWNED_BYTES)?;
            self.append_to(frozen, 0..self.sums.bytes, &mut bytes)?;
            self.source = PieceSource::Owned(bytes);
        }
        if let PieceSource::Owned(bytes) = &mut self.source {
            next.append_to(frozen, 0..next.sums.bytes, bytes)?;
        }
        self.sums = self.sums.plus(next.sums);
        Ok(())
    }
}

/// A child in which a byte or a mark was found.
struct FoundChild<'a, T> {
    child: &'a T,
    /// The number of the byte or mark in it.
    n: usize,
    /// The sums of the text before it.
    before: Sums,
    /// Whether LF follows it.
    line_feed: bool,
}

/// A piece or a node.
trait Child: Sized {
    fn sums(&self) -> Sums;

    /// Returns the index of the first child that reaches byte `byte`, or of the last one, and where it starts.
    fn reaching(children: &[Self], byte: usize) -> (usize, usize) {
        let mut start = 0;
        for (index, child) in children.iter().enumerate() {
            let end = start + child.sums().bytes;
            if byte <= end || index + 1 == children.len() {
                return (index, start);
            }
            start = end;
        }
        (0, 0)
    }

    /// Returns the child that has byte `n`, or mark `n` of a kind, given the sums of the text before all children and
    /// whether LF follows them.
    fn having(
        children: &[Self],
        kind: usize,
        mut n: usize,
        before: Sums,
        line_feed: bool,
    ) -> Option<FoundChild<'_, Self>> {
        for (index, child) in children.iter().enumerate() {
            let line_feed =
                children.get(index + 1).map_or(line_feed, |next| next.sums().starts_with_line_feed);
            let count = child.sums().count(kind, line_feed);
            if n < count {
                // Not while searching, so that the search continues in the child before all is added up.
                let before = children[..index].iter().fold(before, |sums, child| sums.plus(child.sums()));
                return Some(FoundChild { child, n, before, line_feed });
            }
            n -= count;
        }
        None
    }

    /// Removes children that are within the first `count` bytes, and returns how many of these are left.
    fn remove_first(children: &mut Vec<Self>, mut count: usize) -> usize {
        let mut removed = 0;
        for child in children.iter() {
            let bytes = child.sums().bytes;
            if bytes > count {
                break;
            }
            count -= bytes;
            removed += 1;
        }
        children.drain(..removed);
        if children.is_empty() { 0 } else { count }
    }

    /// Divides children among nodes of about equal size.
    fn divide(children: &mut Vec<Self>) -> Result<Vec<Vec<Self>>, AllocError> {
        let count = children.len().div_ceil(SPLIT_CHILDREN).max(1);
        let size = children.len().div_ceil(count);
        let mut parts = Vec::new();
        parts.grow(count)?;
        for _ in 0..count {
            let mut part = Vec::new();
            part.grow(MAX_CHILDREN)?;
            parts.push(part);
        }
        let mut rest = children.drain(..);
        for part in &mut parts {
            part.extend(rest.by_ref().take(size));
        }
        Ok(parts)
    }
}

impl Child for Piece {
    #[inline]
    fn sums(&self) -> Sums {
        self.sums
    }
}

impl Child for Node {
    #[inline]
    fn sums(&self) -> Sums {
        self.sums
    }
}

enum Children {
    Pieces(Vec<Piece>),
    Nodes(Vec<Node>),
}

impl Children {
    fn len(&self) -> usize {
        match self {
            Self::Pieces(pieces) => pieces.len(),
            Self::Nodes(nodes) => nodes.len(),
        }
    }

    fn sums(&self) -> Sums {
        fn total<T: Child>(children: &[T]) -> Sums {
            children.iter().fold(Sums::default(), |sums, child| sums.plus(child.sums()))
        }
        match self {
            Self::Pieces(pieces) => total(pieces),
            Self::Nodes(nodes) => total(nodes),
        }
    }

    /// Divides the children among nodes.
    fn divide(&mut self) -> Result<Vec<Node>, AllocError> {
        fn nodes<T: Child>(
            children: &mut Vec<T>,
            wrap: fn(Vec<T>) -> Children,
        ) -> Result<Vec<Node>, AllocError> {
            let mut nodes = Vec::new();
            nodes.grow(children.len().div_ceil(SPLIT_CHILDREN).max(MAX_CHILDREN))?;
            nodes.extend(T::divide(children)?.into_iter().map(|part| Node::new(wrap(part))));
            Ok(nodes)
        }
        match self {
            Self::Pieces(pieces) => nodes(pieces, Self::Pieces),
            Self::Nodes(children) => nodes(children, Self::Nodes),
        }
    }
}

struct Node {
    sums: Sums,
    children: Children,
}

impl Node {
    fn new(children: Children) -> Self {
        Self { sums: children.sums(), children }
    }

    /// Returns a copy.
    fn copied(&self) -> Result<Self, AllocError> {
        fn copies<T>(children: &[T], copied: fn(&T) -> Result<T, AllocError>) -> Result<Vec<T>, AllocError> {
            let mut copies = Vec::new();
            copies.grow(MAX_CHILDREN.max(children.len()))?;
            for child in children {
                copies.push(copied(child)?);
            }
            Ok(copies)
        }
        let children = match &self.children {
            Children::Pieces(pieces) => Children::Pieces(copies(pieces, Piece::copied)?),
            Children::Nodes(nodes) => Children::Nodes(copies(nodes, Self::copied)?),
        };
        Ok(Self { sums: self.sums, children })
    }

    /// Replaces a range of bytes. If memory is exhausted, nothing has changed.
    fn replace(&mut self, frozen: Frozen<'_>, range: Range<usize>, data: &[u8]) -> Result<(), AllocError> {
        match &mut self.children {
            Children::Pieces(pieces) => replace_in_leaf(pieces, frozen, range, data)?,
            Children::Nodes(nodes) => {
                let (first, start) = Child::reaching(nodes, range.start);
                let (last, last_start) = Child::reaching(nodes, range.end);
                let Some(node) = nodes.get_mut(first) else { return Ok(()) };
                let end = range.end.min(start + node.sums.bytes);
                // All that allocates comes first.
                node.replace(frozen, range.start - start..end - start, data)?;
                if last > first {
                    if let Some(node) = nodes.get_mut(last) {
                        node.remove_first(frozen, range.end - last_start);
                    }
                    nodes.drain(first + 1..last);
                }
                balance(nodes, first);
            }
        }
        self.sums = self.children.sums();
        Ok(())
    }

    /// Returns the piece that has byte `n`, or mark `n` of a kind, if this is the root.
    fn having(&self, kind: usize, n: usize) -> Option<FoundChild<'_, Piece>> {
        let mut found = FoundChild { child: self, n, before: Sums::default(), line_feed: false };
        loop {
            let FoundChild { child: node, n, before, line_feed } = found;
            match &node.children {
                Children::Nodes(nodes) => found = Child::having(nodes, kind, n, before, line_feed)?,
                Children::Pieces(pieces) => return Child::having(pieces, kind, n, before, line_feed),
            }
        }
    }

    /// Removes the first bytes.
    fn remove_first(&mut self, frozen: Frozen<'_>, count: usize) {
        match &mut self.children {
            Children::Pieces(pieces) => {
                let left = Child::remove_first(pieces, count);
                if let Some(piece) = pieces.first_mut().filter(|_| left > 0) {
                    piece.remove_first(frozen, left);
                }
            }
            Children::Nodes(nodes) => {
                let left = Child::remove_first(nodes, count);
                if let Some(node) = nodes.first_mut().filter(|_| left > 0) {
                    node.remove_first(frozen, left);
                }
            }
        }
        self.sums = self.children.sums();
    }

    /// Appends a range of the bytes.
    fn append_to(
        &self,
        frozen: Frozen<'_>,
        range: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<(), AllocError> {
        let mut start = 0;
        let mut part = |bytes: usize| {
            let part = range.start.clamp(start, start + bytes) - start
                ..range.end.clamp(start, start + bytes) - start;
            start += bytes;
            part
        };
        match &self.children {
            Children::Pieces(pieces) => {
                for piece in pieces {
                    piece.append_to(frozen, part(piece.sums.bytes), out)?;
                }
            }
            Children::Nodes(nodes) => {
                for node in nodes {
                    let part = part(node.sums.bytes);
                    if !part.is_empty() {
                        node.append_to(frozen, part, out)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Replaces a range of the bytes of some pieces. If memory is exhausted, nothing has changed.
fn replace_in_leaf(
    pieces: &mut Vec<Piece>,
    frozen: Frozen<'_>,
    range: Range<usize>,
    data: &[u8],
) -> Result<(), AllocError> {
    let (first, start) = Child::reaching(pieces, range.start);
    let (last, last_start) = Child::reaching(pieces, range.end);
    if first == last
        && let Some(piece) = pieces.get_mut(first)
        && let PieceSource::Owned(bytes) = &mut piece.source
        && bytes.len() - range.len() + data.len() <= MAX_OWNED_BYTES
    {
        bytes.grow(data.len())?;
        bytes.splice(range.start - start..range.end - start, data.iter().copied());
        piece.sums = Sums::of(bytes, frozen.line_ends());
        if piece.sums.bytes == 0 {
            pieces.remove(first);
        }
        return Ok(());
    }
    let mut new = NewPieces { frozen, pieces: Vec::new(), bytes: Vec::new() };
    if let Some(piece) = pieces.get(first) {
        new.push_part(piece, 0..range.start - start)?;
    }
    new.bytes.grow(data.len())?;
    new.bytes.extend_from_slice(data);
    if let Some(piece) = pieces.get(last) {
        new.push_part(piece, range.end - last_start..piece.sums.bytes)?;
    }
    new.flush()?;
    pieces.grow(new.pieces.len())?;
    let replaced = if pieces.is_empty() { 0..0 } else { first..last + 1 };
    pieces.splice(replaced, new.pieces);
    if pieces.len() > MAX_CHILDREN {
        compact(pieces, frozen);
    }
    Ok(())
}

/// Pieces that are to replace others.
struct NewPieces<'a> {
    frozen: Frozen<'a>,
    pieces: Vec<Piece>,
    /// Bytes of the next owned pieces.
    bytes: Vec<u8>,
}

impl NewPieces<'_> {
    /// Adds a part of a piece, which becomes owned with its neighbours if it is short.
    fn push_part(&mut self, piece: &Piece, range: Range<usize>) -> Result<(), AllocError> {
        match &piece.source {
            PieceSource::Frozen { start, .. } if range.len() >= MIN_FROZEN_BYTES => {
                self.flush()?;
                self.pieces.grow(1)?;
                self.pieces.push(Piece::frozen(self.frozen, start + range.start..start + range.end));
                Ok(())
            }
            _ => piece.append_to(self.frozen, range, &mut self.bytes),
        }
    }

    /// Makes owned pieces of the bytes.
    fn flush(&mut self) -> Result<(), AllocError> {
        let count = self.bytes.len().div_ceil(MAX_OWNED_BYTES);
        self.pieces.grow(count)?;
        for bytes in self.bytes.chunks(self.bytes.len().div_ceil(count.max(1)).max(1)) {
            let mut owned = Vec::new();
            owned.grow(
                (bytes.len() + bytes.len() / 4).clamp(OWNED_CAPACITY, MAX_OWNED_BYTES).max(bytes.len()),
            )?;
            owned.extend_from_slice(bytes);
            self.pieces.push(Piece::owned(owned, self.frozen.line_ends()));
        }
        self.bytes.clear();
        Ok(())
    }
}

/// Makes one owned piece of neighbours that are short together.
fn compact(pieces: &mut Vec<Piece>, frozen: Frozen<'_>) {
    let mut kept = 0;
    for index in 1..pieces.len() {
        let (before, rest) = pieces.split_at_mut(index);
        let (previous, piece) = (&mut before[kept], &rest[0]);
        let short = previous.sums.bytes + piece.sums.bytes <= MAX_OWNED_BYTES;
        if !(short && previous.append(frozen, piece).is_ok()) {
            kept += 1;
            pieces.swap(kept, index);
        }
    }
    pieces.truncate(kept + 1);
}

/// Removes the node at `index` or the next one if it is empty, splits it if it is too long, and joins neighbours that
/// are short.
fn balance(nodes: &mut Vec<Node>, index: usize) {
    for index in [index + 1, index] {
        match nodes.get(index) {
            Some(node) if node.sums.bytes == 0 => drop(nodes.remove(index)),
            Some(node) if node.children.len() > MAX_CHILDREN => split(nodes, index),
            _ => {}
        }
    }
    for index in [Some(index), index.checked_sub(1)].into_iter().flatten() {
        if let Some([node, next]) = nodes.get(index..).and_then(<[Node]>::first_chunk)
            && node.children.len() + next.children.len() <= MAX_CHILDREN / 2
        {
            join(nodes, index);
        }
    }
}

/// Splits a node, unless memory is exhausted.
fn split(nodes: &mut Vec<Node>, index: usize) {
    let parts = nodes[index].children.len().div_ceil(SPLIT_CHILDREN);
    if nodes.grow(parts).is_ok()
        && let Ok(parts) = nodes[index].children.divide()
    {
        nodes.splice(index..index + 1, parts);
    }
}

/// Joins a node and the next one, unless memory is exhausted.
fn join(nodes: &mut Vec<Node>, index: usize) {
    fn append<T>(children: &mut Vec<T>, next: &mut Vec<T>) -> bool {
        let has_capacity = children.grow(next.len()).is_ok();
        if has_capacity {
            children.append(next);
        }
        has_capacity
    }
    let (before, after) = nodes.split_at_mut(index + 1);
    let (node, next) = (&mut before[index], &mut after[0]);
    let joined = match (&mut node.children, &mut next.children) {
        (Children::Pieces(children), Children::Pieces(next)) => append(children, next),
        (Children::Nodes(children), Children::Nodes(next)) => append(children, next),
        // All leaves have the same depth.
        _ => false,
    };
    if joined {
        node.sums = node.children.sums();
        nodes.remove(index + 1);
    }
}

/// The marks before a byte, and the byte.
#[derive(Clone, Copy)]
pub(super) struct Preceding {
    /// The numbers of marks. A CR at the end is not a line end if LF follows.
    pub marks: [usize; KINDS],
    /// Whether the byte before is a CR.
    pub carriage_return: bool,
    /// The byte; `None` at the end.
    pub byte: Option<u8>,
}

/// The text.
pub(super) struct Pieces {
    root: Node,
}

impl Pieces {
    /// Returns all of the frozen text.
    pub fn new(frozen: Frozen<'_>) -> Result<Self, AllocError> {
        let mut pieces = Vec::new();
        if frozen.index.byte_count() > 0 {
            pieces.grow(MAX_CHILDREN)?;
            pieces.push(Piece::frozen(frozen, 0..frozen.index.byte_count()));
        }
        Ok(Self { root: Node::new(Children::Pieces(pieces)) })
    }

    /// Returns a copy.
    pub fn copied(&self) -> Result<Self, AllocError> {
        Ok(Self { root: self.root.copied()? })
    }

    /// Returns the sums of the text.
    pub fn sums(&self) -> &Sums {
        &self.root.sums
    }

    /// Returns a cursor, which has not found anything yet.
    pub fn cursor<'a>(&'a self, frozen: Frozen<'a>) -> Cursor<'a> {
        Cursor { frozen, root: &self.root, piece: None }
    }

    /// Replaces a range of bytes, which must be in the text. If memory is exhausted, nothing has changed.
    pub fn replace(
        &mut self,
        frozen: Frozen<'_>,
        range: Range<usize>,
        data: &[u8],
    ) -> Result<(), AllocError> {
        self.root.replace(frozen, range, data)?;
        while self.root.children.len() > MAX_CHILDREN {
            let Ok(nodes) = self.root.children.divide() else { break };
            self.root = Node::new(Children::Nodes(nodes));
        }
        while let Children::Nodes(nodes) = &mut self.root.children
            && nodes.len() <= 1
        {
            self.root = nodes.pop().unwrap_or_else(|| Node::new(Children::Pieces(Vec::new())));
        }
        Ok(())
    }

    /// Appends a range of the bytes.
    pub fn append_to(
        &self,
        frozen: Frozen<'_>,
        range: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<(), AllocError> {
        self.root.append_to(frozen, range, out)
    }
}

/// Lookups in the text that are near each other: each starts in the piece of the one before, so that usually only the
/// first one goes down the tree.
pub(super) struct Cursor<'a> {
    frozen: Frozen<'a>,
    root: &'a Node,
    /// The piece that was found last.
    piece: Option<FoundChild<'a, Piece>>,
}

impl<'a> Cursor<'a> {
    /// Returns the marks before a byte, whose offset must be at most the length of the text.
    pub fn before(&mut self, byte: usize) -> Preceding {
        let frozen = self.frozen;
        let Some(&FoundChild { child: piece, n: at, before, .. }) = self.having(BYTES, byte) else {
            let Sums { marks, ends_with_carriage_return: carriage_return, .. } = self.root.sums;
            return Preceding { marks, carriage_return, byte: None };
        };
        let here = piece.byte(frozen, at);
        let mut all = before.plus(piece.sums_before(frozen, at));
        all.marks[LINES] = all.lines_before(here == b'\n');
        Preceding { marks: all.marks, carriage_return: all.ends_with_carriage_return, byte: Some(here) }
    }

    /// Returns byte `at`; `None` at the end.
    pub fn byte(&mut self, at: usize) -> Option<u8> {
        let frozen = self.frozen;
        let &FoundChild { child: piece, n: at, .. } = self.having(BYTES, at)?;
        Some(piece.byte(frozen, at))
    }

    /// Returns the place of mark `n` of a kind; the end if there is none.
    pub fn find(&mut self, kind: usize, n: usize) -> MarkPlace {
        let frozen = self.frozen;
        let Some(&FoundChild { child: piece, n, before, .. }) = self.having(kind, n) else {
            return MarkPlace { byte: self.root.sums.bytes, second: false };
        };
        let place = piece.find(frozen, kind, n);
        MarkPlace { byte: before.bytes + place.byte, ..place }
    }

    /// Returns the piece that has byte `n`, or mark `n` of a kind.
    fn having(&mut self, kind: usize, n: usize) -> Option<&FoundChild<'a, Piece>> {
        let in_last =
            self.piece.as_ref().and_then(|&FoundChild { child: piece, before, line_feed, .. }| {
                let n = n.checked_sub(before.count(kind, piece.sums.starts_with_line_feed))?;
                (n < piece.sums.count(kind, line_feed)).then_some(FoundChild {
                    child: piece,
                    n,
                    before,
                    line_feed,
                })
            });
        self.piece = in_last.or_else(|| self.root.having(kind, n));
        self.piece.as_ref()
    }
}
