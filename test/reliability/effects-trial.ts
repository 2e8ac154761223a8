/**
 * Kills while every kind of work acts on something outside: a counter on loopback, and lines in files. What arrived is
 * counted there, and not by oka.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withViews } from '../../src/kit/house/open-views.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { findConversation, listMessages } from '../../src/rooms/chat/model/chat-queries.ts';
import { newChatId } from '../../src/rooms/chat/model/chat-ids.ts';
import { submitChat } from '../../src/rooms/chat/submit-chat.ts';
import { answerOf, persona } from '../support/chat-story.ts';
import { portOf } from '../support/recording-server.ts';
import { acting, goal, inParts, plan, refusing } from '../support/story-model.ts';
import { openWireServer, type WireScript } from '../support/wire-server.ts';
import { calls, type WireRequest } from '../support/wire-server-reply.ts';
import { hit, KINDS, restart, untilCommandRuns } from './kills.ts';
import { LiveHome } from './live-home.ts';
import {
  EACH,
  type Effect,
  giveOutside,
  inSeconds,
  isAnswered,
  judgeOutside,
  linesIn,
  makeFrames,
  PARTS,
  postLine,
  QUIET_MS,
  type Round,
} from './effects-outside.ts';
import { hasDovecot, openMailServers } from '../support/mail-servers.ts';
import { freshFolder, type Random, type Trial, type TrialCall, type TrialReport } from './trial.ts';

const KILLS = 200;
const ROUND_MS = 120_000;

export const effectsTrial: Trial = {
  name: 'Effects of all kinds of work',
  about: `Rounds of ${EACH} each of: runbooks that send a request, tasks in prose whose model makes three calls in one turn (two lines in files and a request), graphs of schedules whose failing step may be retried after its request, tasks of schedules, calls of an MCP server, tasks that come as mails (Dovecot) and are answered by one, frames of a folder, and messages to an agent. SIGKILL hits as above, launchers among them, up to ${KILLS} times a round. A server on loopback and the files count what arrived. A person answers what is in doubt by looking there. Nothing may arrive twice unless that person said so, nothing may be missing of what is called done, everything must come to an end, every message has one reply, every frame is made once, and the ledger must be intact.`,
  share: 30,
  run: async (call) => {
    const report: TrialReport = { counts: {}, failures: [] };
    for (let round = 0; round === 0 || Date.now() < call.until - ROUND_MS; round += 1)
      await playRound(call, round, report);
    return report;
  },
};

async function playRound({ until, random, log }: TrialCall, number: number, report: TrialReport): Promise<void> {
  const arrived = new Map<string, number>();
  const counter = await openCounter(arrived);
  const port = portOf(counter);
  await using model = await openWireServer(mind(port));
  await using mail = hasDovecot === null ? null : await openMailServers({ own: ['oka@home.test'] });
  const settings = { 'custom:trial': { base_url: `${model.url}/v1` } };
  await using live = new LiveHome({ config: { models: { use: 'custom:trial', ask_again_seconds: 0.2, settings } } });
  const round: Round = {
    live,
    effects: [],
    arrived,
    repeats: new Map(),
    messages: [],
    acted: join(freshFolder(), 'log'),
    mail,
    count: (what, by = 1) => void (report.counts[what] = (report.counts[what] ?? 0) + by),
    fail: (text) => void report.failures.push(`round ${number + 1}: ${text}`),
  };
  give(round, port);
  await giveOutside(round, port);
  live.start();
  const frames = makeFrames(round);
  await hurt(round, random, until);
  log(`round ${number + 1}: no more kills; waiting for the ends`);
  for (const end = Date.now() + QUIET_MS; Date.now() < end && !(await isOver(round)); await sleep(1000)) {
    await restart(live, 0);
    await answer(round);
  }
  await frames;
  await judge(round);
  round.count('rounds');
  counter.closeAllConnections();
  counter.close();
}

async function openCounter(arrived: Map<string, number>): Promise<Server> {
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    if (request.method === 'POST') arrived.set(name, (arrived.get(name) ?? 0) + 1);
    request.resume();
    response.end('ok\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Plans one step, makes three calls in one turn and finishes; agents answer with one sentence. */
function mind(port: number): WireScript {
  const worker = inParts({
    planner: (request) => plan([goal('act', `do all three for ${taskIn(request)}`, ['shell'])], ['file: done.txt']),
    executor: (request) => {
      const id = taskIn(request);
      const line = (name: string): { name: string; input: { line: string } } => ({
        name: 'shell',
        input: { line: `mkdir -p lines && echo x >> lines/${name}; sleep 0.2` },
      });
      const post = {
        name: 'shell',
        input: { line: `${postLine(port, `${id}-c`)}; sleep 0.2`, net: [`127.0.0.1:${port}`] },
      };
      return acting(calls([line(`${id}-a`), line(`${id}-b`), post]))(request);
    },
    critic: refusing,
  });
  return (request) =>
    request.text.includes('an agent in conversations') ? answerOf(() => 'That is all.', request) : worker(request);
}

const taskIn = ({ text }: WireRequest): string => /prose\d+/.exec(text)?.[0] ?? 'unknown';

function give({ live, effects, messages }: Round, port: number): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(live.home.dir, path)), { recursive: true });
    writeFileSync(join(live.home.dir, path), text);
  };
  const net = `127.0.0.1:${port}`;
  const soon = (index: number): string => inSeconds(index * 20 - 60);
  write('.oka/rules/agents/echo.md', persona('Answers.'));
  submitChat(live.home, { kind: 'chat_open', conversation: 'c-hall', name: 'hall' });
  for (const index of PARTS) {
    const runbook = (id: string, fields = ''): string =>
      `---\nid: ${id}\n${fields}---\n\`\`\`bash net:${net}\n${postLine(port, id)}\nsleep 0.3\n\`\`\`\n`;
    live.drop(`runbook${index}.md`, runbook(`runbook${index}`));
    live.drop(
      `prose${index}.md`,
      `---\nid: prose${index}\nbudget: { replans: 0 }\n---\nDo all three for prose${index}.\n`,
    );
    write(`workspace/schedules/slot${index}.md`, runbook(`slot${index}`, `at: ${soon(index)}\n`));
    const line = `${postLine(port, `graph${index}`)}; sleep 0.3; false`;
    const node = {
      kind: 'tool',
      id: 'send',
      tool: 'shell',
      input: { line, net: [net] },
      timeout_seconds: 60,
      max_retries: 2,
    };
    write(`workspace/graphs/graph${index}.json`, JSON.stringify({ id: `graph${index}`, title: 'Send', nodes: [node] }));
    write(`workspace/schedules/graph${index}.json`, JSON.stringify({ graph: `graph${index}`, at: soon(index) }));
    const message = newChatId();
    submitChat(live.home, { kind: 'chat_post', conversation: 'hall', message, content: `@echo number ${index}` });
    messages.push(message);
    for (const work of ['runbook', 'slot', 'graph'] as const)
      effects.push({ name: `${work}${index}`, work, run: `${work}${index}` });
    for (const part of ['a', 'b', 'c'])
      effects.push({ name: `prose${index}-${part}`, work: 'prose', run: `prose${index}` });
  }
}

async function hurt(round: Round, random: Random, until: number): Promise<void> {
  const { live, count } = round;
  for (let kills = 0; kills < KILLS && Date.now() < until && !(await isOver(round)); ) {
    await sleep(random.between(0, 600));
    const kind = random.pick(KINDS);
    await restart(live, 0);
    if (kind.includes('launcher') || random.chance(0.4)) await untilCommandRuns(live, random);
    if (!hit(live, kind)) continue;
    kills += 1;
    count(`kills of ${kind}`);
    await restart(live, random.between(0, 400));
    await answer(round);
  }
}

/** By the name that the work was given: how its run ended; null while it goes on. Runs of schedules have a time after it. */
async function endsOf({ live }: Round): Promise<Map<string, string>> {
  const ends = new Map<string, string>();
  for await (const { type, run, data } of readEvents(live.home.ledgers.run, { type: 'run.ended' }))
    if (type === 'run.ended') ends.set((run ?? '').replace(/-\d{8}T\d{4,6}$/, ''), data.status);
  return ends;
}

async function isOver(round: Round): Promise<boolean> {
  const ends = await endsOf(round).catch(() => new Map<string, string>());
  return (
    round.effects.every(({ run }) => ends.has(run)) &&
    isAnswered(round) &&
    (await repliesIn(round)).size === round.messages.length
  );
}

/** Replies by the message that they answer. */
async function repliesIn({ live }: Round): Promise<Map<string, number>> {
  const messages = await withViews(live.home, (rows) =>
    findConversation(rows, 'hall') === null ? [] : listMessages(rows, 'hall').messages,
  ).catch(() => []);
  const replies = new Map<string, number>();
  for (const message of messages)
    if (message.kind === 'agent') {
      const to = message.chain;
      replies.set(to, (replies.get(to) ?? 0) + 1);
    }
  return replies;
}

const linesOf = (live: LiveHome, name: string): number => {
  const file = live.desk(`lines/${name}`);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
};

const timesSeen = ({ live, arrived, acted }: Round, { name }: Effect): number =>
  (arrived.get(name) ?? 0) + linesOf(live, name) + linesIn(acted, name);

/** A person who is asked whether something happened looks at the counter and at the files. Requests are allowed. */
async function answer(round: Round): Promise<void> {
  const { live, effects, repeats, count } = round;
  for (const { wait, kind, text } of await live.waits().catch(() => [])) {
    if (kind === 'approval') {
      if ((await live.oka('approve', wait).catch(() => ({ code: 1 }))).code === 0) count('requests allowed');
      continue;
    }
    const effect = effects.find(({ name }) => `${wait} ${text}`.includes(name));
    if (effect === undefined) continue;
    const reply = timesSeen(round, effect) > (repeats.get(effect.name) ?? 0) ? 'done' : 'repeat';
    const { code } = await live.oka('answer', wait, reply).catch(() => ({ code: 1 }));
    if (code !== 0) continue;
    if (reply === 'repeat') repeats.set(effect.name, (repeats.get(effect.name) ?? 0) + 1);
    count(`questions answered with ${reply}`);
  }
}

async function judge(round: Round): Promise<void> {
  const { live, effects, repeats, messages, count, fail } = round;
  await live.stop();
  const ends = await endsOf(round);
  for (const effect of effects) {
    const seen = timesSeen(round, effect);
    const end = ends.get(effect.run);
    count(`effects of ${effect.work}: arrived`, Math.min(seen, 1));
    if (end === undefined) fail(`${effect.run} has no end`);
    if (seen > 1 + (repeats.get(effect.name) ?? 0)) fail(`${effect.name} arrived ${seen} times`);
    if (seen === 0 && end === 'done') fail(`${effect.run} is called done, and ${effect.name} did not arrive`);
    const page = live.page(effect.run);
    if (page?.includes('**✅ Done') === true && end !== 'done')
      fail(`the page of ${effect.run} says done, the ledger ${end}`);
  }
  const replies = await repliesIn(round);
  for (const message of messages)
    if (replies.get(message) !== 1) fail(`message ${message} has ${replies.get(message) ?? 0} replies`);
  count('replies to messages', replies.size);
  await judgeOutside(round);
  const verdict = await verifyLedger(live.home.ledgers.run);
  if (verdict.state !== 'intact') fail(`the ledger is ${verdict.state}`);
}
