import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasFleet } from '../../../src/kit/fleet/fleet-overview.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { FleetOverview } from '../../../src/core/schema/fleet.ts';
import type { FleetAnswer } from '../../../src/rooms/fleet/page/fleet-answers.ts';
import { fleetQuery } from '../../../src/rooms/fleet/page/fleet-page-query.ts';
import { askQuery } from '../../support/ask-query.ts';
import { temporaryFolder } from '../../support/cli.ts';

describe('the page of the fleet', () => {
  it('is for homes whose worker was in a fleet lately, and names members that are silent', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    expect(hasFleet(home)).toBe(false);
    expect(await askQuery(fleetQuery, home)).toEqual({ fleet: null, is_current: false, silent: [] });
    const write = (agoMs: number): void => {
      mkdirSync(join(home.oka, 'state'), { recursive: true });
      writeFileSync(join(home.oka, 'state/fleet.json'), JSON.stringify(overviewFrom(agoMs)));
    };
    write(0);
    expect(hasFleet(home)).toBe(true);
    expect(await askQuery<FleetAnswer>(fleetQuery, home)).toMatchObject({ is_current: true, silent: ['gone'] });
    write(7_200_000);
    expect(hasFleet(home)).toBe(false);
    expect(await askQuery<FleetAnswer>(fleetQuery, home)).toMatchObject({ is_current: false });
  });
});

function overviewFrom(agoMs: number): FleetOverview {
  const moment = (ms: number): string => new Date(Date.now() - ms).toISOString();
  const member = { version: '1', labels: [], slots: 2, runs: [], fenced: 0, state: 'working', doing: [] } as const;
  const members = [
    { ...member, name: 'gone', at: moment(60_000 + agoMs) },
    { ...member, name: 'here', at: moment(agoMs) },
  ].map((each) => ({ ...each, labels: [], runs: [], doing: [], isDrained: false }));
  return {
    at: moment(agoMs),
    member: 'here',
    servers: [],
    stopped: null,
    members,
    queue: [],
    oldest: null,
    replicas: [],
    sent: [],
  };
}
