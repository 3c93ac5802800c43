//! The confidence of a detection in percent, from the evidence.

/// Confidences that do not depend on a model: of byte order marks and valid UTF-8; of escape sequences and signatures;
/// of data that is probably binary; and the most for data that cannot be decoded strictly.
pub(super) const SURE: u8 = 100;
pub(super) const ALMOST: u8 = 99;
pub(super) const LIKELY: u8 = 90;
pub(super) const EVEN: u8 = 50;

/// The cost in bits per byte of text that fits no language.
pub(super) const POOR: f32 = 6.5;

/// The share of detections that are right, in percent, by the lead in bits: lines between these points. Fitted to a
/// half of the samples of `benches/detection.py`, by a hash of their bytes; of the other half, 80 % are right where
/// the lead is 2 to 10 bits. Beyond the last the confidence is [`ALMOST`].
const CURVE: [(f32, f32); 9] = [
    (0.0, 50.0),
    (1.0, 60.0),
    (2.0, 75.0),
    (9.0, 79.0),
    (10.0, 91.0),
    (12.0, 94.0),
    (15.0, 96.0),
    (20.0, 98.0),
    (30.0, 99.0),
];

/// The lead in bits that halves the share of the doubt in the next encodings.
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
        let on_line = |line: &[(f32, f32)]| match *line {
            [(start, low), (end, high)] if self.lead < end => {
                Some(low + (high - low) * (self.lead - start) / (end - start))
            }
            _ => None,
        };
        let percent = CURVE.windows(2).find_map(on_line).unwrap_or(f32::from(ALMOST));
        (percent as u8).clamp(1, if self.is_poor() { EVEN } else { ALMOST })
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
