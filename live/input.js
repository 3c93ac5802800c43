// What a visitor types, as bytes, and bytes as something to type.

const HEXADECIMAL = /^[0-9a-f]$/i;
// Between bytes, and before each of them: "c2 a2", "C2,A2", "0xC2 0xA2", "\xc2\xa2", "%C2%A2", "c2:a2".
const SEPARATORS = /0x|\\x|[\s,;:%_-]/gi;

// Text that is no sequence of bytes in hexadecimal digits.
export class NotHexadecimal extends Error {
  // `character` is the first one that is no digit; undefined if a digit is missing.
  constructor(character) {
    super("not bytes in hexadecimal digits");
    this.character = character;
  }
}

export function parseHexadecimal(text) {
  const digits = [...text.replace(SEPARATORS, "")];
  const other = digits.find((digit) => !HEXADECIMAL.test(digit));
  if (other !== undefined || digits.length % 2) throw new NotHexadecimal(other);
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => parseInt(digits[2 * at] + digits[2 * at + 1], 16));
}

export function formatHexadecimal(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
}
