// Tests of the module and of the page's other parts without a browser: node --test live/tests/module.test.mjs, with the
// folder of the built page in LEADBYTE_LIVE.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const FOLDER = process.env.LEADBYTE_LIVE;
const VECTORS = JSON.parse(readFileSync(new URL("../../tests/vectors/explain.json", import.meta.url), "utf8"));
const load = (name) => import(pathToFileURL(join(FOLDER, name)));

const { Explainer } = await load("leadbyte.js");
const { NotHexadecimal, formatHexadecimal, parseHexadecimal } = await load("input.js");
const { symbol } = await load("symbol.js");
const { ERRORS_IN_RUSSIAN, TEXTS } = await load("texts.js");

const MODULE = await WebAssembly.compile(readFileSync(join(FOLDER, "leadbyte.wasm")));
const explainer = new Explainer(MODULE);

// Returns the members of `actual` that `expected` has.
function like(actual, expected) {
  return Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name]]));
}

test("the module imports nothing", () => {
  assert.deepEqual(WebAssembly.Module.imports(MODULE), []);
});

for (const vector of VECTORS) {
  test(`as in Python: ${vector.data}`, () => {
    const found = explainer.explain(parseHexadecimal(vector.data));
    for (const row of found.rows) row.symbol = row.kind ? "\ufffd" : symbol(row.char);
    assert.deepEqual(found.rows.map((row, at) => like(row, vector.rows[at] ?? {})), vector.rows);
    for (const name of ["char_count", "error_count", "utf8_length", "utf16_length", "utf32_length"]) {
      if (name in vector) assert.equal(found[name], vector[name], name);
    }
    assert.deepEqual(found.encodings.map((one, at) => like(one, vector.encodings[at] ?? {})), vector.encodings);
    assert.equal(found.mojibake?.text, vector.mojibake?.text);
    const steps = found.mojibake?.steps.map((step) => [step.encoding, step.misread_as]);
    assert.deepEqual(steps, vector.mojibake?.steps);
    if (!vector.single_byte) {
      assert.equal(found.single_byte, null);
      return;
    }
    assert.equal(found.grapheme_count, vector.grapheme_count);
    assert.equal(found.newline_count, vector.newline_count);
    // Python's codecs and the Encoding Standard differ for controls.
    if (!/[\x80-\x9f]/.test(new TextDecoder().decode(parseHexadecimal(vector.data)))) {
      for (const name of found.single_byte) assert.ok(vector.single_byte.includes(name), name);
    }
  });
}

// A generator of numbers below `limit` (xorshift), the same in each run.
function random(seed) {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

test("any bytes", () => {
  const below = random(38);
  const likely = [0x41, 0x80, 0xbf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xff, 0xa0, 0x9f, 0x0a];
  for (let round = 0; round < 1500; round++) {
    const pick = round % 2 ? () => likely[below(likely.length)] : () => below(256);
    const bytes = Uint8Array.from({ length: below(40) }, pick);
    const found = explainer.explain(bytes);
    const rows = found.rows.map((row) => row.utf8_hex).join(" ");
    assert.equal(rows, formatHexadecimal(bytes));
    const decoded = found.rows.filter((row) => row.kind === null).map((row) => row.char);
    const replaced = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    // A browser's decoder keeps the same characters, in the same order.
    assert.equal(decoded.join("").replaceAll("\ufffd", ""), replaced.replaceAll("\ufffd", ""));
    for (const row of found.rows.filter((row) => row.kind)) assert.ok(ERRORS_IN_RUSSIAN[row.kind](row));
  }
});

test("long input", () => {
  const limit = explainer.maxBytes;
  for (const byte of [0x41, 0xc3, 0x80, 0x00, 0xff]) {
    const found = explainer.explain(new Uint8Array(limit).fill(byte));
    assert.equal(found.utf8_length, limit);
    assert.equal(found.rows.length, 500);
    assert.equal(found.rows.length + found.rows_omitted, found.char_count + found.error_count);
  }
  const mojibake = new TextEncoder().encode("РџСЂРёРІРµС‚, РјРёСЂ! ".repeat(1000)).slice(0, limit);
  assert.ok(explainer.explain(mojibake.slice(0, 30000)).mojibake);
  assert.throws(() => explainer.explain(new Uint8Array(limit + 1)), RangeError);
  assert.equal(explainer.explain(new Uint8Array(1)).char_count, 1);
});

test("bytes in hexadecimal digits", () => {
  const bytes = Uint8Array.of(0xc2, 0xa2);
  for (const text of ["c2a2", "C2 A2", "0xc2, 0xA2", "\\xc2\\xa2", "%C2%a2", "c2:a2", " c2\n a2 "]) {
    assert.deepEqual(parseHexadecimal(text), bytes, text);
  }
  assert.equal(formatHexadecimal(bytes), "C2 A2");
  assert.deepEqual(parseHexadecimal(""), new Uint8Array());
  for (const [text, character] of [["c2 a", undefined], ["g0", "g"], ["c2 😀", "😀"]]) {
    assert.throws(() => parseHexadecimal(text), (error) => error instanceof NotHexadecimal && error.character === character);
  }
});

test("both languages have the same texts", () => {
  const shape = (value) => (typeof value === "object" ? Object.keys(value).sort() : [typeof value, value.length > 0]);
  assert.deepEqual(Object.keys(TEXTS.en), Object.keys(TEXTS.ru));
  for (const name of Object.keys(TEXTS.en).filter((name) => name !== "describe")) {
    if (typeof TEXTS.en[name] === "function") assert.equal(TEXTS.en[name].length, TEXTS.ru[name].length, name);
    assert.deepEqual(shape(TEXTS.en[name]), shape(TEXTS.ru[name]), name);
  }
  const page = readFileSync(join(FOLDER, "index.html"), "utf8");
  const names = [...page.matchAll(/data-(?:text|label)="(\w+)"/g)].map((match) => match[1]);
  assert.ok(names.length > 20);
  for (const name of names) assert.equal(typeof TEXTS.en[name], "string", name);
  // The texts that the page has before its script runs.
  for (const [, name, text] of page.matchAll(/data-text="(\w+)"\s*>([^<]+)</g)) {
    assert.equal(text.replace(/\s+/g, " "), TEXTS.en[name], name);
  }
});

test("every kind of error is described", () => {
  const kinds = new Set(VECTORS.flatMap((vector) => vector.rows.map((row) => row.kind)).filter(Boolean));
  assert.deepEqual([...kinds].sort(), Object.keys(ERRORS_IN_RUSSIAN).sort());
});
