// The module leadbyte.wasm: bytes in, an explanation out. It has the names of `leadbyte.explain(...).as_dict()` in Python.

export class Explainer {
  #module;
  #exports;

  // `module` is a WebAssembly.Module, which imports nothing.
  constructor(module) {
    this.#module = module;
    this.#start();
  }

  static async fetch(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    return new Explainer(await WebAssembly.compile(await response.arrayBuffer()));
  }

  get maxBytes() {
    return this.#exports.max_bytes();
  }

  // Explains a Uint8Array of at most maxBytes.
  explain(bytes) {
    try {
      const address = this.#exports.input(bytes.length);
      if (!address) throw new RangeError(`more than ${this.maxBytes} bytes`);
      this.#view(address, bytes.length).set(bytes);
      const length = this.#exports.explain();
      return JSON.parse(new TextDecoder().decode(this.#view(this.#exports.output(), length)));
    } catch (error) {
      // After a panic the memory is in no defined state.
      if (error instanceof WebAssembly.RuntimeError) this.#start();
      throw error;
    }
  }

  #start() {
    this.#exports = new WebAssembly.Instance(this.#module).exports;
  }

  // Throws RangeError for what is not inside the memory, which may have moved since the last call.
  #view(address, length) {
    return new Uint8Array(this.#exports.memory.buffer, address >>> 0, length);
  }
}
