// Files that are chosen, unpacked: gzip, and each file of a zip.

const ADDED = /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$)/; // by operating systems
const ASIDE = /(^|\/)(\.|__MACOSX(\/|$)|(Thumbs\.db|desktop\.ini|metadata)$)/; // not of a submission

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

/** Return the file of a submission; refuse others in the words of `fastcausal task check`. */
async function submissionOf(chosen, most) {
  let [file] = chosen;
  if (chosen.length > 1) throw new Error(onlyOne("submission", chosen));
  const starts = async (...mark) => {
    const head = new Uint8Array(await (file instanceof Blob ? file : new Blob([file.bytes])).slice(0, mark.length).arrayBuffer());
    return mark.every((byte, k) => byte === head[k]);
  };
  const packed = () => new Error(`${file.name}: packed as gzip, expected it unpacked in one zip`);
  if (file.size > most) throw new Error(`${file.name}: ${file.size} bytes, expected at most ${most}`);
  if (await starts(0x1f, 0x8b)) throw packed();
  const is_zip = await starts(0x50, 0x4b, 3, 4);
  let held;
  try {
    held = await filesOf(file);
  } catch (fault) {
    throw new Error(`${file.name}: ${fault.message}`);
  }
  if (is_zip) {
    const named = held.map(({ name, bytes }) => ({ name: name.slice(file.name.length + 1), bytes }));
    held = named.filter(({ name }) => !ASIDE.test(name));
    if (held.length !== 1) throw new Error(onlyOne(file.name, held));
  }
  [file] = held;
  if (await starts(0x1f, 0x8b)) throw packed();
  if (file.bytes.every((byte) => byte === 32 || (byte > 8 && byte < 14))) throw new Error(`${file.name} is empty`);
  return file;
}

function onlyOne(place, files) {
  const names = files.map(({ name }) => name).sort();
  const some = names.slice(0, 3).join(", ") + (names.length > 3 ? ", ..." : "");
  return `${place}: ${names.length ? `${names.length} files, ${some}` : "no file"}, expected one file of predictions`;
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
