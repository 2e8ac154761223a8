/**
 * Owns: which pages are in .oka/approvals, and noticing that a person edited one.
 *
 * B1 A wait that opens gets a page of ours, whatever is there already. An existing page is trusted only for a wait that
 *    was open when this process began, and then only if it is exactly the page that we would write.
 * B2 An edit is judged once two polls in a row found the same file: nobody's save is torn apart.
 */
import { hash } from 'node:crypto';
import { type Open, pageOpening, readAnswer, renderApprovalPage } from '../../core/guard/approval-page.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Folder } from './approval-files.ts';

type Edit = Exclude<ReturnType<typeof readAnswer>, { kind: 'untouched' }>;

type ApprovalPageSet = {
  /** Writes the pages that are missing, and removes those of waits that closed. */
  align: (folder: Folder, open: readonly Open[]) => void;
  /** Removes pages of waits that closed while no process could remove them. */
  sweep: (folder: Folder, open: readonly Open[]) => void;
  isSwept: () => boolean;
  isEmpty: () => boolean;
  /** What a person wrote on the page; null when there is nothing to judge yet. */
  readEdit: (folder: Folder, each: Open) => Edit | null;
  nameOf: (wait: string) => string;
};

/** `settled` is the state of the file that has been dealt with, `seen` the one that the last poll found. */
type Page = { settled: string | null; seen: string | null };

const MOST_BYTES = 512 * 1024;
const LONGEST_NAME = 200;

export function approvalPageSet(openAtStart: readonly Open[]): ApprovalPageSet {
  const openBefore = new Set(openAtStart.map(({ wait }) => wait));
  const pages = new Map<string, Page>();
  let isSwept = false;
  return { align, sweep, isSwept: () => isSwept, isEmpty: () => pages.size === 0, readEdit, nameOf };

  function align(folder: Folder, open: readonly Open[]): void {
    const wanted = new Set(open.map(({ wait }) => wait));
    for (const wait of pages.keys()) {
      if (wanted.has(wait)) continue;
      folder.remove(nameOf(wait));
      pages.delete(wait);
    }
    for (const each of open) if (!pages.has(each.wait)) pages.set(each.wait, firstPage(folder, each));
  }

  function firstPage(folder: Folder, each: Open): Page {
    const name = nameOf(each.wait);
    const isOld = openBefore.has(each.wait) && folder.stampOf(name) !== null;
    return { settled: isOld ? null : folder.write(name, renderApprovalPage(each)), seen: null };
  }

  function sweep(folder: Folder, open: readonly Open[]): void {
    const wanted = new Set(open.map(({ wait }) => nameOf(wait)));
    for (const name of folder.names())
      if (name.endsWith('.md') && !wanted.has(name) && isPage(folder, name)) folder.remove(name);
    isSwept = true;
  }

  function readEdit(folder: Folder, each: Open): Edit | null {
    const page = pages.get(each.wait);
    const name = nameOf(each.wait);
    if (page === undefined || !hasSettledChange(folder, each, page)) return null;
    const read = readContent(folder, each, name);
    if (read.kind === 'refused') page.settled = folder.write(name, renderApprovalPage(each, read.reason));
    if (read.kind !== 'untouched') return read;
    page.settled = page.seen;
    return null;
  }

  /** Whether the page differs from ours and two polls found the same file (B2); a page that is gone is rewritten. */
  function hasSettledChange(folder: Folder, each: Open, page: Page): boolean {
    const name = nameOf(each.wait);
    const stamp = folder.stampOf(name);
    if (stamp === null) page.settled = folder.write(name, renderApprovalPage(each));
    if (stamp === null || stamp === page.settled) return false;
    const isSame = stamp === page.seen;
    page.seen = stamp;
    return isSame;
  }
}

function readContent(folder: Folder, each: Open, name: string): ReturnType<typeof readAnswer> {
  try {
    return readAnswer(renderApprovalPage(each), folder.read(name, MOST_BYTES));
  } catch (error) {
    if (!(error instanceof OkaError) && errnoOf(error) === undefined) throw error;
    return { kind: 'refused', reason: messageOf(error) };
  }
}

function isPage(folder: Folder, name: string): boolean {
  try {
    return folder.read(name, MOST_BYTES).startsWith(pageOpening(name.slice(0, -'.md'.length)));
  } catch {
    return false; // what cannot be read is no page of ours
  }
}

/** A wait's name may be longer than a file name can be. */
function nameOf(wait: string): string {
  if (wait.length <= LONGEST_NAME) return `${wait}.md`;
  return `${wait.slice(0, LONGEST_NAME - 20)}-${hash('sha256', wait).slice(0, 16)}.md`;
}
