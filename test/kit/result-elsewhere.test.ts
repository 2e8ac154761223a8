import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeAt } from '../../src/kit/settings.ts';
import { type ResultReportPorts, reportResults } from '../../src/rooms/task/report-results.ts';
import { taskGraph } from '../../src/kit/task/task-loop.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { temporaryFolder } from '../support/cli.ts';

it('a page that came back from the fleet is not replaced by that of a run which was lost here', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  const page = join(home.workspace, 'outbox', 'far', 'RESULT.md');
  mkdirSync(join(home.workspace, 'outbox', 'far'), { recursive: true });
  writeFileSync(page, 'done elsewhere');
  const state = { id: 'far', status: 'cancelled', plan: { graph: taskGraph }, waits: new Map() };
  const pending = new Set(['far']);
  const read: string[] = [];
  const results = reportResults({
    home,
    runs: {
      stateOf: () => Promise.resolve(state),
      eventsOf: (run: string) => {
        read.push(run);
        return Promise.resolve([]);
      },
    },
    pending: { remove: (run: string) => pending.delete(run), runs: () => [...pending], watch: () => undefined },
    report: () => undefined,
    isElsewhere: (run: string) => run === 'far',
  } as unknown as ResultReportPorts);
  results.watch([{ type: 'run.ended', run: 'far', data: { status: 'cancelled' } } as unknown as Event]);
  await results.write('far');
  await results.close();
  expect(readFileSync(page, 'utf8')).toBe('done elsewhere');
  expect([...pending]).toEqual([]);
  expect(read).toEqual([]);
});
