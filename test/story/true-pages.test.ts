/**
 * Whatever the rounds of a task are (plans, work, verdicts that contradict it or cannot be used, kills, new plans), what its
 * page says of files, evidence and the answer is true of the desk as it is then. The desk is looked at here without oka.
 */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chance } from '../support/chance.ts';
import { openStory, type Story } from '../support/story.ts';
import { goal, inParts, plan, verdict } from '../support/story-model.ts';
import { timesOf } from '../support/thorough.ts';
import { call, calls, say, type WireReply } from '../support/wire-server-reply.ts';

const killing = pathToFileURL(join(import.meta.dirname, '../support/kill-at-event.ts')).href;
const SEED = Number(process.env['SEED'] ?? 20_261_118);
const CASES = Number(process.env['RUNS'] ?? timesOf(60, 4));

const NAMES = ['a.txt', 'b.txt', 'c.txt'];
const TEXTS = ['one\n', 'one\ntwo\n', 'two\n', ''];
const BEFORE: Readonly<Record<string, string>> = { 'a.txt': 'zero\n', 'b.txt': 'one\n' };
const TOOLS = ['files.read', 'files.write', 'files.remove', 'shell'];
/** Checks, and whether each holds of a text; null is a file that is not there. */
const CHECKS: Readonly<Record<string, (text: string | null) => boolean>> = {
  'file: %': (text) => text !== null && text !== '',
  'file: % is absent': (text) => text === null,
  'file: % is not empty': (text) => text !== null && text !== '',
  'contains: % "two"': (text) => text?.includes('two') === true,
  'lacks: % "zero"': (text) => text !== null && !text.includes('zero'),
  'rows: % == 2': (text) => text?.split('\n').filter((line) => line !== '').length === 2,
};

type Random = { pick: <T>(all: readonly T[]) => T; maybe: (share: number) => boolean };

function randomOf(seed: number): Random {
  const next = chance(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
  return { pick, maybe: (share) => next() < share };
}

/** A mind that does what chance says; every answer of a worker has a number of its own. */
function mindOf({ pick, maybe }: Random) {
  let number = 0;
  let plans = 0;
  /** A planner that never answers again after its first plan: what was judged by then is all that the page has. */
  const hasOnePlan = maybe(0.3);
  const check = (): string => pick(Object.keys(CHECKS)).replace('%', pick(NAMES));
  const change = (): { name: string; input: { [key: string]: string | boolean } } =>
    maybe(0.7)
      ? { name: 'files_write', input: { path: pick(NAMES), content: pick(TEXTS) } }
      : maybe(0.5)
        ? { name: 'files_remove', input: { path: pick(NAMES), missing_ok: true } }
        : { name: 'shell', input: { line: `echo two >> ${pick(NAMES)}` } };
  return inParts({
    planner: () => {
      number += 1;
      if (maybe(0.1) || (hasOnePlan && plans > 0)) return say('I will think about it.');
      plans += 1;
      const criteria = [check(), ...(maybe(0.5) ? [check()] : []), ...(maybe(0.3) ? ['The texts are good.'] : [])];
      return plan([goal(`work${number}`, 'Change the files', TOOLS, NAMES)], [...new Set(criteria)]);
    },
    executor: (): WireReply => {
      number += 1;
      if (maybe(0.1)) return say('Done!');
      if (maybe(0.1)) return call('fail', { reason: `it cannot be done (${number})` });
      const finish = { name: 'finish', input: { output: `The files are as they should be (${number}).` } };
      return calls([change(), ...(maybe(0.3) ? [change()] : []), ...(maybe(0.8) ? [finish] : [])]);
    },
    critic: ({ text }) => {
      if (maybe(0.15)) return say('All is well.');
      const names = [...text.matchAll(/^(c\d+): /gm)].map(([, name = '']) => name);
      const shown = [...text.matchAll(/<data \w+ (E\d+) /g)].map(([, name = '']) => name);
      const claims = names.map((criterion) => {
        const holds = maybe(0.6);
        return { criterion, holds, evidence: holds && shown.length > 0 ? pick(shown) : '', quote: '' };
      });
      return verdict(claims.every(({ holds }) => holds) ? 'done' : 'rework', claims);
    },
  });
}

const textOn = (story: Story, name: string): string | null =>
  existsSync(story.desk(name)) ? readFileSync(story.desk(name), 'utf8') : null;

const section = (page: string, title: string): string =>
  new RegExp(`^## ${title}\\n\\n([\\s\\S]*?)(?=\\n## |$(?![\\s\\S]))`, 'm').exec(page)?.[1] ?? '';

/** What is untrue on the page. */
async function untruths(story: Story, page: string): Promise<string[]> {
  const said = [...section(page, 'Files').matchAll(/^- (new|changed|removed) \[?`([^`]+)`/gm)].map(
    ([, what, name]) => `${what} ${name}`,
  );
  const is = NAMES.flatMap((name) => {
    const [before, now] = [BEFORE[name] ?? null, textOn(story, name)];
    if (before === now) return [];
    return [`${before === null ? 'new' : now === null ? 'removed' : 'changed'} ${name}`];
  });
  const wrong = said.toSorted().join() === is.toSorted().join() ? [] : [`Files: says ${said.join()}, is ${is.join()}`];
  for (const [, mark, criterion = '', evidence = ''] of section(page, 'Evidence').matchAll(
    /^- (✅|❌) (.*)\n {2}(.*)$/gm,
  )) {
    const plain = criterion.replaceAll(/[`\\]/g, '');
    const name = NAMES.find((each) => plain.includes(each)) ?? '';
    const holds = CHECKS[plain.replace(name, '%')]?.(textOn(story, name));
    if (holds === undefined || /judged before the last plan, and not again/.test(evidence)) continue;
    if ((mark === '✅') !== holds && !/it was not (?:checked|judged)/.test(evidence))
      wrong.push(`Evidence: ${mark} ${plain}: ${evidence}, and it ${holds ? 'holds' : 'does not hold'}`);
  }
  const answers = (await story.eventsOf('decision.made')).flatMap(({ data }) =>
    data.decision.kind === 'Finish' ? [JSON.stringify(data.decision.output ?? '')] : [],
  );
  const [number] = /\((\d+)\)/.exec(section(page, 'Answer(?:, not accepted)?')) ?? [];
  if (number !== undefined && !answers.some((answer) => answer.includes(number)))
    wrong.push(`Answer: nobody said ${number}`);
  if (number === undefined && /\*\*✅ Done/.test(page) && answers.length > 0) wrong.push('Answer: there is none');
  return wrong;
}

/**
 * What was found before the last plan is marked as that, in every line; nothing else is. Whether a judgement came after the
 * last plan is told by the order of the ledger alone.
 */
async function wronglyMarked(story: Story, page: string): Promise<string[]> {
  const own = (await story.events()).filter(({ run }) => run === 't');
  const planned = own.findLast(({ type, data }) => type === 'call.started' && 'node' in data && data.node === 'plan');
  const judged = own.findLast(({ type }) => type === 'run.judged');
  if (planned === undefined || judged === undefined) return [];
  const isBefore = judged.seq < planned.seq;
  const lines = [...section(page, 'Evidence').matchAll(/^- (?:✅|❌) .*\n {2}(.*)$/gm)].map(([, line = '']) => line);
  const marked = lines.filter((line) => line.includes('judged before the last plan, and not again'));
  if (isBefore) marks.before += lines.length;
  return marked.length === (isBefore ? lines.length : 0)
    ? []
    : [`Evidence: judged ${isBefore ? 'before' : 'after'} the last plan, ${marked.length} of ${lines.length} marked`];
}

/** How many lines of evidence were of before the last plan: a test without any would show nothing. */
const marks = { before: 0 };

/** Kills a worker at a random write of the task, or lets it end; then another one goes on. */
async function work(story: Story, { pick, maybe }: Random): Promise<void> {
  if (maybe(0.5)) {
    const moment = { pattern: '"run":"t', times: pick([3, 8, 15, 22, 30, 45]), when: pick(['before', 'after']) };
    const env = { OKA_TEST_KILL: JSON.stringify(moment), NODE_OPTIONS: `--import=${killing}` };
    const worker = story.start(['worker'], env);
    const gone = once(worker, 'exit');
    await story.until('the kill or the end', async () =>
      worker.signalCode !== null || (await story.eventsOf('run.ended', 't')).length > 0 ? true : undefined,
    );
    worker.kill('SIGKILL');
    await gone;
  }
  story.work();
}

describe('the page of a task', { timeout: 3_600_000 }, () => {
  it('says nothing of files, evidence and the answer that is not true of the desk', async () => {
    const found: string[] = [];
    let pages = 0;
    for (let at = 0; at < CASES; at += 1) {
      const random = randomOf(SEED + at);
      await using story = await openStory({ model: mindOf(random) });
      for (const [name, text] of Object.entries(BEFORE)) story.write(join('workspace/desk', name), text);
      story.drop('t.md', '---\nid: t\n---\nPut the texts in order.\n');
      await work(story, random);
      const end = await story.until('a question or the end', async () =>
        (await story.waiting()).length > 0 ? 'asked' : (await story.eventsOf('run.ended', 't'))[0],
      );
      if (end === 'asked') continue; // what may have happened is asked about, and nothing is claimed yet
      const { page } = await story.ended('t');
      await story.rest();
      pages += 1;
      const untrue = [...(await untruths(story, page)), ...(await wronglyMarked(story, page))];
      found.push(...untrue.map((each) => `case ${SEED + at}: ${each}\n${page}`));
    }
    expect(found).toEqual([]);
    expect(pages).toBeGreaterThan(CASES / 2);
    if (CASES >= 20) expect(marks.before).toBeGreaterThan(0);
  });
});
