/** A secret that the egress proxy adds to requests: a real server gets it, and the process that asks never has it. */
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { canJail, whyNot } from '../support/launcher.ts';
import { curl, HEADER, listening, sendWith, VALUE } from '../support/secret-sender.ts';

describe.skipIf(!canJail || !curl)(`a secret with a header${whyNot}`, () => {
  it('reaches the server over http on this machine, and the process never has it', async () => {
    using server = await listening((on) => createServer(on));
    const ran = await sendWith(`http://127.0.0.1:${server.port}/`, `127.0.0.1:${server.port}`, HEADER);
    expect(ran, ran.out + ran.err).toMatchObject({ code: 0 });
    expect(server.received.map(({ header }) => header)).toEqual([`Bearer ${VALUE}`]);
    expect(server.received[0]?.body).toContain('TOKEN=added-by-the-proxy');
    expect(server.received[0]?.body).not.toContain(VALUE);
  });

  it('without a header the process has it: the canary would notice', async () => {
    using server = await listening((on) => createServer(on));
    const ran = await sendWith(`http://127.0.0.1:${server.port}/`, `127.0.0.1:${server.port}`, []);
    expect(ran, ran.out + ran.err).toMatchObject({ code: 0 });
    expect(server.received[0]?.body).toContain(`TOKEN=${VALUE}`);
  });
});
