import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRepeat, repeatRun } from '../../../src/rooms/runs/repeat-run.ts';
import { withHost } from '../../../src/kit/house/host.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { withViews } from '../../../src/kit/house/open-views.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';
import { startedRun } from '../../../src/core/schema/room.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const { signal } = new AbortController();
const graph = {
  id: 'say',
  nodes: [{ kind: 'transform', id: 'say', value: { text: 'hello {{input.who}}' } }],
};

describe('doing a run again', () => {
  it('runs a graph with the same input and puts a task into the inbox once more, each once', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    const [file, task] = [join(folder.dir, 'say.json'), join(folder.dir, 'note.md')];
    writeFileSync(file, JSON.stringify(graph));
    writeFileSync(task, '# A note\n\n```bash\necho hi > note.txt\n```\n');
    await oka('graph', 'run', file, '--id', 'r', '--input', '{"who":"Ada"}', '--dir', folder.dir);
    await oka('run', task, '--dir', folder.dir);
    const home = homeAt(folder.dir);
    const [run = ''] = readdirSync(join(home.workspace, 'outbox'));
    await withHost(home, signal, async ({ handle, engine }) => {
      const request = async (intake: Intake): Promise<unknown> => startedRun(await handle(intake))?.done;
      expect(await repeatRun(home, 'r', request)).toMatchObject({ status: 'done' });
      const id = await withViews(home, (rows) => findRepeat(home, rows, 'r'));
      const link = { kind: 'replay', run: 'r' } as const;
      expect(await engine.stateOf(id ?? '')).toMatchObject({ input: { who: 'Ada' }, link });
      await expect(repeatRun(home, 'r', request)).rejects.toThrow(`it was asked for already, as ${id}`);
      await expect(request({ kind: 'rerun', id: id ?? '', link })).rejects.toThrow(); // asked at the same time
      expect(await repeatRun(home, run, request)).toBeUndefined();
      await expect(repeatRun(home, run, request)).rejects.toThrow('it was asked for already');
      await expect(repeatRun(home, 'nothing', request)).rejects.toThrow('there is no run "nothing"');
    });
    const inbox = join(home.workspace, 'inbox');
    const [added = ''] = readdirSync(inbox, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /note.*\.md$/.test(name),
    );
    const text = readFileSync(join(inbox, added), 'utf8');
    expect(text).toMatch(/^---\nid: note-[0-9a-f]{8}-again-[0-9a-f]{8}\n---\n/);
    expect(text.replace(/^---\n.*\n---\n/, '')).toBe(readFileSync(task, 'utf8'));
  });
});
