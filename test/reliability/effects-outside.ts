/** Work of the trial of effects that others take part in: an MCP server, a mailbox, and commands that ask for frames. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { parseMailHeader } from '../../src/kit/mail/mail-header.ts';
import { mailId } from '../../src/rooms/channels/mail/mail-to-task.ts';
import { oka, okaWith } from '../support/cli.ts';
import type { MailServers } from '../support/mail-servers.ts';
import { rawMail } from '../support/raw-mail.ts';
import type { LiveHome } from './live-home.ts';

export const EACH = 6;
export const PARTS = Array.from({ length: EACH }, (_, index) => index);
export const QUIET_MS = 300_000;

/** Something that is to happen once outside, and the work it belongs to. */
export type Effect = { name: string; work: string; run: string };

export type Round = {
  live: LiveHome;
  effects: Effect[];
  arrived: Map<string, number>;
  /** How often a person said that it be done again, and what a person could not tell. */
  repeats: Map<string, number>;
  messages: string[];
  /** The log of the MCP server. */
  acted: string;
  mail: MailServers | null;
  count: (what: string, by?: number) => void;
  fail: (text: string) => void;
};

export const inSeconds = (seconds: number): string =>
  `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)}Z`;

export const postLine = (port: number, name: string): string => `curl -sS -m 10 -d x http://127.0.0.1:${port}/${name}`;

export const linesIn = (file: string, line: string): number =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((other) => other === line).length
    : 0;

/** What others take part in: an MCP server, and a mailbox. */
export async function giveOutside({ live, effects, acted, mail }: Round, port: number): Promise<void> {
  const server = join(import.meta.dirname, '../outside/mcp/hostile-server.mjs');
  const options = ['--path', dirname(server), '--write', dirname(acted)];
  await oka('mcp', 'add', '--dir', live.home.dir, 'slow', ...options, '--', 'node', server, 'slow', acted);
  await live.oka('mcp', 'tools', 'slow', '--accept');
  for (const index of PARTS) {
    const name = `server${index}`;
    const call = {
      kind: 'tool',
      id: 'act',
      tool: 'mcp.slow.act',
      input: { line: name },
      timeout_seconds: 60,
      max_retries: 2,
    };
    writeFileSync(
      join(live.home.workspace, `graphs/${name}.json`),
      JSON.stringify({ id: name, title: 'Act', nodes: [call] }),
    );
    writeFileSync(
      join(live.home.workspace, `schedules/${name}.json`),
      JSON.stringify({ graph: name, at: inSeconds(index * 20) }),
    );
    effects.push({ name, work: 'an MCP server', run: name });
  }
  if (mail === null) return;
  writeFileSync(join(live.home.oka, 'rules/channels.json'), JSON.stringify(mailChannel(mail)));
  const bound = ['--tool', 'channels.mail', '--host', '127.0.0.1', '--dir', live.home.dir];
  await okaWith({ input: mail.password }, 'secrets', 'set', 'MAIL', ...bound);
  for (const index of PARTS) {
    const name = `letter${index}`;
    const text = `\`\`\`bash net:127.0.0.1:${port}\r\n${postLine(port, name)}\r\nsleep 0.3\r\n\`\`\`\r\n`;
    const raw = rawMail({ to: 'oka@home.test', subject: name, text });
    mail.deliver(raw);
    effects.push({ name, work: 'mail', run: mailId(parseMailHeader(Buffer.from(raw)) ?? [], '') });
  }
}

/** Frames of one folder after the other, as a person asks for them who asks again when nobody has answered. */
export async function makeFrames({ live, count, fail }: Round): Promise<void> {
  for (const index of PARTS) {
    mkdirSync(live.desk(`part${index}`), { recursive: true });
    writeFileSync(live.desk(`part${index}/notes.md`), `# Notes ${index}\n\nAbout ${index}.\n`);
  }
  for (const index of PARTS) {
    let code: number | null = 1;
    for (const end = Date.now() + QUIET_MS; code !== 0 && Date.now() < end; await sleep(500))
      code = (await live.oka('context', 'synthesize', `desk/part${index}`).catch(() => ({ code: 1 }))).code;
    count('folders with frames', code === 0 ? 1 : 0);
    if (code !== 0) fail(`no frames of part${index} could be made`);
  }
}

function mailChannel({ fingerprint, smtpPort, imapsPort }: MailServers): object {
  const server = { host: '127.0.0.1', user: 'oka', password: 'secret:MAIL', certificate: fingerprint };
  const mail = {
    kind: 'mail',
    from: 'oka@home.test',
    to: ['ann@home.test'],
    smtp: { ...server, port: smtpPort, security: 'starttls' },
    imap: { ...server, port: imapsPort },
    tasks: { address: 'oka@home.test', senders: ['ann@home.test'], authserv_id: 'mx.home.test' },
  };
  return { announce: ['needs_you'], per_hour: 600, channels: { mail } };
}

/** What stands in a mail that asks whether something has happened. It is about the same mail, and no answer to it. */
const ASKS = /^(?:Reply to this mail to answer|To answer:|It can be answered until)/m;

/** The answers to the mail of this name, by their own id: one that was sent again has the same. */
const answersTo = ({ mail }: Round, name: string): Set<string | undefined> =>
  new Set(
    mail?.sent
      .filter((sent) => sent.mail.subject === `Re: ${name}` && !ASKS.test(sent.mail.text ?? ''))
      .map((sent) => sent.mail.messageId),
  );

export const isAnswered = (round: Round): boolean =>
  round.effects.every(({ name, work }) => work !== 'mail' || answersTo(round, name).size > 0);

/** Every mail has one answer, and every frame was made once. */
export async function judgeOutside(round: Round): Promise<void> {
  const { live, effects, count, fail } = round;
  for (const { name, work } of effects)
    if (work === 'mail' && answersTo(round, name).size !== 1)
      fail(`the mail ${name} has ${answersTo(round, name).size} answers`);
  const made = new Map<string, number>();
  for await (const { type, data } of readEvents(live.home.ledgers.run, { type: 'frame.put' }))
    if (type === 'frame.put') made.set(JSON.stringify(data), (made.get(JSON.stringify(data)) ?? 0) + 1);
  for (const [frame, times] of made) if (times > 1) fail(`a frame was made ${times} times: ${frame}`);
  count('frames', made.size);
  const valid = await live.oka('context', 'validate');
  if (valid.code !== 0) fail(`the frames are not valid: ${valid.out}${valid.err}`);
}
