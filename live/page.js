// The page: reads what is typed, and shows its explanation in the chosen language.

import { NotHexadecimal, formatHexadecimal, parseHexadecimal } from "./input.js";
import { Explainer } from "./leadbyte.js";
import { symbol } from "./symbol.js";
import { TEXTS } from "./texts.js";

const DELAY = 150; // milliseconds without a keystroke, after which it is explained

const find = (selector) => document.querySelector(selector);
const input = find("#input");
const summary = find("#summary");
const problem = find("#problem");
const results = find("#results");

let language = new URLSearchParams(location.search).get("lang") ?? navigator.language.split("-")[0];
if (!(language in TEXTS)) language = "en";
let explainer = null;
let timer = 0;

const texts = () => TEXTS[language];
const mode = () => find("input[name=mode]:checked").value;
const number = (value) => value.toLocaleString(language);
const percent = (value) => (value / 100).toLocaleString(language, { style: "percent" });

// Returns "5 bytes", with the form of the unit that the language has for the number.
function count(value, unit) {
  const forms = texts().units[unit];
  return `${number(value)} ${forms[new Intl.PluralRules(language).select(value)] ?? forms.other}`;
}

// Returns an element with attributes and children; texts are never read as HTML.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

function translate() {
  document.documentElement.lang = language;
  document.title = texts().page_title;
  for (const translated of document.querySelectorAll("[data-text]")) {
    translated.textContent = texts()[translated.dataset.text];
  }
  for (const labelled of document.querySelectorAll("[data-label]")) {
    labelled.setAttribute("aria-label", texts()[labelled.dataset.label]);
  }
  for (const button of document.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === language));
  }
  showMode();
}

function showMode() {
  find("#input-label").textContent = texts()[`${mode()}_label`];
  input.classList.toggle("hexadecimal", mode() === "bytes");
}

// Returns what is typed as bytes, or null after showing why it is none.
function typed() {
  problem.textContent = "";
  try {
    const bytes = mode() === "bytes" ? parseHexadecimal(input.value) : new TextEncoder().encode(input.value);
    if (bytes.length <= explainer.maxBytes) return bytes;
    problem.textContent = texts().too_long(count(explainer.maxBytes, "bytes"));
    return bytes.slice(0, explainer.maxBytes);
  } catch (error) {
    if (!(error instanceof NotHexadecimal)) throw error;
    problem.textContent = error.character ? texts().not_hexadecimal(error.character) : texts().odd_digits;
    return null;
  }
}

function explain() {
  if (!explainer) return;
  const bytes = typed();
  if (bytes) show(bytes.length ? explainer.explain(bytes) : null);
  document.body.dataset.state = "ready";
}

function explainSoon() {
  document.body.dataset.state = "busy";
  clearTimeout(timer);
  timer = setTimeout(explain, DELAY);
}

function show(explanation) {
  results.hidden = !explanation;
  if (!explanation) {
    summary.textContent = texts().empty;
    return;
  }
  summary.textContent = summarize(explanation);
  showRepair(explanation.mojibake);
  find("#characters tbody").replaceChildren(...explanation.rows.map(row));
  const omitted = explanation.rows_omitted;
  find("#omitted").textContent = omitted ? texts().omitted(count(omitted, "rows")) : "";
  showSizes(explanation);
  find("#encodings").replaceChildren(...explanation.encodings.map(detection));
}

function summarize(explanation) {
  const { char_count, error_count, utf8_length, utf16_length } = explanation;
  const sizes = [utf8_length, utf16_length].map((size) => count(size, "bytes"));
  const whole = texts().summary(count(char_count, "characters"), ...sizes);
  return error_count ? texts().with_errors(whole, count(error_count, "errors")) : whole;
}

function showRepair(repair) {
  find("#mojibake").hidden = !repair;
  if (!repair) return;
  find("#repaired").textContent = repair.text;
  const steps = repair.steps.map((step) => texts().step(step.encoding, step.misread_as));
  find("#repair-steps").textContent = texts().steps([...new Set(steps)]);
}

function row(found) {
  const isError = found.kind !== null;
  const bits = element("span", { class: "bits" });
  for (const [marker, payload] of found.utf8_bits) {
    const octet = element("span", { class: "octet" }, element("span", { class: "marker" }, marker));
    octet.append(element("span", { class: "payload" }, payload));
    bits.append(octet, " ");
  }
  const code = (text) => element("code", {}, text);
  const cells = [cell("start", "start", element("span", {}, number(found.start)))];
  if (isError) {
    cells.push(cell("error", "error-message", element("span", { "data-kind": found.kind }, texts().describe(found)), 2));
  } else {
    cells.push(cell("character", "", element("span", { class: "symbol", dir: "auto" }, symbol(found.char))));
    cells.push(cell("code", "", code(found.code_point)));
  }
  cells.push(cell("bits", "", bits));
  cells.push(cell("UTF-8", "", code(found.utf8_hex)));
  cells.push(isError ? cell("UTF-16", "nothing", "") : cell("UTF-16", "", code(found.utf16_hex)));
  return element("tr", { role: "row", class: isError ? "error" : "" }, ...cells);
}

function cell(heading, style, content, columns = 1) {
  const attributes = { role: "cell", class: style, "data-heading": texts()[heading] ?? heading };
  return element("td", columns > 1 ? { ...attributes, colspan: columns } : attributes, content);
}

function showSizes(explanation) {
  const bytes = (size) => count(size, "bytes");
  const sizes = [["UTF-8", bytes(explanation.utf8_length)]];
  if (!explanation.error_count) {
    sizes.push(["UTF-16", bytes(explanation.utf16_length)], ["UTF-32", bytes(explanation.utf32_length)]);
  }
  sizes.push([texts().size_characters, number(explanation.char_count)]);
  if (explanation.grapheme_count !== null) sizes.push([texts().size_graphemes, number(explanation.grapheme_count)]);
  sizes.push([texts().size_lines, number(explanation.newline_count)]);
  const entries = sizes.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  find("#sizes").replaceChildren(...entries);
  const encodings = explanation.single_byte ?? [];
  find("#single-byte").textContent = encodings.length ? texts().single_byte(encodings.join(", ")) : "";
}

function detection(found) {
  if (!found.encoding) return element("li", {}, texts().not_text(found.kind));
  const name = found.language && new Intl.DisplayNames(language, { type: "language" }).of(found.language);
  const item = element("li", {}, texts().found(found.encoding, percent(found.percent), name));
  if (found.text && mode() === "bytes") item.append(element("span", { class: "sample", dir: "auto" }, found.text));
  return item;
}

// Converts what is typed into the other form; what cannot be converted stays.
function convert() {
  try {
    if (mode() === "bytes") input.value = formatHexadecimal(new TextEncoder().encode(input.value));
    else input.value = new TextDecoder("utf-8", { ignoreBOM: true }).decode(parseHexadecimal(input.value));
  } catch (error) {
    if (!(error instanceof NotHexadecimal)) throw error;
  }
  showMode();
  explain();
}

function set(newMode, value) {
  find(`input[value=${newMode}]`).checked = true;
  input.value = value;
  showMode();
  explain();
}

// Takes what the address names, #text=... or #bytes=..., and returns whether it names anything.
function readAddress() {
  const [[named, value] = []] = new URLSearchParams(location.hash.slice(1));
  const names = named === "text" || named === "bytes";
  if (names) set(named, value);
  return names;
}

addEventListener("hashchange", readAddress);
input.addEventListener("input", explainSoon);
find("form").addEventListener("submit", (event) => event.preventDefault());
for (const radio of document.querySelectorAll("input[name=mode]")) radio.addEventListener("change", convert);
for (const button of document.querySelectorAll("[data-example]")) {
  button.addEventListener("click", () => set(button.dataset.mode, button.dataset.example));
}
for (const button of document.querySelectorAll("[data-language]")) {
  button.addEventListener("click", () => {
    language = button.dataset.language;
    translate();
    explain();
  });
}

translate();
try {
  explainer = await Explainer.fetch("leadbyte.wasm");
  if (!readAddress()) {
    if (input.value) explain(); // a browser kept it
    else set("text", find("[data-example]").dataset.example);
  }
} catch (error) {
  summary.textContent = texts().failed;
  document.body.dataset.state = "failed";
  console.error(error);
}
