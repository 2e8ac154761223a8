import { expect, it } from 'vitest';
import { type ProxyDecision, createDecisionLog } from '../../../src/kit/egress/decision-log.ts';

const decided = (host: string, more: Partial<ProxyDecision> = {}): ProxyDecision => ({
  run: 'r1',
  call: 'c1',
  host,
  port: 443,
  verdict: 'refused',
  reason: 'no rule',
  ...more,
});

function telling(mostHosts = 100) {
  const told: ProxyDecision[] = [];
  const now = { ms: 0 };
  return {
    told,
    now,
    ...createDecisionLog((each) => told.push(each), { everyMs: 1000, mostHosts, clock: () => now.ms }),
  };
}

it('the same decision is told once in a while, and then how often it was made', () => {
  const { report, told, now } = telling();
  for (let times = 0; times < 5; times += 1) report(decided('a.test'));
  expect(told).toEqual([decided('a.test')]);
  now.ms = 1000;
  report(decided('a.test'));
  expect(told.map(({ reason }) => reason)).toEqual(['no rule', 'no rule (4 more times)', 'no rule']);
});

it('another run, host, port or verdict is another decision', () => {
  const { report, told } = telling();
  report(decided('a.test'));
  report(decided('b.test'));
  report(decided('a.test', { port: 80 }));
  report(decided('a.test', { verdict: 'allowed' }));
  report(decided('a.test', { run: 'r2' }));
  expect(told).toHaveLength(5);
});

it('what was only counted is told when the step ends, and once', () => {
  const { report, told, settle } = telling();
  report(decided('a.test'));
  report(decided('a.test'));
  settle('r2');
  expect(told).toHaveLength(1);
  settle('r1');
  settle('r1');
  expect(told.map(({ reason }) => reason)).toEqual(['no rule', 'no rule (1 more time)']);
});

it('a run that asks for any number of hosts makes a bounded number of events', () => {
  const { report, told, settle } = telling(10);
  for (let index = 0; index < 1000; index += 1) report(decided(`h${index}.test`));
  settle('r1');
  expect(told).toHaveLength(12);
  expect(told.at(-1)).toMatchObject({ host: 'others', port: 0, reason: 'no rule (989 more times)' });
});
