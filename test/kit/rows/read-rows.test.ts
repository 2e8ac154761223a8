import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listConversations, listMessages } from '../../../src/rooms/chat/model/chat-queries.ts';
import { chatView } from '../../../src/rooms/chat/model/chat-view.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { viewFolds, withViews } from '../../../src/kit/house/open-views.ts';
import { withRowsOf } from '../../../src/kit/rows/read-rows.ts';
import { startViewsWriter, viewsFile, writeViews } from '../../../src/kit/rows/views-writer.ts';
import { FoldStore, readProgress } from '../../../src/core/ledger/fold-store.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import type { Rows } from '../../../src/core/schema/rows.ts';
import { temporaryFolder } from '../../support/cli.ts';

const say = (at: number, content: string): NewEvent => {
  const message = `0000000000a${at}`;
  const who = { from: 'user', kind: 'person' as const, depth: 0, chain: message };
  return { type: 'message.posted', data: { conversation: 'c', message, content, ...who } };
};

async function append(home: Home, events: readonly NewEvent[]): Promise<number> {
  const stores = await openStores(home, await loadConfig(home), 'run');
  const last = (await stores.ledger.append(events)).at(-1);
  await stores.close();
  return last?.seq ?? 0;
}

const query = (rows: Rows): unknown => ({ list: listConversations(rows), page: listMessages(rows, 'trip') });

it('one view alone reads what all views together read: from a file, beyond it, without it, and from a damaged one', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  await append(home, [{ type: 'chat.opened', data: { conversation: 'c', name: 'trip' } }, say(1, 'where do we stay?')]);
  await writeViews(home, await viewFolds(), new AbortController().signal);
  const both = async (): Promise<[unknown, unknown]> => [
    await withViews(home, query),
    await withRowsOf(home, chatView, query),
  ];
  const [stored, alone] = await both();
  expect(alone).toEqual(stored);
  await append(home, [say(2, 'in Graz'), { type: 'chat.paused', data: { conversation: 'c' } }]);
  const [newer, aloneNewer] = await both();
  expect(aloneNewer).toEqual(newer);
  expect(JSON.stringify(aloneNewer)).toContain('in Graz');
  writeFileSync(viewsFile(home), 'no database');
  expect(await withRowsOf(home, chatView, query)).toEqual(newer);
  rmSync(viewsFile(home));
  expect(await withRowsOf(home, chatView, query)).toEqual(newer);
});

it('one view alone reads a file in which only other views are of another version, and none in which it is itself', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const readFrom = async (version: string): Promise<number> => {
    rmSync(viewsFile(home), { force: true });
    const written = FoldStore.open(viewsFile(home), { version, hasTexts: true });
    written.put('chat/name/planted', 'x');
    written.close();
    return withRowsOf(home, chatView, (rows) => [...rows.each('chat/name/')].length);
  };
  expect(await readFrom(`run.99 chat.${chatView.version} fact.99`)).toBe(1);
  expect(await readFrom(`run.1 chat.${chatView.version + 1}`)).toBe(0);
  expect(await readFrom(`run.1 chat.${chatView.version}0`)).toBe(0);
});

it('what was erased while somebody read it is gone from the file soon after, although nothing more happens', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const views = await viewFolds();
  await append(home, [{ type: 'chat.opened', data: { conversation: 'c', name: 'trip' } }, say(1, 'to quillonbridge')]);
  await writeViews(home, views, new AbortController().signal);
  const files = (): string =>
    globSync(`${viewsFile(home)}*`)
      .map((file) => readFileSync(file, 'latin1'))
      .join('')
      .toLowerCase();
  const reader = FoldStore.openReadOnly(viewsFile(home), views.shape);
  expect(JSON.stringify(query(reader))).toContain('quillonbridge');
  const seq = await append(home, [{ type: 'chat.deleted', data: { conversation: 'c', why: 'person' } }]);
  const writer = startViewsWriter(home, views, seq);
  await expect.poll(() => readProgress(viewsFile(home))?.read.run, { timeout: 20_000 }).toBe(seq);
  expect(files()).toContain('quillonbridge');
  reader.close();
  await expect.poll(files, { timeout: 20_000 }).not.toContain('quillonbridge');
  await writer.close();
});
