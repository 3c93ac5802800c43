//! What people do in any language: capitals stand at the start of words or fill them, signs stand beside
//! spaces, and where one wrong reading makes a sign of a letter, it stands in the middle of a word.

/// What a character is to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Space,
    Lower,
    Upper,
    /// A letter of a script that has no capitals.
    Plain,
    /// On the letter before.
    Mark,
    Digit,
    Opening,
    Closing,
    /// May stand between letters.
    Joiner,
    /// May stand anywhere.
    Symbol,
    /// Stands with numbers, or alone.
    Odd,
    /// Small and high, after a letter or a digit.
    Raised,
    /// A part of a line or of a box.
    Box,
    Control,
}

impl Kind {
    const COUNT: usize = Self::Control as usize + 1;
}

/// What is known of the text before a character.
#[derive(Clone, Copy, Debug)]
pub(super) struct State(u8);

/// The state after two capitals; after anything else it is its kind.
const CAPITALS: u8 = Kind::COUNT as u8;
const STATES: usize = Kind::COUNT + 1;

/// What a kind costs after another, in bits, by the state before and then the kind.
#[rustfmt::skip]
const BITS: [[f32; Kind::COUNT]; STATES] = [
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

/// Where the next character leads: what it costs, in eighths of a bit, and the state after it.
static STEPS: [[(i8, State); Kind::COUNT]; STATES] = {
    let mut steps = [[(0, State(0)); Kind::COUNT]; STATES];
    let mut state = 0;
    while state < STATES {
        let mut kind = 0;
        while kind < Kind::COUNT {
            let capital = state == Kind::Upper as usize || state == CAPITALS as usize;
            let next = if kind == Kind::Mark as usize {
                state as u8
            } else if kind == Kind::Upper as usize && capital {
                CAPITALS
            } else {
                kind as u8
            };
            steps[state][kind] = ((BITS[state][kind] * 8.0) as i8, State(next));
            kind += 1;
        }
        state += 1;
    }
    steps
};

impl State {
    pub(super) const START: Self = Self(Kind::Space as u8);

    /// What a character of this kind costs here, in eighths of a bit, and the state after it.
    #[inline]
    pub(super) fn then(self, kind: Kind) -> (i8, Self) {
        STEPS[usize::from(self.0)][kind as usize]
    }
}
