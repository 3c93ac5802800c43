// A visible representation of a character, as `symbol` of `leadbyte.explain` in Python.

const INVISIBLE = /[\p{C}\p{Z}\u115F\u1160\u3164\uFFA0]/u;
const LATER_JAMO = /[\u1161-\u11FF\uD7B0-\uD7FF]/;

export function symbol(character) {
  const number = character.codePointAt(0);
  if (number <= 0x20) return String.fromCodePoint(0x2400 + number);
  if (number === 0x7f) return "\u2421";
  if (/\p{M}/u.test(character)) return "\u25CC" + character;
  if (INVISIBLE.test(character)) return escape(number);
  return LATER_JAMO.test(character) ? "\u115F" + character : character;
}

function escape(number) {
  const [letter, width] = number < 0x100 ? ["x", 2] : number < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${number.toString(16).padStart(width, "0")}`;
}
