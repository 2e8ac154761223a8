/** Combines all saved versions of a page into one edit, compared with what the ledger knows. */
import { OkaError } from '../../../core/schema/errors.ts';
import { findEdit } from './find-edit.ts';
import type { PageEdit } from '../../../kit/learning/page-text.ts';
import { type PagesFolder, pagePlace } from '../../../kit/learning/page-files.ts';
import { decodePage } from './decode-page.ts';
import { storedTexts } from './page-state.ts';
import { parseLines, splitText, composeText } from '../../../kit/learning/page-text.ts';

/** The bytes of a file, and what it contained when it was last accounted for. */
export type SavedFile = { bytes: Buffer; from: Buffer | null };

/** Applies the versions one after the other. `text` is what the page should contain according to the ledger. */
export function combineEdits(
  folder: PagesFolder,
  page: string,
  text: string,
  files: readonly SavedFile[],
): PageEdit | null {
  const before = storedTexts(pagePlace(folder, page));
  const all: PageEdit = { page, lines: splitText(text).people, removed: [], changed: [] };
  let last = text;
  let isEdited = false;
  for (const { bytes, from } of files) {
    const { text: now, isGarbled } = decodePage(folder, page, bytes);
    const was = from === null ? null : decodePage(folder, page, from).text;
    const isWhole = was !== null && parseLines(was).stamp !== null;
    const edit = findEdit(page, { now, last, before, isGarbled, ...(isWhole ? { from: was } : {}) });
    if (edit === null) continue;
    isEdited = true;
    all.lines = edit.lines;
    all.removed = [...new Set([...all.removed, ...edit.removed])];
    all.changed = [
      ...all.changed.filter(({ mark }) => edit.changed.every((each) => each.mark !== mark)),
      ...edit.changed,
    ];
    last = composeText({ lines: splitText(last).ours }, edit.lines);
  }
  return isEdited ? assertFits(all) : null;
}

const MAX_LINES = 10_000;
const MAX_LINE_LENGTH = 20_000;

/** Refuses an edit that does not fit into the ledger; the page stays as the person saved it. */
function assertFits(edit: PageEdit): PageEdit {
  const texts = [...edit.lines, ...edit.changed.map(({ text }) => text)];
  const isShort = texts.every(({ length }) => length <= MAX_LINE_LENGTH);
  if (isShort && [edit.lines, edit.removed, edit.changed].every(({ length }) => length <= MAX_LINES)) return edit;
  throw new OkaError('refused', `more than ${MAX_LINES} lines, or one of more than ${MAX_LINE_LENGTH} characters`, {
    fix: 'Move your notes into a file of your own.',
  });
}
