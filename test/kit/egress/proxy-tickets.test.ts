import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { admitSealed, openTickets, sealTicket, readTicket } from '../../../src/kit/egress/proxy-tickets.ts';

const holder = { run: 'r1', call: 'r1.n1.1', hosts: ['a.test'] };

it('a ticket is good until it is taken back, and no other is', () => {
  const tickets = openTickets();
  const [one, two] = [tickets.issue(holder), tickets.issue(holder)];
  expect(one).not.toEqual(two);
  expect(tickets.admit(one)?.holder).toEqual(holder);
  tickets.revoke(one);
  expect([tickets.admit(one), tickets.admit(null), tickets.admit({ ...two, password: `${two.password}x` })]).toEqual([
    null,
    null,
    null,
  ]);
  expect(tickets.admit(two)).not.toBeNull();
});

/** Clocks of a machine, which a test moves. */
const clocksAt = (now: { ms: number; machine: number }, boot: string) => ({
  clock: () => now.ms,
  machine: () => ({ boot, ms: now.machine }),
});

it('T2 a sealed ticket says whose it is, ends by time, and cannot be changed', () => {
  const key = randomBytes(32);
  const now = { ms: 1000, machine: 50 };
  const clocks = clocksAt(now, 'boot');
  const admit = admitSealed(key, clocks);
  const ticket = sealTicket(key, holder, 1000, clocks);
  expect(admit(ticket)).toMatchObject({ holder, leftMs: 1000 });
  const changed = Buffer.from(JSON.stringify({ ...holder, hosts: ['b.test'], until: 9e9 })).toString('base64url');
  expect(admit({ ...ticket, user: changed })).toBeNull();
  expect(admitSealed(randomBytes(32), clocks)(ticket)).toBeNull();
  expect(admit({ user: 'x', password: '' })).toBeNull();
  now.machine = 1050;
  expect(admit(ticket)).toBeNull();
});

it('T3 a clock that is set neither ends a ticket nor prolongs it; another machine goes by the clock', () => {
  const key = randomBytes(32);
  const now = { ms: 1000, machine: 50 };
  const ticket = sealTicket(key, holder, 1000, clocksAt(now, 'boot'));
  const here = admitSealed(key, clocksAt(now, 'boot'));
  const elsewhere = admitSealed(key, clocksAt(now, 'another boot'));
  const first = here(ticket);
  expect(elsewhere(ticket)).toMatchObject({ leftMs: 1000 });
  now.ms += 86_400_000;
  now.machine += 400;
  expect(here(ticket)).toMatchObject({ holder, leftMs: 600 });
  expect(here(ticket)?.connections).toBe(first?.connections);
  expect(elsewhere(ticket)).toBeNull();
  now.ms = 0;
  now.machine += 600;
  expect(here(ticket)).toBeNull();
});

it('a ticket is read from Proxy-Authorization; the password may hold colons', () => {
  const header = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  expect(readTicket(header('a:b:c'))).toEqual({ user: 'a', password: 'b:c' });
  for (const text of [undefined, '', 'Basic', 'Basic !', 'Bearer x', header('nocolon')])
    expect(readTicket(text)).toBeNull();
});
