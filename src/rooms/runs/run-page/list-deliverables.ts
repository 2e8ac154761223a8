/** The files in the folder of a result, and how each may be shown. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent } from '../../../core/ledger/disk.ts';
import type { Home } from '../../../core/schema/home.ts';
import { howShown, SHAPES } from '../../../kit/web/how-shown.ts';
import type { RunAnswer } from './run-answer.ts';

type Deliverable = RunAnswer['deliverables'][number];

const MOST_FILES = 300;
const DEEPEST = 12;

export function listDeliverables(home: Home, run: string): Deliverable[] {
  const folder = join(home.workspace, 'outbox', run);
  const found: Deliverable[] = [];
  if (lstatIfPresent(folder)?.isDirectory() === true) listFolder(folder, '', run, found);
  return found.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1));
}

/** Links are left out: they may lead anywhere. */
function listFolder(folder: string, at: string, run: string, found: Deliverable[]): void {
  if (at.split('/').length > DEEPEST) return;
  for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
    if (found.length >= MOST_FILES) return;
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    if (entry.isDirectory()) listFolder(folder, path, run, found);
    else if (entry.isFile()) {
      const href = `files/${encodeURIComponent(run)}/${path.split('/').map(encodeURIComponent).join('/')}`;
      found.push({ path, bytes: lstatIfPresent(join(folder, path))?.size ?? 0, href, shown: howShown(path) });
    }
  }
}

/** What the task left comes before what oka wrote about it, and pages come before what they show. */
const rankOf = ({ path, shown }: Deliverable): number =>
  path.startsWith('files/') ? SHAPES.indexOf(shown) / 10 : path === 'RESULT.md' ? 1 : path === 'TASK.md' ? 3 : 2;
