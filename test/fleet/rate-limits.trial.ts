/** Three homes, hours apart by their clocks, share a rate limit while workers are killed: counted at the server of the model. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SHARED } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { startFleetHomes, until } from '../support/fleet-homes.ts';
import { findNatsServer, type NatsCluster, restartLeader, startCluster } from '../support/nats-cluster.ts';
import { readingForever } from '../support/story-model.ts';
import { openWireServer } from '../support/wire-server.ts';

const LIMIT = { calls: 4, seconds: 20 };
const APART: Record<string, number> = { h0: 0, h1: 3_600_000, h2: -3_600_000 };
const TASKS_PER_HOME = 2;

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('a rate limit', () => {
  it('is respected by three homes together, though clocks are apart, workers are killed and a leader is gone', async () => {
    await using cluster = await startCluster({ size: 3 });
    expect(await mostWithinLimit({}, cluster)).toBeLessThanOrEqual(LIMIT.calls);
  });

  it('is counted by each home alone without the fleet, and then the same check finds too many calls', async () => {
    await using cluster = await startCluster({ size: 1 });
    expect(await mostWithinLimit({ OKA_FLEET: '' }, cluster)).toBeGreaterThan(LIMIT.calls);
  });
});

/** The most calls that the model got within the time of the limit. */
async function mostWithinLimit(variables: Record<string, string>, cluster: NatsCluster): Promise<number> {
  const arrived: number[] = [];
  const script = readingForever();
  const model = await openWireServer((request) => {
    arrived.push(performance.now());
    return script(request);
  });
  await using homes = await startFleetHomes(cluster, Object.keys(APART), {
    variables,
    variablesOf: (name) => ({ OKA_TRIAL_CLOCK_MS: `${APART[name]}` }),
    prepare: (home) => {
      const settings = { 'custom:story': { base_url: `${model.url}/v1`, max_tokens: 500 } };
      const config = JSON.parse(readFileSync(home.config, 'utf8')) as object;
      const rate_limits = { 'model.complete': LIMIT };
      writeFileSync(home.config, JSON.stringify({ ...config, rate_limits, models: { use: 'custom:story', settings } }));
      for (let index = 0; index < TASKS_PER_HOME; index += 1)
        addTask(join(home.workspace, 'inbox'), {
          text: 'Read everything.\n',
          fields: { id: `t-${index}`, dir: `d-${index}`, budget: { tool_calls: 40, replans: 0 } },
        });
    },
  });
  const { list } = homes;
  await until(list, 'the model was called', () => arrived.length >= 2);
  for (const [index, home] of list.entries()) {
    await home.kill();
    home.start();
    await sleep(4000);
    if (index === 1 && cluster.size > 1) await restartLeader(cluster, SHARED);
  }
  await until(list, 'the limit has passed several times', () => arrived.length >= LIMIT.calls * 4, 300);
  const most = Math.max(...arrived.map((from) => arrived.filter((at) => isWithin(from, at)).length));
  console.log(JSON.stringify({ fleet: variables['OKA_FLEET'] === undefined, ...LIMIT, made: arrived.length, most }));
  await model.close();
  return most;
}

const isWithin = (from: number, at: number): boolean => at >= from && at < from + LIMIT.seconds * 1000;
