/** Owns: merging two changes of one text line by line, in bounded time. Pure. */

/** The most edits that are searched for; texts that differ more have little in common. */
const MAX_EDITS = 2000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Lines [from, to) of the base became the lines [start, end) of the other. */
export type Hunk = { from: number; to: number; start: number; end: number };
type Side = { lines: string[]; hunks: Hunk[] };

/** `base` with the changes to `ours` and to `theirs`; null when they touch each other, or are not text. */
export function mergeLines(base: Buffer, ours: Buffer, theirs: Buffer): Buffer | null {
  if ([base, ours, theirs].some((text) => text.length > MAX_BYTES || text.includes(0))) return null;
  const lines = splitLines(base);
  const [left, right] = [diffSide(lines, ours), diffSide(lines, theirs)];
  if (left === null || right === null) return null;
  const out: string[] = [];
  let at = 0;
  for (const region of joinRegions(left.hunks, right.hunks)) {
    const text = resolveRegion(lines, region, left, right);
    if (text === null) return null;
    out.push(lines.slice(at, region.from).join(''), text);
    at = region.to;
  }
  return Buffer.from(out.join('') + lines.slice(at).join(''), 'latin1');
}

/** What share of the lines of the longer text is in the other one as well. */
export function lineSimilarity(a: Buffer, b: Buffer): number {
  if ([a, b].some((text) => text.length > MAX_BYTES || text.includes(0))) return 0;
  const [left, right] = [splitLines(a), splitLines(b)];
  const counts = new Map<string, number>();
  for (const line of left) counts.set(line, (counts.get(line) ?? 0) + 1);
  const common = right.filter((line) => {
    const count = counts.get(line) ?? 0;
    counts.set(line, count - 1);
    return count > 0;
  });
  return common.length / Math.max(1, left.length, right.length);
}

const splitLines = (text: Buffer): string[] => text.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];

function diffSide(base: string[], text: Buffer): Side | null {
  const lines = splitLines(text);
  const hunks = diffLines(base, lines);
  return hunks === null ? null : { lines, hunks };
}

type Region = { from: number; to: number; left: Hunk[]; right: Hunk[] };

/** Changes of both sides that overlap or touch make one region. */
function joinRegions(left: readonly Hunk[], right: readonly Hunk[]): Region[] {
  const all = [
    ...left.map((hunk) => ({ hunk, side: 'left' as const })),
    ...right.map((hunk) => ({ hunk, side: 'right' as const })),
  ];
  const regions: Region[] = [];
  for (const { hunk, side } of all.toSorted((a, b) => a.hunk.from - b.hunk.from || a.hunk.to - b.hunk.to)) {
    const last = regions.at(-1);
    const region =
      last !== undefined && hunk.from <= last.to ? last : { from: hunk.from, to: hunk.to, left: [], right: [] };
    if (region !== last) regions.push(region);
    region.to = Math.max(region.to, hunk.to);
    region[side].push(hunk);
  }
  return regions;
}

function resolveRegion(base: string[], region: Region, left: Side, right: Side): string | null {
  const ours = regionText(base, region, region.left, left.lines);
  const theirs = regionText(base, region, region.right, right.lines);
  if (region.right.length === 0) return ours;
  return region.left.length === 0 || ours === theirs ? theirs : null;
}

function regionText(base: string[], { from, to }: Region, hunks: readonly Hunk[], lines: string[]): string {
  let text = '';
  let at = from;
  for (const hunk of hunks) {
    text += base.slice(at, hunk.from).join('') + lines.slice(hunk.start, hunk.end).join('');
    at = hunk.to;
  }
  return text + base.slice(at, to).join('');
}

/** The fewest edits from one list of lines to the other; null when there are too many. */
export function diffLines(a: readonly string[], b: readonly string[]): Hunk[] | null {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const trace = searchEdits(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return trace === null ? null : collectHunks(trace, a.length - end - start, b.length - end - start, start);
}

/** Myers' greedy search: for each number of edits, how far each diagonal reaches. */
function searchEdits(a: readonly string[], b: readonly string[]): Int32Array[] | null {
  const trace: Int32Array[] = [];
  let reach = new Int32Array(3);
  for (let edits = 0; edits <= Math.min(MAX_EDITS, a.length + b.length); edits++) {
    const next = new Int32Array(2 * edits + 3);
    for (let k = -edits; k <= edits; k += 2) {
      let x = furthestOnDiagonal(reach, edits, k);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next[k + edits + 1] = x;
      if (x < a.length || x - k < b.length) continue;
      trace.push(next);
      return trace;
    }
    trace.push(next);
    reach = next;
  }
  return null;
}

/** Where diagonal `k` begins after one more edit; `reach` is that of one edit fewer, centred at `edits`. */
function furthestOnDiagonal(reach: Int32Array, edits: number, k: number): number {
  if (edits === 0) return 0;
  const at = (diagonal: number): number => reach[diagonal + edits] ?? 0;
  const down = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
  return down ? at(k + 1) : at(k - 1) + 1;
}

function collectHunks(trace: readonly Int32Array[], aLength: number, bLength: number, offset: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [x, y] = [aLength, bLength];
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const reach = trace[edits - 1] ?? new Int32Array();
    const at = (diagonal: number): number => reach[diagonal + edits] ?? 0;
    const k = x - y;
    const down = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
    const fromX = down ? at(k + 1) : at(k - 1);
    const fromY = down ? fromX - (k + 1) : fromX - (k - 1);
    const edit = { from: fromX, to: down ? fromX : fromX + 1, start: fromY, end: down ? fromY + 1 : fromY };
    prependEdit(hunks, edit);
    [x, y] = [fromX, fromY];
  }
  return hunks.map(({ from, to, start, end }) => ({
    from: from + offset,
    to: to + offset,
    start: start + offset,
    end: end + offset,
  }));
}

/** Edits come last first; one that ends where the next begins belongs to it. */
function prependEdit(hunks: Hunk[], edit: Hunk): void {
  const first = hunks[0];
  if (first === undefined || edit.to !== first.from || edit.end !== first.start) hunks.unshift(edit);
  else Object.assign(first, { from: edit.from, start: edit.start });
}
