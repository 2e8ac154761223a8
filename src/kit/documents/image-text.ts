/** Owns: what can be said of a picture without seeing it: its kind, its size and the texts in its metadata. */
import { BoundedText } from './bounded-text.ts';
import { type DocumentBody, Unreadable } from './document-contract.ts';
import { imageType } from '../../core/schema/picture.ts';

type Picture = { width: number; height: number; texts: string[] };

export function readImage(bytes: Uint8Array): DocumentBody {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = imageType(data.toString('latin1', 0, 64)) ?? 'image/png';
  const found = readPicture(data, type);
  if (found === null || found.width === 0 || found.height === 0)
    throw new Unreadable(
      'it is cut off or damaged: it does not say how large the picture is',
      'Fetch or save it again.',
    );
  const text = new BoundedText();
  text.add(`${type}, ${found.width} × ${found.height} pixels\n`);
  for (const each of new Set([...found.texts, ...xmpTexts(data)])) text.add(`${each.trim()}\n`);
  return { ...text.result(), image: { type, width: found.width, height: found.height } };
}

function readPicture(data: Buffer, type: string): Picture | null {
  try {
    if (type === 'image/png') return readPng(data);
    if (type === 'image/jpeg') return readJpeg(data);
    if (type === 'image/gif') return { width: data.readUInt16LE(6), height: data.readUInt16LE(8), texts: [] };
    if (type === 'image/bmp')
      return { width: Math.abs(data.readInt32LE(18)), height: Math.abs(data.readInt32LE(22)), texts: [] };
    return type === 'image/webp' ? readWebp(data) : readTiff(data);
  } catch (error) {
    if (error instanceof RangeError) return null; // it ends before what it announced
    throw error;
  }
}

/** PNG: a list of chunks; those named tEXt and iTXt are texts with a keyword. */
function readPng(data: Buffer): Picture {
  const picture: Picture = { width: data.readUInt32BE(16), height: data.readUInt32BE(20), texts: [] };
  for (let at = 8; at + 8 <= data.length; ) {
    const length = data.readUInt32BE(at);
    const kind = data.toString('latin1', at + 4, at + 8);
    const body = data.subarray(at + 8, at + 8 + length);
    if (kind === 'tEXt' || kind === 'iTXt') {
      const [keyword = '', ...rest] = body.toString(kind === 'tEXt' ? 'latin1' : 'utf8').split('\0');
      if (!keyword.startsWith('XML:') && body[keyword.length + 1] !== 1)
        picture.texts.push(`${keyword}: ${rest.at(-1) ?? ''}`);
    }
    at += 12 + length;
  }
  return picture;
}

/** JPEG: a list of segments; SOF has the size, COM is a comment, APP1 is EXIF. */
function readJpeg(data: Buffer): Picture {
  const picture: Picture = { width: 0, height: 0, texts: [] };
  for (let at = 2; at + 4 <= data.length && data[at] === 0xff; ) {
    const marker = data.readUInt8(at + 1);
    const length = data.readUInt16BE(at + 2);
    const body = data.subarray(at + 4, at + 2 + length);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { ...picture, height: body.readUInt16BE(1), width: body.readUInt16BE(3) };
    if (marker === 0xfe) picture.texts.push(`Comment: ${body.toString('utf8')}`);
    if (marker === 0xe1 && body.toString('latin1', 0, 4) === 'Exif')
      picture.texts.push(...readTiff(body.subarray(6)).texts);
    at += 2 + length;
  }
  return picture;
}

function readWebp(data: Buffer): Picture {
  const kind = data.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1, texts: [] };
  if (kind === 'VP8L') {
    const bits = data.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1, texts: [] };
  }
  return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff, texts: [] };
}

const TEXT_TAGS: Readonly<Record<number, string>> = {
  0x010e: 'Description',
  0x010f: 'Camera',
  0x0110: 'Model',
  0x0131: 'Software',
  0x0132: 'Date',
  0x013b: 'Artist',
  0x8298: 'Copyright',
};

/** TIFF, and the EXIF part of a JPEG: the first directory of tags. */
function readTiff(data: Buffer): Picture {
  const isLittle = data.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at));
  const long = (at: number): number => (isLittle ? data.readUInt32LE(at) : data.readUInt32BE(at));
  const picture: Picture = { width: 0, height: 0, texts: [] };
  const directory = long(4);
  for (let index = 0; index < Math.min(short(directory), 200); index += 1) {
    const at = directory + 2 + index * 12;
    const [tag, kind, count] = [short(at), short(at + 2), long(at + 4)];
    const number = kind === 3 ? short(at + 8) : long(at + 8);
    if (tag === 0x0100) picture.width = number;
    if (tag === 0x0101) picture.height = number;
    const name = TEXT_TAGS[tag];
    if (name === undefined || kind !== 2) continue;
    const start = count > 4 ? number : at + 8;
    picture.texts.push(
      `${name}: ${data.toString('utf8', start, start + Math.min(count, 10_000)).replaceAll('\0', '')}`,
    );
  }
  return picture;
}

/** Title and description in XMP, which many kinds of pictures contain as plain XML. */
function xmpTexts(data: Buffer): string[] {
  const start = data.indexOf('<x:xmpmeta');
  const xml = start < 0 ? '' : data.toString('utf8', start, Math.min(data.length, start + 65_536));
  return ['title', 'description'].flatMap((name) => {
    const body = new RegExp(`<dc:${name}>([^]{0,20000}?)</dc:${name}>`).exec(xml)?.[1] ?? '';
    const text = body.replaceAll(/<[^>]*>/g, ' ').trim();
    return text === '' ? [] : [`${name === 'title' ? 'Title' : 'Description'}: ${text}`];
  });
}
