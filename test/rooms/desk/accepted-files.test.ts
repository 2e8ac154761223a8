import { expect, it } from 'vitest';
import type { RunState } from '../../../src/core/engine/run-state.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { acceptedFiles } from '../../../src/rooms/desk/accepted-files.ts';

const accept = ['file: .toolrc', 'contains: .other/a "x"', 'file: .gone is absent', 'It writes nothing to .bashrc.'];

function runsWith(fields: Record<string, Json>): Parameters<typeof acceptedFiles>[0] {
  const input = { name: 'a.md', title: 'a', body: 'a'.repeat(64), fields, first_line: 1, dir: 'p' };
  const states: Record<string, Partial<RunState>> = { inner: { parent: 'task' }, task: { parent: null, input } };
  return { stateOf: async (run) => (states[run] as RunState | undefined) ?? null };
}

it('checks of the front matter name files, in the folder of the task; sentences and files that must be gone do not', async () => {
  expect(await acceptedFiles(runsWith({ accept }), 'inner')).toEqual(['p/.toolrc', 'p/.other/a']);
});

it('a task that an agent has started names none', async () => {
  const from_chat = { conversation: 'c', message: 'm1', agent: 'a' };
  expect(await acceptedFiles(runsWith({ accept, from_chat }), 'inner')).toEqual([]);
});
