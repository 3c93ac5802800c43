//! Lookups in tables of 128 entries where instructions look up 16: all eight sixteenths of a table are looked up by
//! the low four bits of a lane, and its upper three bits select among the results, one bit at a time.

use super::{Lookup, Lookup128, Planes};

/// Bits for each byte, in tables for each kind of lookup. ASCII and FF have none.
pub(crate) struct ByteClasses {
    /// By the high four bits of the byte.
    high: [u8; 16],
    /// By the low four bits: bits that are not set here are not set in the result. `None` if all are.
    low: Option<[u8; 16]>,
    /// The result for the bytes from 80 on.
    upper: [u8; 128],
}

impl ByteClasses {
    /// Returns the table of the bits that are set both in `high`, by the high four bits of the byte, and in `low`, by
    /// the low ones.
    pub(crate) const fn by_nibbles(high: [u8; 16], low: Option<[u8; 16]>) -> Self {
        let mut upper = [0; 128];
        let mut byte = 0x80;
        while byte <= 0xFF {
            let by_low = match &low {
                Some(low) => low[byte & 0x0F],
                None => u8::MAX,
            };
            upper[byte - 0x80] = high[byte >> 4] & by_low;
            byte += 1;
        }
        let mut ascii = 0;
        while ascii < 8 {
            assert!(high[ascii] == 0);
            ascii += 1;
        }
        assert!(upper[0x7F] == 0);
        Self { high, low, upper }
    }

    /// Returns the bits of each byte from 80 on.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    pub(crate) const fn upper(&self) -> &[u8; 128] {
        &self.upper
    }
}

impl<I: Lookup + Planes> Lookup128 for I {
    #[inline(always)]
    fn lookup128<const TABLES: usize>(
        self,
        tables: [&[u8; 128]; TABLES],
        v: Self::Vector,
    ) -> [Self::Vector; TABLES] {
        let index = self.and(v, self.splat(0x0F));
        let bits = [
            self.non_ascii(self.shl::<3>(v)),
            self.non_ascii(self.shl::<2>(v)),
            self.non_ascii(self.shl::<1>(v)),
        ];
        let mut all = [v; TABLES];
        let mut table = 0;
        while table < TABLES {
            let mut found = [v; 8];
            let mut sixteen = 0;
            while sixteen < 8 {
                found[sixteen] = self.lookup(self.table(&tables[table].as_chunks().0[sixteen]), index);
                sixteen += 1;
            }
            let mut bit = 0;
            while bit < 3 {
                let mut pair = 0;
                while pair < 4 >> bit {
                    found[pair] = self.blend(bits[bit], found[2 * pair + 1], found[2 * pair]);
                    pair += 1;
                }
                bit += 1;
            }
            all[table] = found[0];
            table += 1;
        }
        all
    }

    #[inline(always)]
    fn lookup_classes(self, classes: &ByteClasses, v: Self::Vector) -> Self::Vector {
        match &classes.low {
            Some(low) => self.lookup_nibbles(&classes.high, low, v),
            None => self.lookup(self.table(&classes.high), self.high_nibbles(v)),
        }
    }
}
