import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fleetRuns } from '../../../src/kit/fleet/fleet-runs.ts';
import { releaseFolder, reserveFolder } from '../../../src/rooms/fleet/reserve-folder.ts';
import type { Host } from '../../../src/kit/house/host.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { TaskMessage } from '../../../src/core/schema/fleet.ts';

let dir = '';
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'oka-reserve-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const task = { id: 'report', home: 'elsewhere' } as TaskMessage;

/** A home that has received these tasks, and lost these runs. */
function hostWith({ ids = [], fenced = [] }: { ids?: string[]; fenced?: string[] }): Host {
  const stateOf = (projection: unknown): object =>
    projection === fleetRuns ? { ...fleetRuns.initial(), fenced } : { ids };
  return { home: homeAt(dir), valuesOf: () => ({ projections: { stateOf } }) } as unknown as Host;
}

it('a task of another home is not taken where a folder, or a task that stayed here, has its id', () => {
  expect(reserveFolder(hostWith({ ids: ['report'] }), 'here', task)).toBe(
    'this home has a task of its own with the id report',
  );
  mkdirSync(join(dir, 'workspace/desk/report'), { recursive: true });
  expect(reserveFolder(hostWith({}), 'here', task)).toContain('desk/report is there already');
});

it.each([
  ['it is of this home', hostWith, { ids: ['report'] }, 'elsewhere'],
  ['this home has worked on it before', hostWith, { ids: ['report'], fenced: ['report'] }, 'here'],
  ['nothing here has its id', hostWith, {}, 'here'],
])('it is taken when %s', (_, host, known, member) => {
  expect(reserveFolder(host(known), member, task)).toBeNull();
});

it('what was reserved stays so until it is released, though the task is received meanwhile', () => {
  expect(reserveFolder(hostWith({}), 'here', task)).toBeNull();
  expect(reserveFolder(hostWith({ ids: ['report'] }), 'here', task)).toBeNull();
  releaseFolder(hostWith({}), 'report');
  expect(reserveFolder(hostWith({ ids: ['report'] }), 'here', task)).toContain('a task of its own');
});
