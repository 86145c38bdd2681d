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
    this.files = [null, null];
    this.native = null; // as long as files have changed
  }

  /** Begin with fresh memory, which holds both files. */
  start() {
    // Work asks for the time to see whether to stop, which it never has to here.
    const system = new Proxy({}, { get: (_, name) => () => (name === "clock_time_get" ? 0 : REFUSED) });
    const instance = new WebAssembly.Instance(this.module, { wasi_snapshot_preview1: system });
    this.native = instance.exports;
    this.native._initialize();
    this.files.forEach((file, side) => this.give(side, file));
  }

  /** Copy bytes into the memory of the native part. */
  put(bytes) {
    const place = this.native.page_room(bytes.length) >>> 0;
    new Uint8Array(this.native.memory.buffer, place, bytes.length).set(bytes);
    return place;
  }

  /** Hold a file from now on, or none. */
  take(side, file) {
    this.files[side] = file && { name: new TextEncoder().encode(file.name), bytes: file.bytes };
    this.native = null;
  }

  give(side, { name, bytes }) {
    this.native.page_take(side, this.put(name), name.length, this.put(bytes), bytes.length);
  }

  /** Read the JSON that a function made. */
  answer(place) {
    const size = this.native.page_size() >>> 0;
    const bytes = new Uint8Array(this.native.memory.buffer, place >>> 0, size);
    return JSON.parse(new TextDecoder().decode(bytes));
  }

  score(settings) {
    if (!this.native) this.start();
    const bytes = new TextEncoder().encode(JSON.stringify(settings));
    return this.answer(this.native.page_score(this.put(bytes), bytes.length));
  }

  examples() {
    return this.answer(this.native.page_examples());
  }

  draw(seed, first, last) {
    this.native.page_draw(BigInt(seed), first, last);
  }

  intervals(confidence) {
    return this.answer(this.native.page_intervals(confidence));
  }

  /** Format a number as tables of reports do. */
  text(value, digits = 4) {
    if (value === null) return "undefined";
    return this.answer(this.native.page_number(value, digits));
  }
}
