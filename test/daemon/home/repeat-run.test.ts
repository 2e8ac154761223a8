import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repeatRun } from '../../../src/daemon/home/repeat-run.ts';
import { withHost } from '../../../src/daemon/host.ts';
import { homeAt } from '../../../src/daemon/settings.ts';
import type { Intake } from '../../../src/schema/intake.ts';
import { startedRun } from '../../../src/schema/room.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const { signal } = new AbortController();
const graph = {
  id: 'say',
  nodes: [{ kind: 'transform', id: 'say', value: { text: 'hello {{input.who}}' } }],
};

describe('doing a run again', () => {
  it('runs a graph with the same input under a free name, and puts a task into the inbox once more', async () => {
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
      for (const name of ['r-replay', 'r-replay-2']) {
        expect(await repeatRun(home, 'r', request)).toMatchObject({ status: 'done' });
        expect(await engine.stateOf(name)).toMatchObject({ input: { who: 'Ada' }, link: { kind: 'replay', run: 'r' } });
      }
      expect(await repeatRun(home, run, request)).toBeUndefined();
      await expect(repeatRun(home, 'nothing', request)).rejects.toThrow('there is no run "nothing"');
    });
    const inbox = join(home.workspace, 'inbox');
    const [added = ''] = readdirSync(inbox, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /note.*\.md$/.test(name),
    );
    expect(readFileSync(join(inbox, added), 'utf8')).toBe(readFileSync(task, 'utf8'));
  });
});
