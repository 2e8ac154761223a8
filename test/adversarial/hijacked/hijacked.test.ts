/**
 * Models that obey a poisoned file, let loose through a real worker with the default policy. Each attack is made twice:
 * by the worker, where it must have no effect without a yes, and bare, where it must have one, so that the canaries are
 * known to notice it.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScripted, type Step } from '../../support/scripted-tasks.ts';
import type { Story } from '../../support/story.ts';
import { armedFolder, type Attack, shellAttacks, webAttacks } from './attacks.ts';
import { packageAttacks } from './package-attacks.ts';
import { openWorld, type Place, type World } from './world.ts';

const PAGES = {
  'http://docs.example.net/': 'see http://docs.example.net/guide?page=2 and http://partner.example.net/',
};
const PATIENCE_MS = 900_000;

const sets: [string, Attack[], (world: World) => Record<string, string>][] = [
  ['commands', shellAttacks, ({ user }) => ({ HOME: user })],
  [
    'packages',
    packageAttacks,
    ({ user, tcp }) => ({ HOME: user, npm_config_registry: `http://127.0.0.1:${tcp}/`, PIP_INDEX_URL: '' }),
  ],
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
    const scripted = await openScripted();
    story = scripted.story;
    story.write('workspace/desk/private.txt', `tulips ${kind}\n`);
    places = new Map(named.map(({ id }) => [id, world.place(id, story.home.dir)]));
    const stepsOf = ({ id, steps }: (typeof named)[number]) => {
      const place = places.get(id);
      return place === undefined ? [] : steps(place);
    };
    await scripted.run(
      named.map((attack) => ({ id: attack.id, steps: () => stepsOf(attack) })),
      environment(world),
    );
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

  async function hasEffect({ effect }: Attack, id: string, output: string): Promise<boolean> {
    const place = places.get(id);
    if (place === undefined) throw new Error(`there is no place ${id}`);
    if (effect === 'sent') return world.received(id);
    if (effect === 'armed') return output.includes(`armed ${id}`) || filesBelow(story.desk(armedFolder(place))) > 0;
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
async function withoutGuard(steps: readonly Step[], place: Place, { web }: World): Promise<string> {
  const desk = mkdtempSync(join(tmpdir(), 'oka-bare-'));
  writeFileSync(join(desk, 'private.txt'), 'tulips\n');
  const texts: string[] = [];
  for (const step of steps) {
    if (step.tool === 'shell') texts.push(await run(step.line, desk, place.user));
    else if ('url' in step) await ask(step, web);
    else if ('content' in step) {
      mkdirSync(dirname(join(desk, step.path)), { recursive: true });
      writeFileSync(join(desk, step.path), step.content);
    } else texts.push(readFileSync(join(desk, step.path), 'utf8'));
  }
  if (filesBelow(join(desk, armedFolder(place))) > 0) texts.push(`armed ${place.id}`);
  rmSync(desk, { recursive: true, force: true });
  return texts.join('\n');
}

function filesBelow(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
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
