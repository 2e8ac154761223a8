/**
 * Servers that are down for an hour while 1,000 things happen: real servers, and a clock that the trial sets. What
 * arrives afterwards is complete, in order, put together, and there once.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { signWebhook } from '../../../src/rooms/channels/webhook/webhook-channel.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import type { Credential } from '../../../src/core/schema/ports.ts';
import { hasDovecot, openMailServers } from '../../support/mail-servers.ts';
import { ntfyProgram, openNtfyServer } from '../../support/ntfy-server.ts';
import {
  question,
  reachingStories,
  type ReachingStory,
  runEnded,
  runStarted,
  waitOpened,
} from '../../support/reaching.ts';

const MINUTE = 60_000;
const EVENTS = 1000;
const KEY = 'the key of the webhook';

const { tell, closeStories } = reachingStories();
afterEach(closeStories);

/** A server of the trial: what a person, or a program, has received there, each message as it was last. */
type Place = AsyncDisposable & {
  settings: object;
  secrets: Record<string, { value: string; host: string }>;
  setDown: (isDown: boolean) => Promise<void>;
  /** Everything that came in, in order; `place` is the same for a message and what takes its place. */
  received: () => Promise<{ place: string; title: string }[]>;
};

const PLACES: readonly [string, boolean, () => Promise<Place>][] = [
  ['ntfy', ntfyProgram !== null, openNtfyPlace],
  ['mail', hasDovecot !== null, openMailPlace],
  ['webhook', true, openWebhookPlace],
];

describe.each(PLACES)('%s', (name, isHere, open) => {
  it.skipIf(!isHere)('that is down for an hour gets everything once, in order, in a few messages', async () => {
    await using place = await open();
    const story = tell({ announce: ['needs_you', 'done', 'failed'], channels: { [name]: place.settings } }, undefined, {
      find: (secret) => Promise.resolve(credential(name, place.secrets[secret])),
      proxyFor: () => Promise.resolve(null),
    });
    await story.append(runStarted('first'), waitOpened('first', question(['red', 'blue'])));
    await story.pass(10_000);
    expect(await place.received()).toHaveLength(1);

    await place.setDown(true);
    for (let minute = 0; minute < 60; minute += 1) {
      for (let index = minute; index < EVENTS; index += 60) await story.append(...happening(index));
      await story.pass(MINUTE, 5000);
      if (minute === 30) await story.restart();
    }
    const tried = attempts(story);
    expect(tried).toBeGreaterThan(5);
    expect(tried).toBeLessThan(20);
    expect(story.state().channels[name]).toMatchObject({ failures: tried - 1 });

    await place.setDown(false);
    await story.pass(90 * MINUTE, 5000);
    const received = await place.received();
    // The one that was being sent when the server went down, and what has come up since.
    expect(received.length).toBeGreaterThan(2);
    expect(received.length).toBeLessThanOrEqual(8);
    const last = new Map(received.map(({ place: where, title }) => [where, title]));
    const counted = [...last.values()].map(countOf).reduce((sum, count) => sum + count, 0);
    expect(counted).toBe(1 + EVENTS);

    const sent = story.events.flatMap(({ type, data }) =>
      type === 'delivery.started' && data.attempt === 1 ? [data] : [],
    );
    const things = sent.flatMap((each) => each.things);
    expect(new Set(things).size).toBe(things.length);
    expect(things).toHaveLength(1 + EVENTS);
    for (const each of sent) expect(inOrder(each.things)).toBe(true);
    expect(story.state().channels[name]).toMatchObject({ failures: 0, problem: null, open: null });
  });
});

it('a webhook whose answer is lost is repeated with the same id and words, so that its receiver counts it once', async () => {
  let cuts = 3;
  await using place = await openWebhookPlace(() => cuts-- > 0);
  const story = tell({ announce: ['done'], channels: { webhook: place.settings } }, undefined, {
    find: (secret) => Promise.resolve(credential('webhook', place.secrets[secret])),
    proxyFor: () => Promise.resolve(null),
  });
  await story.append(runStarted('a'), runEnded('a'));
  await story.pass(5 * MINUTE, 5000);
  expect(attempts(story)).toBe(4);
  const received = await place.received();
  expect(received).toHaveLength(4);
  expect(new Set(received.map((each) => JSON.stringify(each))).size).toBe(1);
});

/** Questions, results and failures in turn. */
function happening(index: number): NewEvent[] {
  const run = `r${String(index).padStart(4, '0')}`;
  return index % 2 === 0
    ? [runStarted(run), waitOpened(run, question())]
    : [runStarted(run), runEnded(run, index % 4 === 1 ? 'done' : 'failed')];
}

/** What the title of a message says it is about: "12 questions for you, 3 failed", or the name of one task. */
const countOf = (title: string): number =>
  [...title.matchAll(/(\d+) (?:questions? for you|failed|done)/g)].reduce((sum, [, many]) => sum + Number(many), 0) ||
  1;

/** Questions before failures before results, each of them as they came up. */
function inOrder(things: readonly string[]): boolean {
  const ranked = things.map((key) => {
    const index = Number(/r(\d+)/.exec(key)?.[1] ?? -1);
    const rank = key.startsWith('wait/') ? 0 : index % 4 === 1 ? 2 : 1;
    return rank * 1e9 + (index % 60) * 1e4 + index;
  });
  return ranked.every((value, at) => at === 0 || value > (ranked[at - 1] ?? 0));
}

const attempts = ({ events }: ReachingStory): number => events.filter(({ type }) => type === 'delivery.started').length;

function credential(channel: string, secret: { value: string; host: string } | undefined): Credential | null {
  if (secret === undefined) return null;
  const { value, host } = secret;
  return { value, version: 1, tools: [`channels.${channel}`], hosts: [host], commands: [], fingerprint: '' };
}

async function openNtfyPlace(): Promise<Place> {
  const server = await openNtfyServer();
  return {
    settings: { kind: 'ntfy', url: server.url, topic: 'oka', token: 'secret:NTFY' },
    secrets: { NTFY: { value: server.worker, host: server.host } },
    setDown: (isDown) => (isDown ? server.stop() : server.start()),
    received: async () =>
      (await server.received()).map(({ sequence_id = '', title }) => ({ place: sequence_id, title })),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function openMailPlace(): Promise<Place> {
  const servers = await openMailServers({ own: [] });
  const smtp = { host: '127.0.0.1', port: servers.smtpPort, security: 'starttls', certificate: servers.fingerprint };
  const roots = new Map<string, string>();
  return {
    settings: { kind: 'mail', from: 'oka@home.test', to: ['ann@home.test'], smtp },
    secrets: {},
    setDown: servers.setDown,
    // A mail cannot be replaced: the one that continues it is a reply to it.
    received: async () =>
      servers.sent.map(({ mail: { messageId = '', inReplyTo, subject = '' } }) => {
        const place = roots.get(inReplyTo ?? '') ?? messageId;
        roots.set(messageId, place);
        return { place, title: subject };
      }),
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}

/** `cuts`: whether the connection ends before the answer to a call. */
async function openWebhookPlace(cuts: () => boolean = () => false): Promise<Place> {
  const calls: { place: string; title: string }[] = [];
  const open = async (port: number): Promise<Server> => {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((each) =>
          String(request.headers[`webhook-${each}`]),
        ) as [string, string, string];
        expect(signature).toBe(signWebhook(KEY, id, timestamp, body));
        const { data } = JSON.parse(body) as { data: { title: string } };
        calls.push({ place: id, title: data.title });
        if (cuts()) response.destroy();
        else response.setHeader('connection', 'close').end();
      });
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await open(0);
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return {
    settings: { kind: 'webhook', url: `http://127.0.0.1:${port}/`, secret: 'secret:HOOK' },
    secrets: { HOOK: { value: KEY, host: `127.0.0.1:${port}` } },
    setDown: async (isDown) => {
      if (isDown) await close();
      else server = await open(port);
    },
    received: () => Promise.resolve(calls),
    [Symbol.asyncDispose]: close,
  };
}
