//! The tiers of validation: sequences of boundary bytes, and of any bytes, at each place around the edges of vectors,
//! steps, runs and stretches, within text that each tier holds.

use super::reference;

use reference::{BOUNDARY_BYTES, Random, all_or_fewer, in_parallel, on_every_implementation};

/// Text that one tier holds, and no cheaper one: of two bytes, of three from E1 to EC, with E0, and with ED and EF.
/// The last is for all text.
const FILLS: [&str; 5] = ["é", "€", "ก", "한，", "😀"];

/// Text whose address is a multiple of a cache line.
#[repr(align(64))]
struct Text([u8; 4096]);

/// Stretches of 256, 512, 1024 and 2048 bytes follow the first block, the last two by tiers; their runs have 256 bytes,
/// then 1024.
const EDGES: [usize; 8] = [64, 320, 832, 864, 1088, 1856, 2112, 3136];

/// Returns text that is filled over and over, at most a character short of the end.
fn filled(fill: &str) -> (Text, Vec<usize>) {
    let mut text = Text([b'-'; 4096]);
    let mut starts = vec![0];
    for char in fill.chars().cycle() {
        let start = *starts.last().unwrap();
        let Some(place) = text.0.get_mut(start..start + char.len_utf8()) else { break };
        char.encode_utf8(place);
        starts.push(start + char.len_utf8());
    }
    (text, starts)
}

/// Puts sequences at a place, and ASCII up to the end of the character there, and asks for the first error.
fn check_at(fill: &str, place: usize, sequences: impl Iterator<Item = [u8; 4]>) {
    let (mut text, starts) = filled(fill);
    let end = *starts.iter().find(|&&start| start >= place + 4).unwrap();
    let start = *starts.iter().rfind(|&&start| start <= place).unwrap();
    text.0[place + 4..end].fill(b'-');
    for sequence in sequences {
        text.0[place..place + 4].copy_from_slice(&sequence);
        let expected = reference::foreign_first_span(&text.0[start..end]);
        let expected = expected.map(|(from, to)| (from + start, to + start));
        on_every_implementation(|implementation| {
            let valid = implementation.is_valid(&text.0);
            let name = implementation.name();
            assert_eq!(valid, expected.is_none(), "{name}, {fill}, {place}, {sequence:02x?}");
            if !valid {
                let found = implementation.validate(&text.0).err().map(reference::Error::from);
                let found = found.map(|error| (error.start, error.end));
                assert_eq!(found, expected, "{name}, {fill}, {place}, {sequence:02x?}");
            }
        });
    }
}

/// Returns the sequence of boundary bytes of a number.
fn of_boundary_bytes(number: usize) -> [u8; 4] {
    let base = BOUNDARY_BYTES.len();
    [0, 1, 2, 3].map(|at| BOUNDARY_BYTES[number / base.pow(at) % base])
}

#[test]
fn sequences_of_boundary_bytes_around_all_edges() {
    // Prime, so that all bytes have their turn at each place. All sequences would take half an hour.
    let step = all_or_fewer(101, 997, "around edges: every 997th sequence of boundary bytes");
    let places: Vec<usize> = EDGES.iter().flat_map(|edge| edge - 5..edge + 5).collect();
    in_parallel(FILLS.len() * places.len(), |index| {
        let place = places[index / FILLS.len()];
        let numbers = (index % step..BOUNDARY_BYTES.len().pow(4)).step_by(step);
        check_at(FILLS[index % FILLS.len()], place, numbers.map(of_boundary_bytes));
    });
}

#[test]
fn any_sequences_at_any_place() {
    let count = all_or_fewer(200_000, 20_000, "anywhere: fewer sequences");
    in_parallel(FILLS.len() * 100, |index| {
        let mut random = Random(index as u64);
        let place = 800 + random.below(3200);
        let sequences: Vec<_> =
            (0..count / FILLS.len() / 100).map(|_| (random.number() as u32).to_le_bytes()).collect();
        check_at(FILLS[index % FILLS.len()], place, sequences.into_iter());
    });
}

/// Counts, which tiers make in the same pass, with a newline, a wider character or an error at each place around the
/// edges of runs and stretches.
#[test]
fn counts_around_all_edges() {
    let step = all_or_fewer(1, 7, "counts around edges: every seventh place");
    let places: Vec<usize> = EDGES.iter().flat_map(|edge| edge - 4..edge + 4).collect();
    let inserts =
        ["\n", "ÿ", "Ā", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{FFFF}", "😀"].map(str::as_bytes).into_iter();
    let inserts: Vec<&[u8]> = inserts.chain([&b"\xFF"[..], b"\xE1\x80"]).collect();
    in_parallel(FILLS.len() * inserts.len(), |index| {
        let (fill, insert) = (FILLS[index % FILLS.len()], inserts[index / FILLS.len()]);
        for &place in places.iter().skip(index % step).step_by(step) {
            let (mut text, starts) = filled(fill);
            let start = *starts.iter().rfind(|&&start| start <= place).unwrap();
            let end = *starts.iter().find(|&&end| end >= start + insert.len()).unwrap();
            text.0[start..end].fill(b'-');
            text.0[start..start + insert.len()].copy_from_slice(insert);
            reference::check_in_place(&text.0);
        }
    });
}

/// Text that goes from one tier to another, and errors where it does.
#[test]
fn scripts_that_alternate() {
    let step = all_or_fewer(611, 4_271, "scripts that alternate: every seventh place");
    let fills = ["é", "€", "ก", "한", "，", "😀", "a", "-é"];
    in_parallel(fills.len() * fills.len(), |index| {
        let (one, other) = (fills[index % fills.len()], fills[index / fills.len()]);
        for length in [300, 1100, 5000, 9000] {
            let part = |fill: &str| fill.repeat(length / fill.len());
            let text = [part(one), part(other)].concat().repeat(40_000 / length / 2 + 1);
            let mut data = text.into_bytes();
            for place in (0..data.len()).step_by(step) {
                let kept = data[place];
                for byte in [kept, 0x80, 0xC1, 0xE0, 0xED, 0xF4, 0xFF] {
                    data[place] = byte;
                    let expected = reference::foreign_first_span(&data);
                    on_every_implementation(|implementation| {
                        let found = implementation.validate(&data).err().map(reference::Error::from);
                        let found = found.map(|error| (error.start, error.end));
                        let name = implementation.name();
                        assert_eq!(found, expected, "{name}, {one}, {other}, {length}, {place}, {byte:02x}");
                    });
                }
                data[place] = kept;
            }
        }
    });
}
