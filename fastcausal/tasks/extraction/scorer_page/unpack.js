// Files that are chosen, unpacked: gzip, and each file of a zip.

const ADDED = /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$)/; // by operating systems

async function inflated(bytes, form) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Return the files that a chosen file holds: `{name, bytes}`. */
async function filesOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const starts = (...mark) => mark.every((byte, k) => bytes[k] === byte);
  try {
    if (starts(0x1f, 0x8b)) return [{ name: file.name, bytes: await inflated(bytes, "gzip") }];
    if (!starts(0x50, 0x4b, 3, 4)) return [{ name: file.name, bytes }];
    const members = [];
    for (const { name, form, packed } of membersOf(bytes))
      members.push({ name: `${file.name}/${name}`, bytes: form ? await inflated(packed, form) : packed });
    return members;
  } catch (fault) {
    throw new Error(`damaged, or packed in an unknown way: ${fault.message}`);
  }
}

/** List the files of a zip by its directory, which is at its end. */
function membersOf(bytes) {
  const view = new DataView(bytes.buffer);
  let at = bytes.length - 22;
  while (at >= 0 && view.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) throw new Error("a zip without its directory");
  const members = [];
  let entry = view.getUint32(at + 16, true);
  for (let n = view.getUint16(at + 10, true); n > 0; n--) {
    const [nameSize, extra, comment] = [28, 30, 32].map((k) => view.getUint16(entry + k, true));
    const name = new TextDecoder().decode(bytes.subarray(entry + 46, entry + 46 + nameSize));
    const local = view.getUint32(entry + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const packed = bytes.slice(start, start + view.getUint32(entry + 20, true));
    const method = view.getUint16(entry + 10, true);
    if (view.getUint16(entry + 8, true) & 1) throw new Error(`${name} is encrypted`);
    if (method !== 0 && method !== 8) throw new Error(`${name} is packed by another method than DEFLATE`);
    if (!name.endsWith("/") && !ADDED.test(name)) members.push({ name, form: method && "deflate-raw", packed });
    entry += 46 + nameSize + extra + comment;
  }
  if (!members.length) throw new Error("a zip without files");
  return members;
}
