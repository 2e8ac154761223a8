/** Owns: the text of a page, whatever its server says about the encoding. Pure. */
import { isUtf8 } from 'node:buffer';
import { endOfText } from '../text/body-text.ts';

const META = /<meta[^>]{1,300}?charset\s*=\s*["']?\s*([\w-]{1,40})/i;
const META_BYTES = 4096;

/**
 * What is valid UTF-8 is read as such: servers that declare something else are wrong. Otherwise the byte order mark, the
 * server and the page itself are believed, in this order; what nobody knows is read as western European.
 */
export function decodePage(bytes: Buffer, contentType = ''): string {
  const declared = [declaredIn(contentType), declaredIn(META.exec(bytes.toString('latin1', 0, META_BYTES))?.[0] ?? '')];
  const marked = markedEncoding(bytes);
  if (marked !== null) return decoderFor(marked)?.decode(bytes) ?? '';
  const stateful = declared.find((label) => /^(?:iso-2022-jp|utf-16(?:le|be)?)$/.test(label));
  if (stateful !== undefined && (stateful === 'iso-2022-jp' || bytes.subarray(0, META_BYTES).includes(0)))
    return decoderFor(stateful)?.decode(bytes) ?? '';
  if (isUtf8(bytes.subarray(0, endOfText(bytes)))) return bytes.toString('utf8');
  const known = declared
    .filter((label) => !/^utf-?(?:8|16.*)$/.test(label))
    .flatMap((label) => decoderFor(label) ?? []);
  return (known[0] ?? new TextDecoder('windows-1252')).decode(bytes);
}

function markedEncoding(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : null;
}

const declaredIn = (text: string): string =>
  (/charset\s*=\s*["']?\s*([\w-]{1,40})/i.exec(text)?.[1] ?? '').toLowerCase();

function decoderFor(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
