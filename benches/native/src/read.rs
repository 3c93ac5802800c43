//! The floor of everything that looks at each byte: reading them, and hardly more.

/// The exclusive or of all words, in eight chains, so that none waits for the one before it. A
/// compiler makes vectors of it for any CPU; what it does then takes less time than memory does.
pub fn read(data: &[u8]) -> u64 {
    let (blocks, rest) = data.as_chunks::<64>();
    let mut chains = [0; 8];
    for block in blocks {
        for (chain, word) in chains.iter_mut().zip(block.as_chunks::<8>().0) {
            *chain ^= u64::from_le_bytes(*word);
        }
    }
    let rest = rest.iter().fold(0, |all, &byte| all ^ u64::from(byte));
    chains.iter().fold(rest, |all, chain| all ^ chain)
}
