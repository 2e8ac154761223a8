/** The page Fleet, with real message servers, three workers and a real browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addTask } from '../../../src/kit/inbox/add-task.ts';
import { join } from 'node:path';
import { axeFindings, looks } from '../../support/axe.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';
import { type FleetHome, type FleetHomes, fleetHomes } from '../../support/fleet-commands-homes.ts';
import { findNatsServer, type NatsCluster, startCluster } from '../../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const SLOW = '# Wait for it\n\n```bash\nuntil [ -e go ]; do sleep 0.1; done\n```\n';

describe.skipIf(browserProgram === null || !hasServer)('the fleet in the browser', () => {
  let cluster: NatsCluster;
  let homes: FleetHomes;
  let left: FleetHome;
  let dashboard: Dashboard;
  beforeAll(async () => {
    cluster = await startCluster({ size: 3 });
    homes = fleetHomes(cluster);
    left = homes.open('left', { OKA_FLEET_LABELS: 'gpu' });
    left.start();
    dashboard = await openDashboard({ isWithoutWorker: true });
  });
  afterAll(async () => {
    await dashboard.close();
    await homes[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  it('is in the navigation only when the home has a fleet', async () => {
    const alone = await dashboard.open('/fleet');
    await alone.getByText('This home works alone.').waitFor();
    expect(await alone.getByRole('link', { name: 'Fleet' }).count()).toBe(0);
    const variables = { OKA_FLEET: cluster.url, OKA_FLEET_MONITOR: cluster.monitors, OKA_FLEET_NAME: 'here' };
    dashboard.story.start(['worker'], { ...variables, OKA_FLEET_ACK_SECONDS: '3' });
    await alone.getByRole('heading', { name: '2 members' }).waitFor(); // without being asked
    const page = await dashboard.open('/');
    await Promise.all(['g', 'e'].map((key) => page.keyboard.press(key)));
    await page.getByRole('heading', { name: 'Fleet', exact: true }).waitFor();
    await page.getByRole('article', { name: 'here' }).getByText('this home').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('shows the queue, what each member does, and where the tasks of this home are', async () => {
    const inbox = join(dashboard.story.home.workspace, 'inbox');
    addTask(inbox, { text: SLOW, fields: { id: 'slow', needs: ['gpu'] } });
    addTask(inbox, { text: SLOW, fields: { id: 'nowhere', needs: ['tpu'] } });
    const page = await dashboard.open('/fleet');
    await page
      .getByRole('article', { name: 'left' })
      .getByText(/running\s+Wait for it/)
      .waitFor();
    await page.getByRole('row', { name: /slow left/ }).waitFor();
    await page.getByRole('row', { name: /nowhere in the queue/ }).waitFor();
    await page.getByText('1 waiting, 0 taken; no member has these labels').waitFor();
    expect(await page.getByText('follows the leader').count()).toBe(2);
    expect(dashboard.errors()).toEqual([]);
  });

  it.each(looks)('has nothing that axe objects to, and nothing that sticks out: $name', async ({ name, ...look }) => {
    const page = await dashboard.open('/fleet', { ...look, bypassCSP: true, reducedMotion: 'reduce' });
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, `fleet-${name}`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(look.viewport.width);
    expect(dashboard.errors()).toEqual([]);
  });

  it('drains a member and stops the fleet, each only after a question', async () => {
    const page = await dashboard.open('/fleet');
    const member = page.getByRole('article', { name: 'left' });
    await page.getByRole('button', { name: 'Drain left…' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await left.events('fleet.ordered')).toEqual([]);
    await page.getByRole('button', { name: 'Drain left…' }).click();
    await page.getByRole('button', { name: 'Drain', exact: true }).click();
    await member.getByText('draining').waitFor();
    await page.getByRole('button', { name: 'Let left take tasks…' }).click();
    await page.getByRole('button', { name: 'Take tasks', exact: true }).click();
    await member.getByText('working').waitFor();
    await page.getByRole('button', { name: 'Stop the fleet…' }).click();
    await page.getByText('nothing runs at any member, also').waitFor();
    await page.getByRole('button', { name: 'Stop everything' }).click();
    await page.getByText('The fleet was stopped at here').waitFor();
    await member.getByText('stopped').waitFor();
    await page.getByRole('button', { name: 'Resume the fleet…' }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await member.getByText('working').waitFor();
    const orders = (await left.events('fleet.ordered')).map(({ data }) => data.order);
    expect(orders).toEqual(['drain', 'work', 'stop', 'resume']);
    expect(dashboard.errors()).toEqual([]);
  });

  it('says when a member is silent', async () => {
    const page = await dashboard.open('/fleet');
    await left.stop('SIGKILL');
    await page.getByRole('article', { name: 'left' }).getByText('silent').waitFor();
  });
});
