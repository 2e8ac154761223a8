/** What files say that people have saved, compared with what the ledger knows: one edit. */
import { OkaError } from '../../schema/errors.ts';
import { editOf, type PageEdit } from './edits.ts';
import { type PagesFolder, placeOf } from './page-files.ts';
import { readText } from './read-text.ts';
import { textsOf } from './remembered.ts';
import { linesIn, partsOf, textOf } from './text.ts';

/** The bytes of a file, and what it held when it was last accounted for. */
export type Look = { bytes: Buffer; from: Buffer | null };

/** One after the other. `text` is what the page has to have as far as the ledger knows. */
export function editIn(folder: PagesFolder, page: string, text: string, looks: readonly Look[]): PageEdit | null {
  const before = textsOf(placeOf(folder, page));
  const all: PageEdit = { page, lines: partsOf(text).people, removed: [], changed: [] };
  let last = text;
  let isEdited = false;
  for (const { bytes, from } of looks) {
    const { text: now, isGarbled } = readText(folder, page, bytes);
    const was = from === null ? null : readText(folder, page, from).text;
    const isWhole = was !== null && linesIn(was).stamp !== null;
    const edit = editOf(page, { now, last, before, isGarbled, ...(isWhole ? { from: was } : {}) });
    if (edit === null) continue;
    isEdited = true;
    all.lines = edit.lines;
    all.removed = [...new Set([...all.removed, ...edit.removed])];
    all.changed = [
      ...all.changed.filter(({ mark }) => edit.changed.every((each) => each.mark !== mark)),
      ...edit.changed,
    ];
    last = textOf({ lines: partsOf(last).ours }, edit.lines);
  }
  return isEdited ? fitting(all) : null;
}

const MOST_LINES = 10_000;
const LONGEST_LINE = 20_000;

/** What the ledger cannot hold is not taken: the page stays as the person made it. */
function fitting(edit: PageEdit): PageEdit {
  const texts = [...edit.lines, ...edit.changed.map(({ text }) => text)];
  const isShort = texts.every(({ length }) => length <= LONGEST_LINE);
  if (isShort && [edit.lines, edit.removed, edit.changed].every(({ length }) => length <= MOST_LINES)) return edit;
  throw new OkaError('refused', `more than ${MOST_LINES} lines, or one of more than ${LONGEST_LINE} characters`, {
    fix: 'Move what you keep there into a file of your own.',
  });
}
