//! The confidence of a detection in percent, from the evidence.

/// Confidences that do not depend on a model: of byte order marks and valid UTF-8; of escape sequences and signatures;
/// of data that is probably binary; and the most for data that cannot be decoded strictly.
pub(super) const SURE: u8 = 100;
pub(super) const ALMOST: u8 = 99;
pub(super) const LIKELY: u8 = 90;
pub(super) const EVEN: u8 = 50;

/// The cost in bits per byte of text that fits no language.
pub(super) const POOR: f32 = 6.5;

/// The lead in bits that halves the doubt.
const DOUBT: f32 = 6.0;

/// What supports the most likely legacy encoding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// How many bits the next encoding that gives another text costs more.
    pub lead: f32,
    /// The number of bytes that were scored in full, and their cost in bits.
    pub read: usize,
    pub cost: f32,
}

impl Evidence {
    /// Returns whether the text fits no language.
    pub(super) fn is_poor(self) -> bool {
        self.cost > POOR * self.read as f32
    }

    /// Returns the confidence in the most likely legacy encoding in percent.
    pub(super) fn percent(self) -> u8 {
        let percent = (100.0 * (1.0 - (-self.lead / DOUBT).exp2())) as u8;
        percent.clamp(1, if self.is_poor() { EVEN } else { ALMOST })
    }
}

/// Divides the doubt that is left by `percent` for the first among the others, by the bits that they are behind it.
pub(super) fn shares(percent: u8, behind: &[f32]) -> impl Iterator<Item = u8> {
    let weight = |bits: f32| (-bits / DOUBT).exp2();
    let total: f32 = behind.iter().map(|&bits| weight(bits)).sum();
    let doubt = f32::from(SURE - percent);
    behind
        .iter()
        .map(move |&bits| ((doubt * weight(bits) / total.max(f32::MIN_POSITIVE)) as u8).clamp(1, percent))
}
