//! The use of characters in any language: capitals start words or fill them, symbols are beside spaces. A symbol inside
//! a word is probably a letter decoded in a wrong encoding.

/// The kind of a character in relation to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum CharKind {
    Space,
    Lower,
    Upper,
    /// A letter of a script without capitals.
    Plain,
    /// A combining mark.
    Mark,
    Digit,
    Opening,
    Closing,
    /// Can be between letters.
    Joiner,
    /// Can be anywhere.
    Symbol,
    /// Is beside numbers, or alone.
    Odd,
    /// A superscript after a letter or a digit.
    Raised,
    /// A box-drawing character.
    Box,
    Control,
}

impl CharKind {
    const COUNT: usize = Self::Control as usize + 1;
}

/// The state of the text before a character.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeState(u8);

/// The state after two capitals. After another character it is the kind of the character.
const CAPITALS: u8 = CharKind::COUNT as u8;
const STATES: usize = CharKind::COUNT + 1;

/// The costs of a kind after a state in bits.
#[rustfmt::skip]
const BITS: [[f32; CharKind::COUNT]; STATES] = [
    // Sp   Lo    Up    Pl   Ma    Di   Op    Cl   Jo   Sy   Od   Ra    Bo    Co
    [1.5,  0.3,  2.5,  0.3, 8.0,  1.5, 0.5,  2.5, 3.0, 1.0, 1.0, 6.0, 10.0,  0.0], // Space
    [0.0,  0.0,  9.0,  0.0, 0.0,  5.0, 5.0,  0.0, 1.0, 2.0, 5.0, 4.0, 12.0,  2.0], // Lower
    [1.0,  0.3,  3.0,  0.0, 0.0,  2.0, 5.0,  1.0, 1.0, 2.0, 5.0, 4.0, 12.0,  2.0], // Upper
    [0.0,  0.0,  0.0,  0.0, 0.0,  3.0, 2.0,  0.0, 1.0, 2.0, 3.0, 4.0, 12.0,  2.0], // Plain
    [0.0,  0.0,  9.0,  0.0, 0.0,  3.0, 4.0,  0.0, 1.0, 2.0, 5.0, 4.0, 12.0,  2.0], // Mark
    [0.5,  4.0,  4.0,  1.5, 8.0, -1.0, 4.0,  0.0, 0.0, 1.0, 1.0, 2.0, 10.0,  2.0], // Digit
    [4.0,  0.5,  1.0,  0.3, 8.0,  1.5, 2.0,  3.0, 3.0, 1.5, 3.0, 8.0, 10.0,  2.0], // Opening
    [0.0,  4.0,  4.0,  0.5, 8.0,  3.0, 2.0,  1.0, 3.0, 2.0, 4.0, 4.0, 10.0,  2.0], // Closing
    [0.3,  1.0,  2.0,  0.5, 8.0,  1.0, 3.0,  2.0, 2.0, 2.0, 5.0, 8.0, 10.0,  2.0], // Joiner
    [1.0,  1.0,  2.0,  0.5, 8.0,  1.5, 2.0,  2.0, 2.0, 0.5, 4.0, 8.0, 10.0,  2.0], // Symbol
    [0.5,  4.0,  4.0,  3.0, 8.0,  1.0, 4.0,  3.0, 4.0, 3.0, 3.0, 8.0, 10.0,  2.0], // Odd
    [0.3,  8.0,  8.0,  4.0, 8.0,  5.0, 5.0,  0.5, 2.0, 3.0, 6.0, 6.0, 12.0,  2.0], // Raised
    [1.0,  5.0,  5.0,  5.0, 8.0,  5.0, 8.0,  8.0, 8.0, 8.0, 8.0, 8.0,  0.0,  2.0], // Box
    [2.0,  2.0,  2.0,  2.0, 8.0,  2.0, 2.0,  2.0, 2.0, 2.0, 4.0, 4.0,  4.0,  0.0], // Control
    [0.5,  6.0,  0.3,  0.0, 0.0,  2.0, 5.0,  0.5, 1.0, 2.0, 5.0, 4.0, 12.0,  2.0], // two capitals
];

/// The transitions: the cost of the next character in eighths of a bit, and the state after it.
static STEPS: [[(i8, ShapeState); CharKind::COUNT]; STATES] = {
    let mut steps = [[(0, ShapeState(0)); CharKind::COUNT]; STATES];
    let mut state = 0;
    while state < STATES {
        let mut kind = 0;
        while kind < CharKind::COUNT {
            let capital = state == CharKind::Upper as usize || state == CAPITALS as usize;
            let next = if kind == CharKind::Mark as usize {
                state as u8
            } else if kind == CharKind::Upper as usize && capital {
                CAPITALS
            } else {
                kind as u8
            };
            steps[state][kind] = ((BITS[state][kind] * 8.0) as i8, ShapeState(next));
            kind += 1;
        }
        state += 1;
    }
    steps
};

impl ShapeState {
    pub(super) const START: Self = Self(CharKind::Space as u8);

    /// Returns the cost of a character of this kind in eighths of a bit, and the state after it.
    #[inline]
    pub(super) fn then(self, kind: CharKind) -> (i8, Self) {
        STEPS[usize::from(self.0)][kind as usize]
    }
}
