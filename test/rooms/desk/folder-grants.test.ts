import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/engine/run-state.ts';
import type { OpenFolder } from '../../../src/core/schema/folder.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import type { LoadedPolicy } from '../../../src/kit/policy/policy-file.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { openFolderGrants } from '../../../src/rooms/desk/folder-grants.ts';

const MAIL = `mail-${'0'.repeat(24)}`;

let top: string;
beforeEach(() => void (top = realpathSync(mkdtempSync(join(tmpdir(), 'oka-folders-')))));
afterEach(() => rmSync(top, { recursive: true }));

/** What is open to a run of this name, made from that one, whose text names a folder of the policy. */
async function openTo(id: string, link: RunState['link']): Promise<readonly OpenFolder[]> {
  const home = homeAt(join(top, 'home'));
  setUp(home);
  const letters = join(top, 'letters');
  mkdirSync(letters);
  const input = { name: 'a.md', title: 'a', body: 'a'.repeat(64), fields: {}, first_line: 1, dir: null };
  const states = new Map<string, Partial<RunState>>([
    [id, { id, parent: null, link, input }],
    [MAIL, { id: MAIL, parent: null, link: null, input }],
  ]);
  const policy = { policy: { folders: [{ path: letters, access: 'read', tasks: 'named' }] } };
  const { forCall } = openFolderGrants({
    home,
    policy: () => policy as unknown as LoadedPolicy,
    runs: { stateOf: async (run) => (states.get(run) as RunState | undefined) ?? null, eventsOf: async () => [] },
    artifacts: { get: async () => Buffer.from(`Read ${letters}.`) },
    clock: Date.now,
    approved: { list: () => [], add: () => undefined },
  });
  return await forCall({ run: id, author: 'operator' });
}

it.each([
  ['of a person', 'summary', null, 1],
  ['of a mail', MAIL, null, 0],
  ['that forks the task of a mail under a name of its own', 'summary', { kind: 'fork', run: MAIL, step: 'execute' }, 0],
] as const)('the text of a task %s opens what the policy opens to those that name it', async (_, id, link, count) => {
  expect(await openTo(id, link as RunState['link'])).toHaveLength(count);
});
