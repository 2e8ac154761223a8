import { describe, expect, it } from 'vitest';
import { headersFor, plainObjection, sealHeaders, unsealHeaders } from '../../../src/kit/egress/added-headers.ts';
import { admitSealed, sealTicket } from '../../../src/kit/egress/proxy-tickets.ts';

const headers = [{ name: 'Authorization', value: 'Bearer canary-71', hosts: ['api.test', 'git.test:8443'] }];

describe('headers that the proxy adds', () => {
  it('A1 go only to the hosts of their secret', () => {
    expect(headersFor(headers, { host: 'api.test', port: 443 })).toEqual({ authorization: 'Bearer canary-71' });
    expect(headersFor(headers, { host: 'git.test', port: 8443 })).toEqual({ authorization: 'Bearer canary-71' });
    for (const target of [
      { host: 'evil.test', port: 443 },
      { host: 'a.api.test', port: 443 },
      { host: 'git.test', port: 443 },
    ])
      expect(headersFor(headers, target)).toEqual({});
  });

  it('A2 do not go over http, except to this machine', () => {
    const added = { authorization: 'x' };
    expect(plainObjection(added, { host: 'api.test', port: 80 })).toContain('use https');
    expect(plainObjection(added, { host: '127.0.0.1', port: 80 })).toBeNull();
    expect(plainObjection({}, { host: 'api.test', port: 80 })).toBeNull();
  });

  it('A3 cannot be read from a ticket without its key, and are there for the proxy that has it', () => {
    const key = Buffer.alloc(32, 7);
    const clocks = { clock: () => 0, machine: () => ({ boot: 'boot', ms: 0 }) };
    const ticket = sealTicket(key, { run: 'r', call: 'c', hosts: [], addedHeaders: headers }, 1000, clocks);
    const shown = `${ticket.user} ${Buffer.from(ticket.user, 'base64url').toString()} ${ticket.password}`;
    expect(shown).not.toContain('canary-71');
    expect(shown).not.toContain(Buffer.from('canary-71').toString('base64url').slice(0, 8));
    expect(admitSealed(key, clocks)(ticket)?.holder.addedHeaders).toEqual(headers);
    expect(() => unsealHeaders(Buffer.alloc(32, 8), sealHeaders(key, headers))).toThrow();
  });
});
