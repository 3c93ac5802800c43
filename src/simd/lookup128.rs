//! Lookups in tables of 128 entries where instructions look up 16: all eight sixteenths of a table are looked up by
//! the low four bits of a lane, and its upper three bits select among the results, one bit at a time.

use super::{Lookup, Lookup128, Planes};

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
}
