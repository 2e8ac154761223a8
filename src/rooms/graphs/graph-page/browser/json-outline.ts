/**
 * The outline of a JSON text that is being written: what is where. Pure.
 *
 * 1. It reads any text: what is missing, such as a closing bracket, ends with the text.
 */

export type Spot = {
  kind: 'object' | 'array' | 'scalar';
  /** The first and the last character, the latter exclusive. */
  from: number;
  to: number;
  entries: readonly Entry[];
};
type Entry = { key: string; keyFrom: number; keyTo: number; value: Spot | null };

/** Where the cursor is: on the name of a field, or on a value. `range` is what a suggestion replaces. */
export type Place = { role: 'key' | 'value'; path: readonly string[]; range: readonly [number, number] };

const DEEPEST = 200;

/** Null for a text without any value. */
export function outlineJson(text: string): Spot | null {
  let at = 0;
  return readValue(0);

  function readValue(depth: number): Spot | null {
    skip(/\s/);
    const char = text[at];
    if (char === undefined || depth > DEEPEST) return null;
    if (char === '{') return readObject(depth);
    if (char === '[') return readArray(depth);
    const from = at;
    if (char === '"') readString();
    else while (at < text.length && !/[\s,\]}]/.test(text[at] ?? '')) at += 1;
    return at === from ? null : { kind: 'scalar', from, to: at, entries: [] };
  }

  function readObject(depth: number): Spot {
    const from = at++;
    const entries: Entry[] = [];
    for (skip(/[\s,]/); at < text.length && text[at] !== '}'; skip(/[\s,]/)) {
      if (text[at] !== '"') {
        at += 1;
        continue;
      }
      const keyFrom = at;
      const key = readString();
      const keyTo = at;
      skip(/\s/);
      const hasValue = text[at] === ':';
      if (hasValue) at += 1;
      entries.push({ key, keyFrom, keyTo, value: hasValue ? readValue(depth + 1) : null });
    }
    at = Math.min(text.length, at + 1);
    return { kind: 'object', from, to: at, entries };
  }

  function readArray(depth: number): Spot {
    const from = at++;
    const entries: Entry[] = [];
    for (skip(/[\s,]/); at < text.length && text[at] !== ']'; skip(/[\s,]/)) {
      const start = at;
      const value = readValue(depth + 1);
      if (value === null) at = start + 1;
      else entries.push({ key: String(entries.length), keyFrom: start, keyTo: start, value });
    }
    at = Math.min(text.length, at + 1);
    return { kind: 'array', from, to: at, entries };
  }

  /** The text of a string, as far as it goes on this line. */
  function readString(): string {
    const from = at++;
    while (at < text.length && text[at] !== '"' && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
    at = Math.min(text.length, text[at] === '"' ? at + 1 : at);
    return text.slice(from + 1, text[at - 1] === '"' && at - 1 > from ? at - 1 : at);
  }

  function skip(what: RegExp): void {
    while (at < text.length && what.test(text[at] ?? '')) at += 1;
  }
}

export function placeAt(root: Spot | null, offset: number): Place {
  const path: string[] = [];
  let spot = root;
  while (spot !== null) {
    if (spot.kind === 'scalar') return { role: 'value', path, range: [spot.from, spot.to] };
    const entry: Entry | undefined = spot.entries.findLast(({ keyFrom }) => keyFrom <= offset);
    const isObject: boolean = spot.kind === 'object';
    if (entry !== undefined && isObject && offset <= entry.keyTo)
      return { role: 'key', path, range: [entry.keyFrom, entry.keyTo] };
    if (entry?.value != null && entry.value.from <= offset && offset <= entry.value.to) {
      path.push(entry.key);
      spot = entry.value;
    } else if (entry !== undefined && isObject && entry.value === null)
      return { role: 'value', path: [...path, entry.key], range: [offset, offset] };
    else if (entry?.value != null && isObject && offset < entry.value.from)
      return { role: 'value', path: [...path, entry.key], range: [entry.value.from, entry.value.to] };
    else
      return isObject
        ? { role: 'key', path, range: [offset, offset] }
        : { role: 'value', path: [...path, String(spot.entries.length)], range: [offset, offset] };
  }
  return { role: 'value', path, range: [offset, offset] };
}

export function spotAt(root: Spot | null, path: readonly string[]): Spot | null {
  let spot = root;
  for (const key of path) spot = spot?.entries.find((entry) => entry.key === key)?.value ?? null;
  return spot;
}

/** Where a path such as nodes.2.tool is in the text; the nearest place around it when it is not written. */
export function offsetOfPath(root: Spot | null, path: string): number {
  let [spot, offset] = [root, root?.from ?? 0];
  for (const key of path.split('.')) {
    const entry = spot?.entries.find((each) => each.key === key);
    if (entry === undefined) break;
    [spot, offset] = [entry.value, entry.keyFrom];
  }
  return offset;
}
