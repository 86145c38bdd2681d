// The native part: bytes in, JSON out.

const REFUSED = 52; // of WASI: the system has no such function

class Core {
  /** Compile the native part of the page. */
  static async compiled() {
    const packed = bytesOf(at("core").textContent).pipeThrough(new DecompressionStream("gzip"));
    return new Core(await WebAssembly.compile(await new Response(packed).arrayBuffer()));
  }

  constructor(module) {
    this.module = module;
    this.files = []; // of predictions
    this.native = null; // as long as files have changed
  }

  /** Begin with fresh memory, which holds the files. */
  start() {
    // Work asks for the time to see whether to stop, which it never has to here.
    const system = new Proxy({}, { get: (_, name) => () => (name === "clock_time_get" ? 0 : REFUSED) });
    const instance = new WebAssembly.Instance(this.module, { wasi_snapshot_preview1: system });
    this.native = instance.exports;
    this.native._initialize();
    this.gold = null;
    for (const { name, bytes } of this.files) {
      const text = new TextEncoder().encode(name);
      this.native.page_take(this.put(text), text.length, this.put(bytes), bytes.length);
    }
  }

  /** Copy bytes into the memory of the native part. */
  put(bytes) {
    const place = this.native.page_room(bytes.length) >>> 0;
    new Uint8Array(this.native.memory.buffer, place, bytes.length).set(bytes);
    return place;
  }

  /** Hold these files from now on. */
  take(files) {
    this.files = files;
    this.native = null;
  }

  putJson(value) {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    return [this.put(bytes), bytes.length];
  }

  /** Read the JSON that a function made. */
  answer(place) {
    const size = this.native.page_size() >>> 0;
    const bytes = new Uint8Array(this.native.memory.buffer, place >>> 0, size);
    return JSON.parse(new TextDecoder().decode(bytes));
  }

  /** Score all files against gold, as the settings read its tags. */
  score(gold, settings) {
    if (!this.native) this.start();
    if (this.gold !== gold) this.native.page_gold(...this.putJson(gold));
    this.gold = gold;
    return this.answer(this.native.page_score(...this.putJson(settings)));
  }

  examples() {
    return this.answer(this.native.page_examples());
  }

  /** Format a number as tables of reports do. */
  text(value, digits = 4) {
    if (value === null) return "undefined";
    return this.answer(this.native.page_number(value, digits));
  }
}
