import { expect, it } from 'vitest';
import { type Decided, tellRarely } from '../../../src/tools/egress/telling.ts';

const decided = (host: string, more: Partial<Decided> = {}): Decided => ({
  run: 'r1',
  call: 'c1',
  host,
  port: 443,
  verdict: 'refused',
  reason: 'no rule',
  ...more,
});

function telling(mostHosts = 100) {
  const told: Decided[] = [];
  const now = { ms: 0 };
  return { told, now, ...tellRarely((each) => told.push(each), { everyMs: 1000, mostHosts, clock: () => now.ms }) };
}

it('the same decision is told once in a while, and then how often it was made', () => {
  const { tell, told, now } = telling();
  for (let times = 0; times < 5; times += 1) tell(decided('a.test'));
  expect(told).toEqual([decided('a.test')]);
  now.ms = 1000;
  tell(decided('a.test'));
  expect(told.map(({ reason }) => reason)).toEqual(['no rule', 'no rule (4 more times)', 'no rule']);
});

it('another run, host, port or verdict is another decision', () => {
  const { tell, told } = telling();
  tell(decided('a.test'));
  tell(decided('b.test'));
  tell(decided('a.test', { port: 80 }));
  tell(decided('a.test', { verdict: 'allowed' }));
  tell(decided('a.test', { run: 'r2' }));
  expect(told).toHaveLength(5);
});

it('what was only counted is told when the step ends, and once', () => {
  const { tell, told, settle } = telling();
  tell(decided('a.test'));
  tell(decided('a.test'));
  settle('r2');
  expect(told).toHaveLength(1);
  settle('r1');
  settle('r1');
  expect(told.map(({ reason }) => reason)).toEqual(['no rule', 'no rule (1 more time)']);
});

it('a run that asks for any number of hosts makes a bounded number of events', () => {
  const { tell, told, settle } = telling(10);
  for (let index = 0; index < 1000; index += 1) tell(decided(`h${index}.test`));
  settle('r1');
  expect(told).toHaveLength(12);
  expect(told.at(-1)).toMatchObject({ host: 'others', port: 0, reason: 'no rule (989 more times)' });
});
