/** The proxy of a member of a fleet whose run others could go on with: what reaches a real server. */
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { dial, groundFor, listen, say, tunnel } from './support.ts';

async function setting() {
  const seen: string[] = [];
  let connections = 0;
  const server = createServer(({ url = '' }, response) => {
    seen.push(url);
    response.end('hello');
  }).on('connection', () => (connections += 1));
  const port = await listen(server);
  const state = { isSure: true, problem: null as string | null };
  const claims = {
    isSure: () => state.isSure,
    makeSure: () => Promise.resolve(state.problem),
  };
  const ground = await groundFor(port, { claims });
  return { port, ground, seen, state, connections: () => connections };
}

const post = (to: string, auth = ''): string =>
  `POST ${to} HTTP/1.1\r\nHost: site.test\r\nContent-Length: 0\r\nConnection: close\r\n${auth}\r\n`;

describe('the gate of a claim', () => {
  it('X6 refuses a connection of a run that was lost, and does not even make it', async () => {
    const { port, ground, state, connections } = await setting();
    Object.assign(state, { isSure: false, problem: 'another member goes on with r1' });
    const answer = await say(ground.egress.port, post(`http://site.test:${port}/a`, `${ground.auth}\r\n`));
    expect(answer).toMatch(/^HTTP\/1.1 403 .*another member goes on with r1/s);
    const client = await dial(ground.egress.port);
    client.socket.write(`CONNECT site.test:${port} HTTP/1.1\r\n${ground.auth}\r\n\r\n`);
    expect(await client.closed).toContain('another member goes on with r1');
    expect(connections()).toBe(0);
    expect(await ground.grant.refused()).toEqual(['another member goes on with r1']);
  });

  it('X6 passes on what comes after the claim was confirmed again', async () => {
    const { port, ground, state, seen } = await setting();
    state.isSure = false;
    expect(await say(ground.egress.port, post(`http://site.test:${port}/a`, `${ground.auth}\r\n`))).toContain('hello');
    expect(seen).toEqual(['/a']);
  });

  it('X6 lets nothing more through a tunnel that was opened before the run was lost', async () => {
    const { port, ground, state, seen } = await setting();
    const client = await tunnel(ground, `site.test:${port}`);
    Object.assign(state, { isSure: false, problem: 'another member goes on with r1' });
    client.socket.write(post('/late'));
    await client.closed;
    expect(seen).toEqual([]);
  });
});
