/** Three homes share the budget of a day, while their workers are killed: counted at the server of the model. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { withDayBudget } from '../support/day-budget-story.ts';
import { eventsAt, type FleetHome, startFleetHomes, until } from '../support/fleet-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';
import { readingForever } from '../support/story-model.ts';
import { openWireServer } from '../support/wire-server.ts';

const LIMIT = 9;
const NAMES = ['h0', 'h1', 'h2'];
/** A task with a folder of its own stays at home, so that every home calls the model. */
const TASKS_PER_HOME = 3;

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('the budget of a day', () => {
  it(`${LIMIT} calls are made by three homes together, though workers are killed in the middle of calls`, async () => {
    await using cluster = await startCluster({ size: 3 });
    expect(await requestsOf({}, cluster)).toBeLessThanOrEqual(LIMIT);
  });

  it('is counted by each home alone without the fleet, and then the same check finds that more was spent', async () => {
    await using cluster = await startCluster({ size: 1 });
    expect(await requestsOf({ OKA_FLEET: '' }, cluster)).toBeGreaterThan(LIMIT);
  });
});

/** How many calls the model got when every home waits for the budget. */
async function requestsOf(
  variables: Record<string, string>,
  cluster: Awaited<ReturnType<typeof startCluster>>,
): Promise<number> {
  const model = await openWireServer(readingForever());
  await using homes = await startFleetHomes(cluster, NAMES, {
    variables,
    prepare: (home) => {
      writeFileSync(home.policy, withDayBudget(`{ calls: ${LIMIT} }`)(readFileSync(home.policy, 'utf8')));
      const settings = { 'custom:story': { base_url: `${model.url}/v1`, max_tokens: 500 } };
      const config = JSON.parse(readFileSync(home.config, 'utf8')) as object;
      writeFileSync(home.config, JSON.stringify({ ...config, models: { use: 'custom:story', settings } }));
      for (let index = 0; index < TASKS_PER_HOME; index += 1)
        addTask(join(home.workspace, 'inbox'), {
          text: 'Read everything.\n',
          fields: { id: `t-${index}`, dir: `d-${index}`, budget: { tool_calls: 12, replans: 0 } },
        });
    },
  });
  const { list } = homes;
  await until(list, 'the model was called', () => model.requests.length >= 2);
  const [first, second] = list;
  await first?.kill();
  first?.start();
  await sleep(500);
  await second?.kill();
  second?.start();
  await until(list, 'every home waits for the budget', async () =>
    (await Promise.all(list.map(isWaiting))).every(Boolean),
  );
  await sleep(4000);
  const { length } = model.requests;
  console.log(JSON.stringify({ fleet: variables['OKA_FLEET'] === undefined, limit: LIMIT, requests: length }));
  await model.close();
  return length;
}

async function isWaiting(home: FleetHome): Promise<boolean> {
  return (await eventsAt(home)).some(
    ({ type, data }) => type === 'wait.opened' && data.for.kind === 'timer' && data.for.day_budget !== undefined,
  );
}
