/** Owns: judging an entry of the inbox by its name, before anything is opened. Names are bytes, and not all are printable. */

type NameKind =
  | { kind: 'ignored' }
  /** `shown` is safe to print and to use as a file name. */
  | { kind: 'refused'; shown: string; reason: string }
  | { kind: 'named'; name: string };

/** Files that programs leave behind and that are never a task. */
const LITTER = [
  /^\.DS_Store$/,
  /^\.?_sync_.*\.db/,
  /^(Thumbs\.db|ehthumbs\.db|desktop\.ini|Icon\r)$/i,
  /^~\$/, // word processors
  /^\.~lock\..*#$/,
  /^\.#/, // Emacs
  /^#.*#$/,
  /~$/,
  /\.sw[a-z]$/, // Vim
  /^4913$/, // Vim, testing whether it may write
  /\.(bak|orig|rej)$/i,
  /^\.(directory|nfs[0-9a-f]+|fuse_hidden[0-9a-f]+|Trash.*)$/i,
  /^\.st(folder|ignore|versions)$/,
];

/** Names of files that are still being written. */
const UNFINISHED = [
  /\.(te?mp|part|partial|filepart|crdownload|download|opdownload|unconfirmed|aria2|!ut|!qb|lock)$/i,
  /\.tmp[.-]?[0-9A-Za-z]*$/,
  /^(\.|~)syncthing~.*/,
  /\.syncthing\./,
  /^\.dropbox(\.|$)/,
  /\.sb-[0-9a-f]+-[0-9A-Za-z]+$/, // macOS safe save
  /^\.~[0-9A-Fa-f]+~/,
  /^\.goutputstream-/,
  /^\..+\.[0-9A-Za-z]{6}$/, // rsync
  /^\.owncloudsync|^\.sync_|\.~[0-9a-f]{2,}$/i,
];

export const isLitter = (name: string): boolean => LITTER.some((shape) => shape.test(name));
export const isUnfinished = (name: string): boolean => UNFINISHED.some((shape) => shape.test(name));

/** Classifies a name at the top level of the inbox. */
export function classifyName(bytes: Buffer): NameKind {
  if (bytes[0] === 0x2e) return { kind: 'ignored' };
  const name = decodeUtf8(bytes);
  if (name === null) return { kind: 'refused', shown: printableName(bytes), reason: 'its name is not valid UTF-8' };
  if (isLitter(name) || isUnfinished(name)) return { kind: 'ignored' };
  if (hasControls(name))
    return {
      kind: 'refused',
      shown: printableName(bytes),
      reason: 'its name contains line breaks or control characters',
    };
  return { kind: 'named', name };
}

/** Null if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null; // invalid UTF-8 is all it throws for
  }
}

/** Control characters, and marks that change the direction of text. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

export const hasControls = (name: string): boolean => name.search(CONTROLS) !== -1;

const LONGEST_SHOWN = 180;

/** A name that can be printed and used as a file name, as close to the original as that allows. */
export function printableName(bytes: Uint8Array): string {
  const plain = Buffer.from(bytes).toString('utf8').replaceAll(CONTROLS, '_').replaceAll('\uFFFD', '_');
  const short = cutTo(plain.replaceAll('/', '_').replace(/^\.+/, '_'), LONGEST_SHOWN);
  return short === '' ? '_' : short;
}

/** The longest prefix of at most this many bytes in UTF-8 that splits no character. */
function cutTo(text: string, most: number): string {
  let cut = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) return cut;
    cut += character;
  }
  return cut;
}
