/**
 * The worker is killed around the beginning of steps that must not be done twice: before the call is written down,
 * before the desk is kept, before the ticket, before and after the launcher has begun. Nobody is asked about any.
 */
import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { launcher, whyNot } from '../support/launcher.ts';
import { openStory, type Story } from '../support/story.ts';
import { scaled } from '../support/thorough.ts';

/** What a kill waits for, and then for how long at most. */
const MOMENTS = ['call.started', 'desk.kept', 'ticket', 'call.ended', 'run.resumed'] as const;
const KILLS = Number(process.env['OKA_BEGIN_KILLS'] ?? Math.max(scaled(12), MOMENTS.length));
const LONGEST_MS = 16;

type Moment = (typeof MOMENTS)[number];

describe.skipIf(launcher === null)(`killed where a step begins${whyNot}`, { timeout: 60_000 + KILLS * 10_000 }, () => {
  it(`${KILLS} times: every step is done once, and nobody is asked`, async () => {
    await using story = await openStory();
    const steps = [...Array(KILLS + 4).keys()];
    const fences = steps.map((n) => `## Step ${n}\n\n\`\`\`bash\necho ${n} >> once.txt\n\`\`\`\n`);
    story.drop('often.md', `---\nid: often\n---\n# Often\n\n${fences.join('\n')}`);
    const hit = new Map<string, number>();
    for (let kill = 0; kill < KILLS && !(await isOver(story)) && !(await isAsked(story)); kill += 1) {
      await killedAt(story, MOMENTS[kill % MOMENTS.length] ?? 'ticket', (kill * 3.7) % LONGEST_MS);
      const left = await leftBy(story);
      hit.set(left, (hit.get(left) ?? 0) + 1);
    }
    story.start(['worker']);
    const done = await story.until('its end', async () => (await isOver(story)) || (await isAsked(story)) || undefined);
    expect([done, await isAsked(story)]).toEqual([true, false]);
    expect(story.deskText('once.txt')?.trim().split('\n')).toEqual(steps.map(String));
    expect(await story.eventsOf('run.ended', 'often')).toHaveLength(1);
    expect(await verifyLedger(story.home.ledgers.run)).toMatchObject({ state: 'intact' });
    process.stdout.write(`${JSON.stringify(Object.fromEntries(hit))}\n`);
  });
});

/** A worker lives until the moment has come and a little longer. */
async function killedAt(story: Story, moment: Moment, longerMs: number): Promise<void> {
  const calls = join(story.home.oka, 'state/calls');
  mkdirSync(calls, { recursive: true });
  const before = { bytes: sizeOf(story.home.ledgers.run), tickets: ticketsIn(calls) };
  const come = Promise.withResolvers<void>();
  const look = (): void => {
    const isThere =
      moment === 'ticket'
        ? ticketsIn(calls).some((name) => !before.tickets.includes(name))
        : written(story.home.ledgers.run, before.bytes).includes(`"type":"${moment}"`);
    if (isThere) come.resolve();
  };
  const watchers = [story.home.oka, calls].map((folder) => watch(folder, look));
  const worker = story.start(['worker']);
  try {
    await Promise.race([come.promise, once(worker, 'exit'), sleep(20_000, undefined, { ref: false })]);
    if (longerMs >= 1) await sleep(longerMs);
    await killed(worker);
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

async function killed(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill('SIGKILL');
  await once(worker, 'exit');
}

/** How far the step had come of which the last worker did not see the end. */
async function leftBy(story: Story): Promise<string> {
  const events = await story.events();
  const open = events.findLast((event) => event.type === 'call.started' && event.data.tool === 'shell');
  if (open?.type !== 'call.started') return 'no step';
  const { call } = open.data;
  if (events.some((event) => event.type === 'call.ended' && event.data.call === call)) return 'between steps';
  if (!events.some((event) => event.type === 'desk.kept' && event.data.call === call)) return 'written down';
  const left = readdirSync(join(story.home.oka, 'state/calls')).filter((name) => name.startsWith(`${call}.`));
  return left.length === 0 ? 'kept' : (left[0]?.slice(call.length) ?? '');
}

async function isOver(story: Story): Promise<boolean> {
  return (await story.eventsOf('run.ended', 'often')).length > 0;
}

async function isAsked(story: Story): Promise<boolean> {
  return (await story.eventsOf('wait.opened')).some(({ data }) => data.for.kind !== 'child');
}

const ticketsIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.tmp'));

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function written(file: string, from: number): string {
  const size = sizeOf(file);
  if (size <= from) return '';
  const bytes = Buffer.alloc(size - from);
  const opened = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, from)).toString();
  } finally {
    closeSync(opened);
  }
}
