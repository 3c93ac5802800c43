// Node.js: TextDecoder (WHATWG Encoding Standard) and Buffer.

const { isUtf8 } = require("node:buffer");
const lines = require("node:fs").readFileSync(0, "ascii").split("\n").filter((line) => line);

// The UTF-8 of the code points, surrogates included.
function hex(text) {
  const bytes = [];
  for (const char of text) {
    const point = char.codePointAt(0);
    const surrogate = point >= 0xd800 && point <= 0xdfff;
    bytes.push(
      surrogate
        ? Buffer.from([0xed, 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)])
        : Buffer.from(char, "utf8"),
    );
  }
  return Buffer.concat(bytes).toString("hex");
}

const fatal = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const replacing = new TextDecoder("utf-8", { ignoreBOM: true });
const operations = {
  "TextDecoder, fatal": (data) => {
    try {
      return hex(fatal.decode(data));
    } catch {
      return "-";
    }
  },
  "buffer.isUtf8": (data) => (isUtf8(data) ? data.toString("hex") : "-"),
  TextDecoder: (data) => hex(replacing.decode(data)),
  "Buffer.toString": (data) => hex(data.toString("utf8")),
};
const header = { program: "Node.js", version: process.versions.node, operations: Object.keys(operations) };
const rows = lines.map((line) => {
  const data = Buffer.from(line, "hex");
  return Object.values(operations).map((operation) => operation(data)).join("\t");
});
process.stdout.write([JSON.stringify(header), ...rows, ""].join("\n"));
