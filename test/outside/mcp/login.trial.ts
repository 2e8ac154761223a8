/** Logging in to a server by OAuth: the login, its renewal, its end, and what an attacker would try. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoggedIn, logIn } from '../../../src/rooms/mcp/login-server.ts';
import type { Story } from '../../support/story.ts';
import { accept, addServer, callOnce, openServerHome, writeGraph } from './server-home.ts';
import { type LoginServers, startLoginServers } from './login-servers.ts';

const signal = new AbortController().signal;

/** The browser of a person who is logged in at the authorization server already. */
const openBrowser = async (address: string): Promise<Response> => fetch(address);

const logInAt = (story: Story, browse: (address: URL) => void): Promise<LoggedIn> =>
  logIn(story.home, 'vip', { signal, show: browse });

/** A home whose person is logged in and has accepted the tools. */
async function loggedIn(servers: LoginServers): Promise<Story> {
  const story = await openServerHome();
  await addServer(story, 'vip', '--url', servers.url);
  await logInAt(story, (address) => void openBrowser(address.href));
  await accept(story, 'vip');
  return story;
}

function textsBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

describe('a login', () => {
  it('is made by a command that prints the address, and its tokens are in no file, ledger or output', async () => {
    await using servers = await startLoginServers();
    await using story = await openServerHome();
    await addServer(story, 'vip', '--url', servers.url);
    expect((await story.oka('mcp', 'test', 'vip')).out).toContain('oka mcp login vip');
    const child = story.start(['mcp', 'login', 'vip']);
    const address = await story.until('the address', async () => story.told.find((line) => line.startsWith('http')));
    const asked = new URL(address).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('resource')).toBe(servers.url);
    expect(asked.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const mixedUp = new URL(asked.get('redirect_uri') ?? '');
    mixedUp.search = `code=stolen&state=other&iss=${servers.issuer}`;
    expect((await fetch(mixedUp)).status).toBe(400);
    expect((await openBrowser(address)).status).toBe(200);
    await story.until('the end', async () => child.exitCode ?? undefined);
    expect(child.exitCode).toBe(0);
    await accept(story, 'vip');
    const [access = ''] = servers.issued;
    const echoed = await callOnce(story, 'mcp.vip.echo', { reveal: true });
    expect(echoed).toMatchObject({ status: 'ok', output: { text: expect.stringContaining('Bearer ') as string } });
    expect(servers.seen.at(-1)).toBe(`Bearer ${access}`);
    expect(servers.tokenRequests).toHaveLength(1);
    const texts = textsBelow(story.home.dir) + story.told.join('\n');
    expect(texts).toContain('mcp.vip.access');
    for (const token of servers.issued) expect(texts).not.toContain(token);
    expect(await story.oka('mcp', 'logout', 'vip')).toMatchObject({ code: 0 });
    expect(await story.oka('mcp', 'logout', 'vip')).toMatchObject({ code: 1 });
    expect(await story.oka('mcp', 'test', 'vip')).toMatchObject({ code: 1 });
    expect(servers.seen.at(-1)).toBeUndefined();
  });

  it('goes with the entry of its server: one of the same name has no tokens', async () => {
    await using servers = await startLoginServers();
    await using story = await loggedIn(servers);
    await logInAt(story, (address) => void openBrowser(address.href));
    expect((await story.oka('secrets', 'list')).out).toContain('mcp.vip.access');
    const removed = await story.oka('mcp', 'remove', 'vip');
    expect(removed.out).toContain('Its login is removed, too');
    expect(await story.oka('mcp', 'logout', 'vip')).toMatchObject({ code: 1 });
  });

  it('is renewed near its end, not before; a failure that passes does not end it', async () => {
    await using servers = await startLoginServers();
    await using story = await loggedIn(servers);
    servers.how.expiresIn = 30;
    await logInAt(story, (address) => void openBrowser(address.href));
    const before = servers.tokenRequests.length;
    servers.how.refresh = { status: 503, body: { error: 'invalid_grant' } };
    expect(await callOnce(story, 'mcp.vip.echo', {})).toMatchObject({ status: 'ok' });
    servers.how.refresh = { status: 307, body: {}, headers: { location: `${servers.issuer}/token` } };
    expect(await callOnce(story, 'mcp.vip.echo', {})).toMatchObject({ status: 'ok' });
    const failed = servers.tokenRequests.length;
    expect(failed).toBeGreaterThan(before);
    servers.how.refresh = null;
    servers.how.expiresIn = 3600;
    expect(await callOnce(story, 'mcp.vip.echo', {})).toMatchObject({ status: 'ok' });
    expect(servers.tokenRequests).toHaveLength(failed + 1);
    expect(servers.tokenRequests.at(-1)?.get('resource')).toBe(servers.url);
    expect(await callOnce(story, 'mcp.vip.echo', {})).toMatchObject({ status: 'ok' });
    expect(servers.tokenRequests).toHaveLength(failed + 1);
    const texts = textsBelow(story.home.dir);
    for (const token of servers.issued) expect(texts).not.toContain(token);
  });

  it('that was revoked lets the run wait, and a new login sets it going', async () => {
    await using servers = await startLoginServers();
    await using story = await loggedIn(servers);
    servers.refuseAll();
    writeGraph(story, 'vip', [['mcp.vip.echo', { message: 'at last' }]]);
    expect((await story.oka('graph', 'run', 'vip')).code).toBe(4);
    const { for: awaited } = await story.asked('question');
    expect(awaited).toMatchObject({ repeat: true, text: expect.stringContaining('oka mcp login vip') as string });
    const from = story.told.length;
    const child = story.start(['mcp', 'login', 'vip']);
    const address = await story.until('the address', async () =>
      story.told.slice(from).find((line) => line.startsWith('http')),
    );
    await openBrowser(address);
    await story.until('the end', async () => child.exitCode ?? undefined);
    expect((await story.eventsOf('call.ended')).at(-1)?.data).toMatchObject({
      status: 'ok',
      output: { text: '{"message":"at last"}' },
    });
  });

  it('is refused where the issuer differs, PKCE is missing, or the redirect names another issuer', async () => {
    await using servers = await startLoginServers();
    await using story = await openServerHome();
    await addServer(story, 'vip', '--url', servers.url);
    const attempt = (): Promise<LoggedIn> => logInAt(story, (address) => void openBrowser(address.href));
    servers.how.metadataIssuer = 'https://elsewhere.example.org';
    await expect(attempt()).rejects.toThrow(/issuer/i);
    servers.how.metadataIssuer = null;
    servers.how.pkce = ['plain'];
    await expect(attempt()).rejects.toThrow('PKCE');
    servers.how.pkce = ['S256'];
    servers.how.iss = 'https://elsewhere.example.org';
    await expect(attempt()).rejects.toThrow(/issuer/i);
    expect(servers.tokenRequests).toEqual([]);
    servers.how.iss = null;
    await attempt();
    expect(servers.tokenRequests).toHaveLength(1);
  });

  it('is for the address at which it was made: a server that has moved gets no token', async () => {
    await using servers = await startLoginServers();
    await using other = await startLoginServers();
    await using story = await loggedIn(servers);
    story.write('.oka/rules/mcp.json', JSON.stringify({ mcpServers: { vip: { url: other.url } } }));
    expect(await story.oka('mcp', 'test', 'vip')).toMatchObject({ code: 1 });
    expect(other.seen.length).toBeGreaterThan(0);
    expect(other.seen.filter((header) => header !== undefined)).toEqual([]);
  });
});
