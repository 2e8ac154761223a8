/** Passes over pages without end: `OKA LEDGER`. What is known of people's edits is in the ledger, and nowhere else. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '../../src/core/schema/learning-part.ts';
import type { PageEdit } from '../../src/kit/learning/page-text.ts';
import { scanPages } from '../../src/rooms/maintenance/pages/scan-pages.ts';
import { writePage } from '../../src/rooms/maintenance/pages/write-page.ts';
import { composeText } from '../../src/kit/learning/page-text.ts';

export const PAGES = ['brain/LEARNINGS-general.md', 'brain/TODOS.md'];

export function openKeeper(
  oka: string,
  ledger: string,
): { pass: () => Promise<PageEdit[]>; known: Map<string, string[]> } {
  const folder = { oka, state: join(oka, 'maintenance/pages'), quietMs: 0 };
  const known = new Map<string, string[]>();
  const recorded = readFileSync(ledger, 'utf8').split('\n').filter(Boolean);
  for (const line of recorded) take(JSON.parse(line) as PageEdit);
  let passes = recorded.length;
  return { pass, known };

  function take(edit: PageEdit): void {
    known.set(edit.page, edit.lines);
  }

  function record(edit: PageEdit): PageEdit {
    appendFileSync(ledger, `${JSON.stringify(edit)}\n`);
    take(edit);
    return edit;
  }

  async function pass(): Promise<PageEdit[]> {
    const rendered = (page: string): string => composeText(pageAt(passes), known.get(page) ?? []);
    const edits = (await scanPages(folder, rendered)).map(record);
    passes += 1;
    for (const page of PAGES)
      for (
        let edit = await writePage(folder, page, rendered(page));
        edit !== null;
        edit = await writePage(folder, page, rendered(page))
      )
        edits.push(record(edit));
    return edits;
  }
}

/** Other lines every time. */
function pageAt(passes: number): Page {
  const entries = Array.from({ length: 20 }, (_, index) => passes + index);
  const lines = entries.map((entry) => ({ text: `- [ ] entry ${entry}`, mark: `failed:run-${entry}` }));
  return { lines: [{ text: `# After pass ${passes}`, mark: null }, { text: '', mark: null }, ...lines] };
}

const [oka, ledger] = process.argv.slice(2);
if (process.argv[1]?.endsWith('page-keeper.ts') && oka !== undefined && ledger !== undefined) {
  const keeper = openKeeper(oka, ledger);
  process.stdout.write('ready\n');
  for (;;) await keeper.pass();
}
