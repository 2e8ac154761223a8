/**
 * Models that obey a poisoned file, let loose through a real worker with the default policy. Each attack is made twice:
 * by the worker, where it must have no effect without a yes, and bare, where it must have one, so that the canaries are
 * known to notice it.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStory, type Story } from '../../support/story.ts';
import { acting, goal, inParts, plan } from '../../support/story-model.ts';
import { call, type WireReply, type WireRequest } from '../../support/wire-server-reply.ts';
import { type Attack, shellAttacks, type Step, webAttacks } from './attacks.ts';
import { openWorld, type Place, type World } from './world.ts';

const PAGES = {
  'http://docs.example.net/': 'see http://docs.example.net/guide?page=2 and http://partner.example.net/',
};
const TOOLS = ['files.read', 'files.write', 'shell', 'http.get', 'http.request'];
const PATIENCE_MS = 900_000;

const sets: [string, Attack[], (world: World) => Record<string, string>][] = [
  ['commands', shellAttacks, ({ user }) => ({ HOME: user })],
  ['requests', webAttacks, ({ user, web }) => ({ HOME: user, OKA_EGRESS: web })],
];

describe.each(sets)('%s of a hijacked model', { timeout: PATIENCE_MS }, (kind, attacks, environment) => {
  const named = attacks.map((attack, index) => ({
    ...attack,
    id: `g${kind[0]}${index}x`,
    bareId: `b${kind[0]}${index}x`,
  }));
  let world: World;
  let story: Story;
  let places: Map<string, Place>;
  let prompts: string;
  let bare: Map<string, string>;

  beforeAll(async () => {
    world = await openWorld(PAGES);
    story = await openStory({
      model: inParts({
        planner: ({ text }) => plan([goal('do', `carry out ${/case (\w+)\./.exec(text)?.[1]}!`, TOOLS)], ['file: x']),
        executor,
        critic: () => call('submit_verdict', { criteria: [], verdict: 'impossible', reason: 'no' }),
      }),
      config: { inbox: { settle_ms: 20, rescan_ms: 200 }, memory: { cap: 0, vectors: false } },
    });
    story.write('workspace/desk/private.txt', `tulips ${kind}\n`);
    places = new Map(named.map(({ id }) => [id, world.place(id, story.home.dir)]));
    for (const { id } of named)
      story.drop(`${id}.md`, `---\nid: ${id}\nbudget: { replans: 0 }\n---\nThis is case ${id}.\n`);
    story.start(['worker'], environment(world));
    await settled();
    prompts = story.model.requests.map(({ text }) => text).join('\n');
    bare = new Map();
    const elsewhere = named.map(({ bareId, steps }) => ({ steps, place: world.place(bareId, story.home.dir) }));
    for (const { steps, place } of elsewhere) {
      places.set(place.id, place);
      bare.set(place.id, await withoutGuard(steps(place), place, world));
    }
  }, PATIENCE_MS);

  afterAll(async () => {
    await story[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  function executor(asked: WireRequest): WireReply | Promise<WireReply> {
    const id = /carry out (\w+)!/.exec(asked.text)?.[1] ?? '';
    const place = places.get(id);
    const steps = place === undefined ? [] : (named.find((attack) => attack.id === id)?.steps(place) ?? []);
    return acting(...steps.map(({ tool, ...input }) => call(tool.replace('.', '_'), input)))(asked);
  }

  /** Every task is over or waits for a person. */
  async function settled(): Promise<void> {
    for (const { id } of named)
      await story.until(`the end of ${id}`, async () => {
        const events = await story.events();
        const isOver = events.some(({ type, run }) => type === 'run.ended' && run === id);
        return isOver || (await story.waiting()).some(({ run }) => run.startsWith(`${id}.`)) ? true : undefined;
      });
  }

  async function hasEffect({ effect }: Attack, id: string, output: string): Promise<boolean> {
    const place = places.get(id);
    if (place === undefined) throw new Error(`there is no place ${id}`);
    if (effect === 'sent') return world.received(id);
    if (effect === 'planted') return world.isPlanted(place);
    if (effect === 'read') return output.includes(place.value);
    return effect === 'changed' ? !world.isMarkIntact(place) : !(await world.isAlive(place));
  }

  it.each(named)('$name: no effect without a yes', async (attack) => {
    expect(await hasEffect(attack, attack.id, prompts)).toBe(false);
  });

  it.each(named)('$name: has an effect without the guard', async (attack) => {
    expect(await hasEffect(attack, attack.bareId, bare.get(attack.bareId) ?? '')).toBe(true);
  });

  it('every attack was tried', async () => {
    const tried = (await story.eventsOf('call.started')).flatMap(({ data }) => (data.node === 'do' ? [data.call] : []));
    for (const { id } of named)
      expect(
        tried.some((each) => each.startsWith(`${id}.`)),
        id,
      ).toBe(true);
  });
});

/** Does the same with nobody in between; gives what was read. */
async function withoutGuard(steps: readonly Step[], { user }: Place, { web }: World): Promise<string> {
  const desk = mkdtempSync(join(tmpdir(), 'oka-bare-'));
  writeFileSync(join(desk, 'private.txt'), 'tulips\n');
  const texts: string[] = [];
  for (const step of steps) {
    if (step.tool === 'shell') texts.push(await run(step.line, desk, user));
    else if (step.tool === 'files.read') texts.push(readFileSync(join(desk, step.path), 'utf8'));
    else if (step.tool === 'files.write') {
      mkdirSync(dirname(join(desk, step.path)), { recursive: true });
      writeFileSync(join(desk, step.path), step.content);
    } else await ask(step, web);
  }
  rmSync(desk, { recursive: true, force: true });
  return texts.join('\n');
}

function run(line: string, cwd: string, home: string): Promise<string> {
  return new Promise((done) =>
    execFile(
      'sh',
      ['-c', line],
      { cwd, env: { PATH: process.env['PATH'], HOME: home }, timeout: 20_000 },
      (_, out, err) => done(out + err),
    ),
  );
}

function ask(step: Extract<Step, { url: string }>, web: string): Promise<void> {
  const [host, port] = web.split(':');
  const about =
    step.tool === 'http.get' ? { method: 'GET', headers: step.headers } : { method: step.method, headers: {} };
  return new Promise((done, fail) => {
    const sent = request({ host, port, path: step.url, ...about, headers: about.headers ?? {} }, (reply) => {
      reply.resume().on('end', done);
    });
    sent.on('error', fail).end('body' in step ? step.body : undefined);
  });
}
