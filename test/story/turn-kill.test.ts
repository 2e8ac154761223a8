/**
 * A worker makes several calls a turn, reads and changes mixed, and is killed at every write of its run: before calls
 * start, between them, before their outcomes, before the next question to the model, between the last calls and the
 * answer that came with them. Whatever the moment: nothing is lost, nothing is done twice, the result is the same.
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import type { Event } from '../../src/core/schema/event.ts';
import type { KillMoment } from '../support/kill-at-event.ts';
import { openStory, type Story } from '../support/story.ts';
import { goal, inParts, plan, turnOf } from '../support/story-model.ts';
import { isThorough, scaled } from '../support/thorough.ts';
import { placesInTurn } from '../support/turn-places.ts';
import { calls } from '../support/wire-server-reply.ts';

const killing = pathToFileURL(fileURLToPath(new URL('../support/kill-at-event.ts', import.meta.url))).href;

const TASK = '---\nid: mixed\n---\nCollect the marks into out.txt.\n';
const SEEN = 'MARK-alpha MARK-beta MARK-one MARK-beta';

const model = inParts({
  planner: () =>
    plan(
      [goal('work', 'Collect them', ['files.read', 'files.write', 'shell'], ['log.txt', 'out.txt'])],
      ['contains: out.txt one'],
    ),
  executor: (request) => {
    const seen = (request.text.match(/MARK-\w+/g) ?? []).join(' ');
    return turnOf(request) === 1
      ? calls([
          { name: 'files_read', input: { path: 'a.txt' } },
          { name: 'files_read', input: { path: 'b.txt' } },
          { name: 'shell', input: { line: 'cat seed.txt >> log.txt' } },
          { name: 'files_read', input: { path: 'log.txt' } },
          { name: 'shell', input: { line: 'cat b.txt' } },
        ])
      : calls([
          { name: 'files_write', input: { path: 'out.txt', content: seen } },
          { name: 'finish', input: { output: `I wrote the marks to out.txt: ${seen}` } },
        ]);
  },
});

/** A home with the task in it. */
async function openTrial(): Promise<Story> {
  const story = await openStory({ model });
  for (const [name, text] of [
    ['a.txt', 'MARK-alpha\n'],
    ['b.txt', 'MARK-beta\n'],
    ['seed.txt', 'MARK-one\n'],
  ] as const)
    story.write(join('workspace/desk', name), text);
  story.drop('mixed.md', TASK);
  return story;
}

/** True when the worker was killed at this moment; false when the task ended before it came. */
async function killAt(story: Story, moment: KillMoment): Promise<boolean> {
  const env = { OKA_TEST_KILL: JSON.stringify(moment), NODE_OPTIONS: `--import=${killing}` };
  const worker = story.start(['worker'], env);
  const gone = once(worker, 'exit');
  const isOver = async (): Promise<true | undefined> =>
    worker.signalCode !== null || (await story.eventsOf('run.ended', 'mixed')).length > 0 || undefined;
  await story.until('the kill or the end', isOver);
  const isKilled = worker.signalCode !== null;
  worker.kill('SIGKILL');
  await gone;
  return isKilled;
}

/** What is wrong with the world after the next worker has ended the task; empty when all is well. */
async function faultsAfter(story: Story): Promise<string[]> {
  story.work();
  const isOver = async (): Promise<true | undefined> =>
    (await story.waiting()).length > 0 || (await story.eventsOf('run.ended', 'mixed')).length > 0 || undefined;
  await story.until('a question or the end', isOver);
  const [question] = await story.waiting();
  if (question !== undefined) return [`somebody was asked: ${JSON.stringify(question.for)}`];
  const end = await story.ended('mixed');
  const events = await story.events();
  const found = {
    status: end.status,
    log: story.deskText('log.txt'),
    out: story.deskText('out.txt'),
    ends: events.filter(({ type, run }) => type === 'run.ended' && run === 'mixed').length,
    ledger: (await verifyLedger(story.home.ledgers.run)).state,
  };
  const right = { status: 'done', log: 'MARK-one\n', out: SEEN, ends: 1, ledger: 'intact' };
  const isRight = JSON.stringify(found) === JSON.stringify(right);
  return [...(isRight ? [] : [JSON.stringify(found)]), ...callFaults(events)];
}

/** Every call has one outcome, is one that the turn still had to make, and none is made again that has ended well. */
function callFaults(events: readonly Event[]): string[] {
  const ofWorker = events.filter(
    ({ run, data }) => run?.startsWith('mixed.') && 'node' in data && data.node === 'work',
  );
  const started = ofWorker.flatMap(({ type, data }) => (type === 'call.started' ? [data.call] : []));
  const ended = ofWorker.flatMap(({ type, data }) => (type === 'call.ended' ? [data.call] : []));
  const misplaced = placesInTurn(ofWorker).filter(({ places }) => places.length === 0);
  return [
    ...(started.toSorted().join() === ended.toSorted().join()
      ? []
      : [`started ${started.join()}, ended ${ended.join()}`]),
    ...misplaced.map(({ call }) => `${call} should not have been made`),
  ];
}

const READS = '"type":"call.started".*"together":true';
const OUTCOME_OF_APPEND = String.raw`"type":"call\.ended".*\.work\.0\.3"`;

/** Every third write is tried, and others before than after; with OKA_TEST_SCALE=3 every one. */
const EVERY = Math.max(1, Math.round(3 / scaled(1)));

describe('a worker that makes several calls a turn', { timeout: isThorough ? 900_000 : 90_000 }, () => {
  it.each<[string, KillMoment]>([
    ['when its reads have started', { pattern: READS, times: 1, when: 'after' }],
    ['when a change has happened and is not recorded', { pattern: OUTCOME_OF_APPEND, times: 1, when: 'before' }],
  ])('killed %s goes on, and nothing is lost or done twice', async (_, moment) => {
    await using story = await openTrial();
    expect(await killAt(story, moment)).toBe(true);
    expect(await faultsAfter(story)).toEqual([]);
  });

  it.skipIf(!isThorough).each(['before', 'after'] as const)(
    'killed %s any write of its run goes on, and nothing is lost or done twice',
    async (when) => {
      const faults: string[] = [];
      let kills = 0;
      for (let times = when === 'before' ? 1 : EVERY; ; times += EVERY) {
        await using story = await openTrial();
        if (!(await killAt(story, { pattern: String.raw`"run":"mixed\.`, times, when }))) break;
        kills += 1;
        faults.push(...(await faultsAfter(story)).map((fault) => `${when} write ${times}: ${fault}`));
      }
      expect(faults).toEqual([]);
      expect(kills).toBeGreaterThan(12 / EVERY);
    },
  );

  it.skipIf(!isThorough)('is found to do a change twice when what its launcher has seen is taken away', async () => {
    await using story = await openTrial();
    expect(await killAt(story, { pattern: OUTCOME_OF_APPEND, times: 1, when: 'before' })).toBe(true);
    rmSync(join(story.home.oka, 'state/calls'), { recursive: true });
    expect(await faultsAfter(story)).not.toEqual([]);
  });
});
