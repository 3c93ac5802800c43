//! The use of characters in any language: which class follows which, and the share of a character in its class.
//!
//! `model/signs.bin` has the counts of message catalogues. A class is a general category, with the script of
//! letters, or ASCII. Letters of one script after each other are scored in pairs ([`letters`](super::letters)), so that
//! only their case is scored here.

use std::sync::LazyLock;

use super::packed::{take, take_some, take_u16};
use super::script::Script;

/// Made by `model/make.py`.
static PACKED: &[u8] = include_bytes!("model/signs.bin");

/// The class of a space.
const SPACE: u8 = 0;

/// The class of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class(u8);

impl Class {
    pub(super) const SPACE: Self = Self(SPACE);
}

/// The state of the text before a character: the class of the last one, or capitals in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeState(u8);

impl ShapeState {
    pub(super) const START: Self = Self(SPACE);
}

/// The counts.
pub(super) struct Classes {
    /// The number of classes.
    count: usize,
    /// For each state and class the cost in eighths of a bit, and the state after it.
    steps: Vec<(u8, ShapeState)>,
    /// Whether the class after it is of its capitals.
    small: Vec<bool>,
    /// The script whose letters a class has, if they are scored in pairs.
    scripts: Vec<Script>,
    /// The first code points of ranges with the same class, with the class; of capitals it is the class of the small
    /// letters.
    ranges: Vec<(u32, u8)>,
    /// The cost of a character that was not seen, for each class; and the others that were.
    unseen: &'static [u8],
    /// The costs of the same character after one of each class, and of another one of that class.
    same: &'static [u8],
    other: &'static [u8],
    seen: Vec<(u16, u8)>,
    /// The cost of a letter that no language of the model has, for each script with pairs.
    strange: &'static [u8],
    /// The classes of private and of unassigned characters.
    no_text: [Class; 2],
}

impl Classes {
    /// The next state of a class that does not change it.
    const KEEP: u8 = u8::MAX;
    /// The mark of small letters, whose capitals are the next class.
    const SMALL: u8 = u8::MAX - 1;

    pub(super) fn get() -> &'static Self {
        static CLASSES: LazyLock<Classes> = LazyLock::new(Classes::unpack);
        &CLASSES
    }

    fn unpack() -> Self {
        let mut packed = PACKED;
        let [count, states] = take(&mut packed).map(usize::from);
        let costs = take_some(&mut packed, count * states);
        let after = take_some(&mut packed, count);
        let steps = costs.iter().enumerate().map(|(index, &cost)| {
            let (state, class) = (index / count, index % count);
            let next = match after[class] {
                Self::KEEP => state,
                0 | Self::SMALL => class,
                capitals if state == class || state == usize::from(capitals) => capitals.into(),
                _ => class,
            };
            (cost, ShapeState(next as u8))
        });
        let steps = steps.collect();
        let small = after.iter().map(|&after| after == Self::SMALL).collect();
        let scripts =
            take_some(&mut packed, count).iter().map(|&script| Script::PAIRED[usize::from(script)]).collect();
        let number = take_u16(&mut packed);
        let ranges = (0..number).map(|_| {
            let range = u32::from_le_bytes(*take(&mut packed));
            (range >> 8, range as u8)
        });
        let ranges = ranges.collect();
        let [unseen, same, other] = core::array::from_fn(|_| take_some(&mut packed, count));
        let number = take_u16(&mut packed);
        let seen = (0..number).map(|_| (take_u16(&mut packed), take::<1>(&mut packed)[0])).collect();
        let no_text = [Class::SPACE; 2];
        let mut classes = Self {
            count,
            steps,
            small,
            scripts,
            ranges,
            unseen,
            same,
            other,
            seen,
            strange: packed,
            no_text,
        };
        classes.no_text = ['\u{E000}', '\u{FFFF}'].map(|character| classes.of(character));
        classes
    }

    /// Returns the class of a character.
    pub(super) fn of(&self, character: char) -> Class {
        let code = u32::from(character);
        let range = self.ranges.partition_point(|&(start, _)| start <= code);
        let class = self.ranges[range.max(1) - 1].1;
        let mut small = character.to_lowercase();
        let is_capital = small.next() != Some(character) && small.next().is_none();
        Class(class + u8::from(is_capital && self.small[usize::from(class)]))
    }

    /// Returns whether text may have characters of a class: it is not of unassigned or private characters.
    pub(super) fn is_text(&self, class: Class) -> bool {
        !self.no_text.contains(&class)
    }

    /// Returns the script of the letters of a class, if their pairs are scored.
    pub(super) fn script(&self, class: Class) -> Script {
        self.scripts[usize::from(class.0)]
    }

    /// Returns the cost of a character within its class, in eighths of a bit.
    pub(super) fn cost(&self, class: Class, character: char) -> u8 {
        let seen = u16::try_from(u32::from(character))
            .ok()
            .and_then(|code| self.seen.binary_search_by_key(&code, |&(seen, _)| seen).ok());
        seen.map_or(self.unseen[usize::from(class.0)], |place| self.seen[place].1)
    }

    /// Returns the additional cost of a character after one of its class, in eighths of a bit.
    #[inline]
    pub(super) fn other(&self, class: Class) -> u8 {
        self.other[usize::from(class.0)]
    }

    /// Returns the cost within its class of a character that is repeated, in eighths of a bit.
    #[inline]
    pub(super) fn same(&self, class: Class) -> u8 {
        self.same[usize::from(class.0)]
    }

    /// Returns the cost of a letter of a script that no language of the model has, in eighths of a bit.
    pub(super) fn strange(&self, script: Script) -> u8 {
        self.strange[script as usize - 1]
    }

    /// Returns the cost of a character of this class in eighths of a bit, and the state after it.
    #[inline]
    pub(super) fn then(&self, state: ShapeState, class: Class) -> (u8, ShapeState) {
        self.steps[usize::from(state.0) * self.count + usize::from(class.0)]
    }
}
