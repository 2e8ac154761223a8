/** The password of a calendar server goes to that server alone, wherever it leads. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { serverAccess } from '../../../src/kit/egress/server-access.ts';
import { listCalendars } from '../../../src/rooms/accounts/calendar/caldav-client.ts';
import { calendarFetch } from '../../../src/rooms/accounts/calendar/calendar-fetch.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(answer: RequestListener): Promise<{ url: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

const list = (url: string): ReturnType<typeof listCalendars> => {
  const credential = { value: 'correct-horse-7', tools: ['accounts.work'], hosts: ['127.0.0.1'] };
  const route = serverAccess(
    { tool: 'accounts.work', called: 'the account work' },
    { find: () => Promise.resolve(credential as never), proxyFor: () => Promise.resolve(null) },
  );
  const server = { url, user: 'ann', password: 'secret:CALENDAR' };
  return listCalendars(url, calendarFetch('work', server, route, AbortSignal.timeout(60_000)));
};

const answers = (props: string, href = '/'): string =>
  `<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>`;

it('follows the server where it leads on itself, with the login', async () => {
  const { url, asked } = await serve((request, response) => {
    if (request.url === '/.well-known/caldav') return response.writeHead(301, { location: '/dav/' }).end();
    if (request.url === '/') return response.writeHead(404).end();
    const kind =
      '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname><![CDATA[1234]]></d:displayname>';
    const home = '<c:calendar-home-set><d:href>/dav/ann/</d:href></c:calendar-home-set>';
    response.writeHead(207, { 'content-type': 'application/xml' });
    response.end(request.url === '/dav/' ? answers(home) : answers(kind, '/dav/ann/c%C3%A4lls/'));
  });
  expect(await list(url)).toEqual([{ id: 'c%C3%A4lls', name: '1234', url: `${url}dav/ann/c%C3%A4lls/` }]);
  expect(asked.map((each) => each.url)).toEqual(['/', '/.well-known/caldav', '/dav/', '/dav/ann/']);
  expect(asked.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from('ann:correct-horse-7').toString('base64')}`);
});

it('goes to no other server, neither by a redirect nor by an address in an answer', async () => {
  const other = await serve((_, response) => response.end());
  const redirecting = await serve((_, response) => response.writeHead(307, { location: other.url }).end());
  await expect(list(redirecting.url)).rejects.toThrow('which the account work does not name');
  const naming = await serve((_, response) => {
    response.writeHead(207, { 'content-type': 'application/xml' });
    response.end(answers(`<d:current-user-principal><d:href>${other.url}</d:href></d:current-user-principal>`));
  });
  await expect(list(naming.url)).rejects.toThrow('which the account work does not name');
  expect(other.asked).toEqual([]);
});

it('says what a server answers that is none', async () => {
  const page = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>'),
  );
  await expect(list(page.url)).rejects.toThrow('it does not answer as a CalDAV server');
  const bomb = await serve((_, response) => {
    response.writeHead(207, { 'content-type': 'application/xml' });
    response.end(`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>${answers('<d:displayname>&a;</d:displayname>')}`);
  });
  expect(await list(bomb.url).catch((error: unknown) => String(error))).not.toContain('aaaaaaaaaa');
});
