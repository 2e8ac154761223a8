import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { admitSealed, openTickets, sealTicket, readTicket } from '../../../src/tools/egress/proxy-tickets.ts';

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

it('T2 a sealed ticket says whose it is, ends by time, and cannot be changed', () => {
  const key = randomBytes(32);
  const now = { ms: 1000 };
  const admit = admitSealed(key, () => now.ms);
  const ticket = sealTicket(key, holder, 2000);
  expect(admit(ticket)).toMatchObject({ holder, until: 2000 });
  const changed = Buffer.from(JSON.stringify({ ...holder, hosts: ['b.test'], until: 9e9 })).toString('base64url');
  expect(admit({ ...ticket, user: changed })).toBeNull();
  expect(admitSealed(randomBytes(32), () => 0)(ticket)).toBeNull();
  expect(admit({ user: 'x', password: '' })).toBeNull();
  now.ms = 2000;
  expect(admit(ticket)).toBeNull();
});

it('a ticket is read from Proxy-Authorization; the password may hold colons', () => {
  const header = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  expect(readTicket(header('a:b:c'))).toEqual({ user: 'a', password: 'b:c' });
  for (const text of [undefined, '', 'Basic', 'Basic !', 'Bearer x', header('nocolon')])
    expect(readTicket(text)).toBeNull();
});
