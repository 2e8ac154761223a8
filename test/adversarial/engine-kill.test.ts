/** D3 and R1 to R3 against the process: killed at any moment while runs are under way, and started again each time. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { planOf } from '../../src/core/engine/graph-plan.ts';
import { replayDecisions } from '../../src/core/engine/replay-run.ts';
import { defaultStates } from '../../src/core/engine/agent-states.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { killedOften } from '../support/engine-kill-lane.ts';
import { faultsIn } from '../support/engine-kill-observer.ts';
import { countingTools, shapes } from '../support/engine-kill-work.ts';
import { randomFrom } from '../support/ledger-samples.ts';
import { leastOf, scaled, scaledLimit } from '../support/thorough.ts';

const inMemory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'oka-engine-'));
const onDisk = mkdtempSync(join(tmpdir(), 'oka-engine-'));
afterAll(() => {
  for (const dir of [inMemory, onDisk]) rmSync(dir, { recursive: true, force: true });
});

describe.concurrent('kill -9 of an engine with three runs of twenty nodes', () => {
  const lanes = [
    { where: 'in memory', kills: scaled(50), seed: 11, dir: inMemory, snapshots: false },
    { where: 'on disk, with snapshots of runs', kills: scaled(50), seed: 12, dir: onDisk, snapshots: true },
  ];
  it.each(lanes)(
    'D3 $where, after $kills kills every run ends, nothing harmful happened twice, every effect has intent and outcome',
    { timeout: scaledLimit(900_000) },
    async ({ kills, seed, ...lane }) => {
      const { sight, tally } = await killedOften(lane, kills, randomFrom(seed));
      expect(faultsIn(sight), `seed ${seed}`).toEqual([]);
      expect(await verifyLedger(join(lane.dir, '.oka', 'run_ledger.jsonl'))).toMatchObject({ state: 'intact' });
      expect(differencesIn(sight.events)).toEqual([]);
      expect(tally.kills).toBe(kills);
      expect(tally.inDoubt).toBeGreaterThan(leastOf(kills / 3));
      expect(tally.calls['begun, no effect']).toBeGreaterThan(leastOf(kills / 10));
      expect(tally.calls['effect, not returned']).toBeGreaterThan(leastOf(kills / 10));
    },
  );
});

/** What would be decided otherwise today. */
function differencesIn(events: readonly Event[]): unknown[] {
  const tools = new Map(countingTools(() => undefined).map((tool) => [tool.name, tool]));
  return [...Map.groupBy(events, ({ run }) => run)].flatMap(([run, all]) => {
    const graph = shapes[run?.split('-')[1] ?? ''];
    if (graph === undefined) return [];
    const { difference } = replayDecisions(planOf(graph, '', defaultStates), all, (name) => tools.get(name));
    return difference === null ? [] : [{ run, ...difference }];
  });
}
