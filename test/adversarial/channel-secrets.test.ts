/** Twenty secrets in every form, down the road of messages: whatever a channel sends, none of them can be read from it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import type { z } from 'zod';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelEntry, openChannel } from '../../src/rooms/channels/channel-kinds.ts';
import type { Reaching } from '../../src/rooms/channels/reaching-state.ts';
import { composeMessage } from '../../src/rooms/channels/compose-message.ts';
import { addSubscription } from '../../src/rooms/channels/push-subscriptions.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { redactorFor } from '../../src/core/guard/redact.ts';
import type { Redact } from '../../src/core/schema/ports.ts';
import { ChannelPolicy } from '../../src/core/schema/channel.ts';
import type { ChannelTools } from '../../src/core/schema/channel-port.ts';
import { temporaryFolder } from '../support/cli.ts';
import { newBrowser } from '../support/push-browser.ts';
import { forms, hardSecrets as values, shows } from '../support/secret-forms.ts';

const redact = redactorFor(() => values.map((value, index) => ({ name: `S${index}`, value })));

let sent: string[] = [];
const browser = newBrowser();
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const words = request.url === '/push' ? browser.read(body) : body.toString('utf8');
    sent.push(JSON.stringify(request.headers) + request.url + words);
    response.setHeader('connection', 'close'); // the next message may come when an idle connection has been closed
    response.end('{"id":"x"}');
  });
});
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, _session, done) => {
    void buffer(stream)
      .then(async (raw) => {
        const { subject = '', text = '', html = '' } = await PostalMime.parse(raw);
        sent.push([raw.toString('utf8'), subject, text, html].join('\n'));
      })
      .then(() => done(), done);
  },
});
const folder = temporaryFolder();
const home = homeAt(folder.dir);
/** Stands for notify-send, and for a program of the operator: it writes down its arguments and its input. */
const program = join(folder.dir, 'notify-send');
const written = join(folder.dir, 'written');
const { PATH, DISPLAY } = process.env;
let [url, mailPort] = ['', 0];
beforeAll(async () => {
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" >> '${written}'\ncat >> '${written}'\n`, { mode: 0o755 });
  Object.assign(process.env, { PATH: `${folder.dir}:${PATH}`, DISPLAY: ':0' });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
  mailPort = (mailServer.server.address() as AddressInfo).port;
  const subscription = { endpoint: `${url}/push`, keys: browser.keys, about: 'A phone' };
  await addSubscription(home, 'x', subscription, { append: () => Promise.resolve() } as never);
});
afterAll(async () => {
  Object.assign(process.env, { PATH, DISPLAY });
  if (DISPLAY === undefined) delete process.env['DISPLAY'];
  server.close();
  await new Promise<void>((resolve) => mailServer.close(resolve));
  folder[Symbol.dispose]();
});

const tools: ChannelTools = {
  name: 'x',
  reveal: () => Promise.resolve('token'),
  proxyFor: () => Promise.resolve(null),
  fetch: (to, ask) => fetch(to, ask),
};

/** Everything that a message can be made of contains the text: title, question, option, result, day page, list. */
async function sendAll(text: string, by: Redact, content: 'full' | 'title' = 'full'): Promise<Record<Kind, string>> {
  const shown: Partial<Record<Kind, string>> = {};
  for (const kind of KINDS) shown[kind] = await sendThrough(kind, text, by, content);
  return shown as Record<Kind, string>;
}

const KINDS = ['ntfy', 'apprise', 'webhook', 'command', 'desktop', 'push', 'mail'] as const;
type Kind = (typeof KINDS)[number];

function settingsOf(kind: Kind, content: 'full' | 'title'): z.infer<typeof ChannelEntry> {
  const smtp = { host: '127.0.0.1', port: mailPort, security: 'none' };
  const more: Record<Kind, object> = {
    ntfy: { url, topic: 'oka', answers: { topic: 'a' } },
    apprise: { url: `${url}/notify` },
    webhook: { url, secret: 'secret:X' },
    command: { command: [program] },
    desktop: {},
    push: { contact: 'mailto:me@example.org', hosts: [new URL(url).host] },
    mail: { from: 'oka@home.test', to: ['ann@home.test'], smtp },
  };
  return ChannelEntry.parse({ kind, content, ...more[kind] });
}

/** What leaves the home through a channel of this kind. */
async function sendThrough(kind: Kind, text: string, by: Redact, content: 'full' | 'title'): Promise<string> {
  const shortText = text.split('\n---\n')[0] ?? '';
  sent = [];
  rmSync(written, { force: true });
  const settings = settingsOf(kind, content);
  const state = stateWith(text);
  const channel = await openChannel(settings, tools, { home, ledger: { append: () => Promise.resolve() } as never });
  for (const things of [['wait/ask.q'], ['run/tidy'], ['day/x'], ['wait/ask.q', 'run/tidy']]) {
    const about = { channel: 'phone', act: 'send', kind: 'needs_you', attempt: 1 } as const;
    const title = content === 'title' ? 'A title' : shortText;
    const start = { ...about, delivery: 'phone.1', title, things };
    const composed = composeMessage(start, {
      state,
      policy: ChannelPolicy.parse({ dashboard: 'https://oka.example.org' }),
      settings,
      key: Buffer.alloc(32),
      redact: by,
      readResult: () => ({ text: `# Result\n\n${text}`, files: [] }),
      readDay: () => text,
    });
    const { signal } = new AbortController();
    const outcome =
      'question' in composed
        ? await channel.ask(composed.question, signal)
        : await channel.announce(composed.message, signal);
    expect(outcome).toMatchObject({ status: 'sent' });
  }
  return [...sent, existsSync(written) ? readFileSync(written, 'utf8') : ''].join('\n');
}

function stateWith(text: string): Reaching {
  const common = { at: 0, title: text.split('\n---\n')[0] ?? '', text: `May I? ${text}`, on: {}, reminders: 0 };
  const asks = { binding: null, class: null, default: null, expires: null } as const;
  const wait = { id: 'ask.q', kind: 'question', options: [text, 'no'], ...asks } as const;
  return {
    runs: {},
    channels: {},
    origins: {},
    digest: null,
    hasDelivered: true,
    things: {
      'wait/ask.q': { ...common, key: 'wait/ask.q', kind: 'needs_you', run: 'ask', wait },
      'run/tidy': { ...common, key: 'run/tidy', kind: 'done', run: 'tidy', wait: null },
      'day/x': { ...common, key: 'day/x', kind: 'digest', run: null, wait: null },
    },
  };
}

describe('secrets in messages', () => {
  it.each(values.map((value, index) => [index, value] as const))(
    'secret %s is in no message, in no form',
    async (_index, value) => {
      const out = await sendAll(forms.map(({ encode }) => ` ${encode(value)} `).join('\n---\n'), redact);
      expect(KINDS.filter((kind) => shows(out[kind], value))).toEqual([]);
      // Without redaction every channel shows it, so the trial can fail.
      const open = await sendAll(` ${value} `, (text) => text);
      expect(KINDS.filter((kind) => shows(open[kind], value))).toEqual(KINDS);
    },
  );

  it('with content: title no word of a question, an option, a result or a page leaves the home', async () => {
    const out = Object.values(await sendAll('UNASKED-CONTENT', redact, 'title')).join('\n');
    expect(out.replaceAll(/"title":"[^"]*"/g, '')).not.toContain('UNASKED');
    expect(out).not.toContain('May I?');
  });
});
