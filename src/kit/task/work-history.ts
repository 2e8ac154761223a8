/**
 * Owns: what a worker is shown of its work so far.
 *
 * H1 It never exceeds its room, however long the work lasts.
 * H6 While all of it fits it only grows: every result and every note stays as it was first shown, in the order of the turns.
 * H2 Where it does not, the results of the last turn are shown whole as far as they fit, and so are those that the worker asked to see again.
 *    Older ones stay while they are small; else they are a line with their size, and can be shown again.
 * H3 Notes of the worker stay, the latest first when there is no room for all.
 * H4 Pictures are shown with the results of the last turn and with those that the worker asked to see again, the latest
 *    when there are many; the result names them.
 * H5 Output of tools and notes are marked as material; a person's answer is shown as a person's answer.
 */
import { type PromptPicture, storedPictures } from '../../core/schema/picture.ts';
import type { Evidence } from '../../core/schema/ports.ts';
import { byteLength, formatOutput, truncateText, wrapAsData } from '../text/prompt-text.ts';
import { escapeInvisible, toOneLine } from '../../core/schema/one-line.ts';

const MAX_LINES = 60;
/** Shares of the room: for notes, for the results of the last turn, and for lines about turns that are not shown. */
const NOTES = 1 / 6;
const LATEST = 0.55;
const LINES = 0.1;
/** Older results stay while they are at most this share of the room each, and all of them at most that one. */
const SMALL = 1 / 16;
const OLDER = 0.5;
/** All of it stays while it is at most this share of the room, and this many bytes: more of it helps no turn. */
const WHOLE = 0.9;
const MOST_WHOLE = 30_000;
const MAX_NOTE = 4000;
/** A mark, its label and the line above it. */
const AROUND = 420;
const LEAST_SHOWN = 200;

/** More pictures than this in one prompt are not shown; the bounds of a model may be lower. */
const MOST_PICTURES = 4;

/** The pictures that go with the history. */
export function selectPictures(evidence: readonly Evidence[]): Map<Evidence, PromptPicture[]> {
  const fresh = selectFresh(evidence.filter(hasResult), lastShown(evidence));
  const found = fresh.flatMap((entry) => picturesOf(entry).map((picture) => ({ entry, picture })));
  const selected = new Map<Evidence, PromptPicture[]>();
  found.slice(-MOST_PICTURES).forEach(({ entry, picture }, index) => {
    selected.set(entry, [...(selected.get(entry) ?? []), { name: `Picture ${index + 1}`, ...picture }]);
  });
  return selected;
}

const picturesOf = ({ decision, output }: Evidence) =>
  decision.kind === 'CallTool' ? storedPictures(decision.tool, output) : [];

export function buildHistory(
  evidence: readonly Evidence[],
  room: number,
  pictures: ReadonlyMap<Evidence, readonly PromptPicture[]> = new Map(),
): string[] {
  const results = evidence.filter(hasResult);
  const format = (entry: Evidence, most: number): string => formatResult(entry, most, pictures.get(entry) ?? []);
  const all = [...Map.groupBy(evidence, ({ turn }) => turn).values()].map((entries) => formatTurn(entries, format));
  if (byteLength(all.join('\n\n')) <= Math.min(room * WHOLE, MOST_WHOLE)) return all.filter((turn) => turn !== '');
  const notes = formatNotes(evidence, Math.floor(room * NOTES));
  const whole = selectLatest(results, lastShown(evidence), room);
  const latest = [...whole].reduce((sum, [entry, most]) => sum + byteLength(format(entry, most)) + 2, 0);
  selectOlder(results, whole, room, room * (1 - LINES) - byteLength(notes) - latest);
  const full = results.flatMap((entry) => {
    const most = whole.get(entry);
    return most === undefined ? [] : [format(entry, most)];
  });
  const used = byteLength([notes, ...full].join('\n\n')) + 100;
  const lines = formatLines(
    evidence.filter((entry) => !whole.has(entry)),
    room - used,
  );
  const shown = [lines, notes, ...full].filter((part) => part !== '').join('\n\n');
  return shown === '' ? [] : [shown];
}

/** A turn as it stays (H6). */
function formatTurn(entries: readonly Evidence[], format: (entry: Evidence, most: number) => string): string {
  const note = entries.find(({ decision }) => decision.note !== undefined);
  const done = entries.map((entry) =>
    hasResult(entry) ? format(entry, byteLength(resultText(entry)) * 8) : (formatLine(entry) ?? ''),
  );
  const noted = note === undefined ? '' : `You noted:\n${wrapAsData('notes', note.decision.note ?? '', MAX_NOTE)}`;
  return [...done, noted].filter((part) => part !== '').join('\n\n');
}

const hasResult = ({ decision }: Evidence): boolean => decision.kind === 'CallTool' || decision.kind === 'AskHuman';

/** The turns whose results the worker asked to see again in its last answer, counted from 1. */
function lastShown(evidence: readonly Evidence[]): ReadonlySet<number> {
  const last = evidence.at(-1)?.turn;
  return new Set(evidence.filter(({ turn }) => turn === last).flatMap(({ decision }) => decision.show ?? []));
}

function selectFresh(results: readonly Evidence[], shown: ReadonlySet<number>): Evidence[] {
  const last = results.at(-1)?.turn;
  return results.filter(({ turn }) => turn === last || shown.has(turn + 1));
}

/** The results of the last turn and those that were asked for, each with the most bytes it may use (H1, H2). */
function selectLatest(results: readonly Evidence[], shown: ReadonlySet<number>, room: number): Map<Evidence, number> {
  const fresh = selectFresh(results, shown);
  const whole = new Map<Evidence, number>();
  const share = Math.floor((room * LATEST) / Math.max(1, fresh.length)) - AROUND;
  if (share < LEAST_SHOWN && fresh.length > 1) fresh.splice(0, fresh.length - Math.floor((room * LATEST) / 700));
  const each = Math.floor((room * LATEST) / Math.max(1, fresh.length)) - AROUND;
  const sizes = fresh.map((entry) => byteLength(resultText(entry)));
  let spare = sizes.reduce((sum, size) => sum + Math.max(0, each - size), 0);
  fresh.forEach((entry, index) => {
    const more = Math.max(0, Math.min(spare, (sizes[index] ?? 0) - each));
    spare -= more;
    if (each + more >= LEAST_SHOWN || (sizes[index] ?? 0) <= each) whole.set(entry, Math.max(LEAST_SHOWN, each + more));
  });
  return whole;
}

/** Adds older results that are small, the latest first, while they fit (H2). */
function selectOlder(results: readonly Evidence[], whole: Map<Evidence, number>, room: number, free: number): void {
  let left = Math.min(room * OLDER, free);
  for (const entry of results.toReversed()) {
    const most = byteLength(resultText(entry)) * 8;
    const size = byteLength(resultText(entry)) > room * SMALL ? room : byteLength(formatResult(entry, most)) + 2;
    if (whole.has(entry) || size > room * SMALL + AROUND || size > left) continue;
    whole.set(entry, most);
    left -= size;
  }
}

const resultText = ({ error, output }: Evidence): string => error ?? formatOutput(output);

function formatResult(entry: Evidence, most: number, pictures: readonly PromptPicture[] = []): string {
  const { decision } = entry;
  if (decision.kind === 'AskHuman')
    return `Turn ${entry.turn + 1}: you asked: ${toOneLine(decision.question, 300)}\nThe person answered: ${truncateText(escapeInvisible(resultText(entry)), most)}`;
  return `Turn ${entry.turn + 1}: ${describeDecision(entry)} → ${outcomeOf(entry)}${pictureNote(entry, pictures)}\n${wrapAsData('result', resultText(entry), most)}`;
}

function pictureNote(entry: Evidence, shown: readonly PromptPicture[]): string {
  if (shown.length > 0) return `, see ${shown.map(({ name }) => name).join(', ')}`;
  return picturesOf(entry).length > 0 ? ', with a picture that show_results shows again' : '';
}

function formatNotes(evidence: readonly Evidence[], room: number): string {
  const notes: string[] = [];
  let left = room - AROUND;
  for (const { turn, decision } of evidence.toReversed()) {
    if (decision.note === undefined) continue;
    const note = `turn ${turn + 1}: ${truncateText(decision.note, Math.max(0, left))}`;
    if (left < LEAST_SHOWN) break;
    notes.unshift(note);
    left -= byteLength(note) + 1;
  }
  return notes.length === 0 ? '' : `Your notes:\n${wrapAsData('notes', notes.join('\n'), room)}`;
}

/** Every other turn as a line, the oldest as a number. */
function formatLines(entries: readonly Evidence[], room: number): string {
  const lines: string[] = [];
  let left = room - AROUND;
  for (const entry of entries.toReversed()) {
    const line = formatLine(entry);
    if (line === null) continue;
    if (lines.length === MAX_LINES || byteLength(line) > left - 60) {
      lines.unshift(`turns 1 to ${entry.turn + 1}: not listed`);
      break;
    }
    lines.unshift(line);
    left -= byteLength(line) + 1;
  }
  return lines.length === 0 || left < 0
    ? ''
    : `Earlier turns:\n${wrapAsData('turns', lines.join('\n'), Number.MAX_SAFE_INTEGER)}`;
}

/** A turn that was only a note is with the notes. */
function formatLine(entry: Evidence): string | null {
  if (entry.decision.kind === 'Transition' && (entry.decision.note ?? entry.decision.show) !== undefined) return null;
  const error = entry.error === null ? '' : `: ${toOneLine(entry.error, 80)}`;
  const size = hasResult(entry) && error === '' ? ` (${byteLength(resultText(entry))} bytes)` : '';
  return `turn ${entry.turn + 1}: ${describeDecision(entry)} → ${outcomeOf(entry)}${error}${size}`;
}

const outcomeOf = ({ decision, outcome }: Evidence): string =>
  outcome ?? (decision.kind === 'CallTool' ? 'not made' : 'noted');

function describeDecision({ decision }: Evidence): string {
  switch (decision.kind) {
    case 'CallTool':
      return `${decision.tool} ${toOneLine(JSON.stringify(decision.input), 120)}`;
    case 'Transition':
      return `to ${decision.to}`;
    case 'AskHuman':
      return `asked: ${toOneLine(decision.question, 120)}`;
    case 'Finish':
      return 'finish';
    case 'Fail':
      return `fail: ${toOneLine(decision.reason, 120)}`;
  }
}
