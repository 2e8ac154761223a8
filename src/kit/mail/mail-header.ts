/** Owns: the header of a mail as a list of fields, in the order in which they stand. Pure, linear and bounded. */

/** `name` is in lower case; `value` is unfolded, and encoded words in it are still encoded. */
export type HeaderField = { name: string; value: string };

export const MOST_HEADER_BYTES = 64 * 1024;
const MOST_FIELDS = 500;

/** Null for a header that is larger than anybody needs, so that it cannot be judged as a whole. */
export function parseMailHeader(bytes: Uint8Array): HeaderField[] | null {
  if (bytes.length >= MOST_HEADER_BYTES) return null;
  const fields: HeaderField[] = [];
  for (const line of Buffer.from(bytes).toString('utf8').split(/\r?\n/)) {
    if (line === '') break;
    const last = fields.at(-1);
    if (/^[ \t]/.test(line)) {
      if (last !== undefined) last.value += ` ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon < 1 ? '' : line.slice(0, colon).trimEnd().toLowerCase();
    if (!/^[!-9;-~]+$/.test(name)) continue;
    if (fields.length === MOST_FIELDS) return null;
    fields.push({ name, value: line.slice(colon + 1).trim() });
  }
  return fields;
}

/** All values of a field, the topmost first. */
export const headerValues = (header: readonly HeaderField[], name: string): string[] =>
  header.flatMap((field) => (field.name === name ? [field.value] : []));

/** The topmost value of a field; empty when there is none. */
export const headerValue = (header: readonly HeaderField[], name: string): string =>
  header.find((field) => field.name === name)?.value ?? '';
