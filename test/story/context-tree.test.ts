/** The context tree from the command line to the wire: frames, questions, regeneration, the watcher and the planner. */
import { once } from 'node:events';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTokenCounter } from '../../src/kit/text/tokens.ts';
import type { QuestionAnswer, SynthesisPlan, SynthesisReport } from '../../src/core/schema/synthesis.ts';
import { firstWait, withDayBudget } from '../support/day-budget-story.ts';
import { openStory, type Story } from '../support/story.ts';
import { inParts, plan, refusing } from '../support/story-model.ts';
import { say, type WireReply, type WireRequest } from '../support/wire-server-reply.ts';

const SRC = join(import.meta.dirname, '../../src');

/** A model that describes by the first line or the first entry, and answers questions with the first path it is given. */
function describing({ text }: WireRequest): WireReply {
  if (text.includes('Describe this file')) return say(`It begins with ${/^1: (.*)$/m.exec(text)?.[1]} [L1]`);
  const entry = /Entries there are now: ([^,\n]+)/.exec(text)?.[1] ?? /<data \w+ ([^,]+), described/.exec(text)?.[1];
  if (entry !== undefined) return say(`It contains a file [${entry}]`);
  const path = /<data \w+ (\S+) \(/.exec(text)?.[1] ?? '';
  return say(`It is there [${path}].`);
}

async function json<T>(story: Story, ...words: string[]): Promise<T> {
  const { out, err, code } = await story.oka(...words, '--json');
  if (out === '') throw new Error(`${words.join(' ')}: ${code} ${err}`);
  return JSON.parse(out) as T;
}

describe('the context tree of a real repository', () => {
  it('synthesizes its own src, regenerates just the path of a change, and answers from frames for a fifth of the tokens', async () => {
    await using story = await openStory({ model: describing, config: { tree: { roots: { repo: 'repo' } } } });
    cpSync(SRC, join(story.home.dir, 'repo'), { recursive: true });
    const repo = ['--workspace', 'repo'];
    const made = await json<SynthesisReport>(story, 'context', 'synthesize', ...repo);
    const files = globSync('**/*', { cwd: SRC, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(made.failed).toEqual([]);
    expect(made.made_count).toBeGreaterThanOrEqual(files.length);
    expect(story.model.requests).toHaveLength(0); // no model is asked for it

    const asked = ['context', 'ask', 'where are records of the ledger sealed with a hash?', ...repo];
    const { answer, sources } = await json<QuestionAnswer>(story, ...asked);
    expect(answer).toBe(`It is there [${sources[0]?.path}].`);
    const { count } = await tokens();
    const prompt = story.model.requests.at(-1)?.text ?? '';
    const given = [...prompt.matchAll(/<data \w+ (\S+) \(/g)].map(([, path]) => path ?? '');
    const described = given.flatMap((path) => filesAt(path));
    const whole = described.reduce((sum, file) => sum + count(readFileSync(file, 'utf8')), 0);
    expect(given.length).toBeGreaterThan(5);
    expect(count(prompt)).toBeLessThan(whole / 5);

    story.write('repo/core/engine/decide.ts', '/** Changed. */\n');
    const report = await story.oka('context', 'report', ...repo);
    expect(report.code).toBe(1);
    const path = ['.', 'core', 'core/engine', 'core/engine/decide.ts'];
    expect([...report.out.matchAll(/^\| (\S+) \|/gm)].map(([, name]) => name).slice(1)).toEqual(path);
    const again = await json<SynthesisReport>(story, 'context', 'regenerate', '--recursive', ...repo);
    expect(again.made.map((frame) => frame.path)).toEqual(['core/engine/decide.ts', 'core/engine', 'core', '']);
    expect(await story.oka('context', 'report', ...repo)).toMatchObject({ code: 0 });
  });

  it('after one change the report names just that path, and regeneration makes just that path', async () => {
    await using story = await openStory();
    for (const name of ['a.ts', 'b.ts', 'deep/c.ts'])
      story.write(`workspace/desk/p/${name}`, `/** ${name}. */\nexport const x = 1;\n`);
    await json(story, 'context', 'synthesize', 'desk/p');
    expect(await story.oka('context', 'report')).toMatchObject({ code: 0 });
    story.write('workspace/desk/p/deep/c.ts', '/** Changed. */\n');
    const report = await story.oka('context', 'report');
    expect(report.code).toBe(1);
    expect([...report.out.matchAll(/^\| (\S+) \|/gm)].map(([, path]) => path).slice(1)).toEqual([
      'desk/p',
      'desk/p/deep',
      'desk/p/deep/c.ts',
    ]);
    expect(await story.oka('context', 'report', '--max-stale', '3')).toMatchObject({ code: 0 });
    const { made } = await json<SynthesisReport>(story, 'context', 'regenerate', '--recursive');
    expect(made.map(({ path }) => path)).toEqual(['desk/p/deep/c.ts', 'desk/p/deep', 'desk/p']);
    expect(await story.oka('context', 'report')).toMatchObject({ code: 0 });
  });
});

describe('frames that a model writes', () => {
  it('are planned before, are calls of a run, and go on where they were after a kill', async () => {
    const pace = { isSlow: true };
    const model = async (request: WireRequest): Promise<WireReply> => {
      while (pace.isSlow && story.model.requests.length > 2) await new Promise((resolve) => setTimeout(resolve, 20));
      return describing(request);
    };
    await using story = await openStory({ model });
    for (const name of ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'])
      story.write(`workspace/desk/p/${name}`, `// ${name}\n`);
    const words = ['context', 'synthesize', 'desk/p', '--policy', 'model'];
    const { model_calls: calls } = await json<SynthesisPlan>(story, ...words, '--plan');
    expect(calls).toBe(6);
    expect(story.model.requests).toHaveLength(0);

    const killed = story.start(words);
    await story.until('two frames', async () => ((await story.eventsOf('frame.put')).length >= 2 ? true : undefined));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    pace.isSlow = false;
    story.work();
    const frames = await story.until('all frames', async () => {
      const put = await story.eventsOf('frame.put');
      return put.length >= 6 ? put : undefined;
    });
    expect(new Set(frames.map(({ data }) => data.path)).size).toBe(6);
    expect(frames).toHaveLength(6);
    const again = await json<SynthesisReport>(story, ...words);
    expect(again).toMatchObject({ made: [], unchanged: 6, usage: { calls: 0 } });
    const asked = (await story.eventsOf('call.started')).filter(({ data }) => data.tool === 'model.complete');
    expect(asked.length).toBeGreaterThanOrEqual(6);
    expect(asked.every(({ run }) => run?.startsWith('context-synthesize-'))).toBe(true);
  });

  it('wait for the budget of the day, say so, and go on when it is raised', async () => {
    await using story = await openStory({ model: describing, policy: withDayBudget('{ calls: 2 }') });
    for (const name of ['a.ts', 'b.ts', 'c.ts']) story.write(`workspace/desk/p/${name}`, `// ${name}\n`);
    story.work();
    const { code, err } = await story.oka('context', 'synthesize', 'desk/p', '--policy', 'model');
    expect(code).not.toBe(0);
    expect(err).toContain("it waits for tomorrow's budget");
    await firstWait(story);
    expect((await story.eventsOf('frame.put')).length).toBeLessThan(4);
    const policy = readFileSync(story.home.policy, 'utf8');
    writeFileSync(story.home.policy, policy.replace('{ calls: 2 }', '{ calls: 100 }'));
    const put = await story.until('all frames', async () => {
      const frames = await story.eventsOf('frame.put');
      return frames.length >= 4 ? frames : undefined;
    });
    expect(new Set(put.map(({ data }) => data.path)).size).toBe(4);
    expect(story.model.requests).toHaveLength(4);
  });

  it('stay within the budget, and say what was not made', async () => {
    await using story = await openStory({
      model: (request) => ({ ...describing(request), usage: { in: 400, out: 100 } }) as WireReply,
    });
    for (const name of ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts', 'g.ts', 'h.ts'])
      story.write(`workspace/desk/p/${name}`, `// ${name}\n`);
    const ran = await story.oka('context', 'synthesize', 'desk/p', '--policy', 'model', '--budget', '3000');
    expect(ran.code).not.toBe(0);
    expect(`${ran.out}${ran.err}`).toMatch(/budget|tokens/);
    const put = await story.eventsOf('frame.put');
    expect(put.length).toBeLessThan(9);
  });
});

describe('the watcher', () => {
  it('marks frames of changed files stale, runs hooks, and makes again what exists, never more', async () => {
    await using story = await openStory({
      config: { tree: { watch: 'regenerate', watch_seconds: 1, on_change: ['noticed'] } },
    });
    const note = {
      kind: 'tool',
      id: 'note',
      tool: 'files.write',
      input: { path: 'seen.md', content: '{{input.workspace}}\n' },
    };
    story.write(
      'workspace/graphs/noticed.json',
      JSON.stringify({ id: 'noticed', nodes: [{ ...note, timeout_seconds: 30, max_retries: 0 }] }),
    );
    story.write('workspace/desk/p/a.md', '# One\n\nFirst text.\n');
    await story.oka('context', 'synthesize', 'desk/p');
    const before = (await story.eventsOf('frame.put')).length;
    story.work();
    story.write('workspace/desk/p/a.md', '# Two\n\nSecond text.\n');
    story.write('workspace/desk/p/new.md', '# New\n');
    const put = await story.until('regenerated frames', async () => {
      const all = await story.eventsOf('frame.put');
      return all.length >= before + 2 ? all.slice(before) : undefined;
    });
    expect(new Set(put.map(({ data }) => data.path))).toEqual(new Set(['desk/p/a.md', 'desk/p']));
    await story.until('the hook', async () => story.deskText('seen.md') ?? undefined);
    expect(story.deskText('seen.md')).toBe('workspace\n');
  });
});

describe('the planner', () => {
  it('gets frames of the folder that have to do with the task, as material with their origin', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () =>
          plan([{ id: 'say', tool: 'files.write', input: { path: 'x.txt', content: 'x' } }], ['file: x.txt']),
        critic: refusing,
      }),
      config: { memory: { cap: 2000, vectors: false } },
    });
    story.write(
      'workspace/desk/invoices/parser.ts',
      '/** Parses invoices of suppliers. */\nexport const parseInvoice = 1;\n',
    );
    story.write('workspace/desk/weather/rain.ts', '/** Forecasts of rain. */\nexport const rain = 1;\n');
    await story.oka('context', 'synthesize', 'desk');
    story.drop('t.md', '---\nid: t\naccept:\n  - "file: x.txt"\n---\nFix the parser of supplier invoices.\n');
    story.work();
    await story.ended('t');
    const prompt = story.model.requests.find(({ tools }) => tools.includes('submit_plan'))?.text ?? '';
    expect(prompt).toMatch(
      /<data \w+ the workspace>[\s\S]*desk\/invoices\/parser\.ts[^\n]*Parses invoices of suppliers/,
    );
    expect(prompt).not.toContain('Forecasts of rain');
  });
});

let counting: ReturnType<typeof createTokenCounter> | null = null;
const tokens = async (): Promise<{ count: (text: string) => number }> => {
  const counter = await (counting ??= createTokenCounter('openai'));
  return { count: (text) => counter.count(text) };
};

/** The file at a path of the workspace, or the files right in a folder. */
function filesAt(path: string): string[] {
  const at = join(SRC, path);
  const inside = globSync('*', { cwd: at, withFileTypes: true }).filter((entry) => entry.isFile());
  return path.includes('.') ? [at] : inside.map(({ name }) => join(at, name));
}
