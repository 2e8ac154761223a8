/** Twenty secrets in every form, down the road of messages: whatever a channel sends, none of them can be read from it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openChannel } from '../../src/daemon/channels/open-channel.ts';
import type { Reaching } from '../../src/daemon/channels/reaching-state.ts';
import { composeMessage } from '../../src/daemon/channels/compose-message.ts';
import { redactorFor } from '../../src/guard/redact.ts';
import type { Redact } from '../../src/schema/ports.ts';
import { AppriseChannel, ChannelPolicy, NtfyChannel, WebhookChannel } from '../../src/schema/channel.ts';
import type { ChannelTools } from '../../src/schema/channel-port.ts';
import { forms, hardSecrets as values, shows } from '../support/secret-forms.ts';

const redact = redactorFor(() => values.map((value, index) => ({ name: `S${index}`, value })));

let sent: string[] = [];
const server = createServer((request, response) => {
  let body = JSON.stringify(request.headers) + request.url;
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    sent.push(body);
    response.end('{"id":"x"}');
  });
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const tools: ChannelTools = {
  name: 'x',
  reveal: () => Promise.resolve('token'),
  proxyFor: () => Promise.resolve(null),
  fetch: (to, ask) => fetch(to, ask),
};

/** Everything that a message can be made of contains the text: title, question, option, result, day page, list. */
async function sendAll(text: string, by: Redact, content: 'full' | 'title' = 'full'): Promise<string> {
  const shortText = text.split('\n---\n')[0] ?? '';
  sent = [];
  const channels = [
    NtfyChannel.parse({ kind: 'ntfy', url, topic: 'oka', content, answers: { topic: 'a' } }),
    AppriseChannel.parse({ kind: 'apprise', url: `${url}/notify`, content }),
    WebhookChannel.parse({ kind: 'webhook', url, secret: 'secret:X', content }),
  ];
  const state = stateWith(text);
  for (const settings of channels) {
    const channel = await openChannel(settings, tools, {} as never);
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
      if ('question' in composed) await channel.ask(composed.question, signal);
      else await channel.announce(composed.message, signal);
    }
  }
  return sent.join('\n');
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
      expect(sent).toHaveLength(12);
      expect(shows(out, value)).toBe(false);
    },
  );

  it('without redaction the same messages show it, so the trial can fail', async () => {
    const out = await sendAll(` ${values[0]} `, (text) => text);
    expect(shows(out, values[0] ?? '')).toBe(true);
  });

  it('with content: title no word of a question, an option, a result or a page leaves the home', async () => {
    const out = await sendAll('UNASKED-CONTENT', redact, 'title');
    expect(out.replaceAll(/"title":"[^"]*"/g, '')).not.toContain('UNASKED');
    expect(out).not.toContain('May I?');
  });
});
