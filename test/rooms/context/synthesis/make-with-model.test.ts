import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/core/schema/json.ts';
import { RegenerationRequest, type SynthesisReport, SynthesisRequest } from '../../../../src/core/schema/synthesis.ts';
import type { Act, Outcome } from '../../../../src/core/schema/tool.ts';
import { type MemoryTree, memoryTree } from '../../../support/memory-tree.ts';

const FILES = {
  'src/a.ts': 'export const add = 1;\n',
  'src/b.ts': 'export const b = 2;\n',
  'src/c.ts': 'export const c = 3;\n',
};
const open: MemoryTree[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

type Asked = { system: string; text: string };
type Mind = { asked: Asked[]; act: Act };

/** A model that cites the first line of a file, or the first entry it is shown, and numbers its answers. */
function mind(answerOf: (asked: Asked, count: number) => Outcome | string = standard): Mind {
  const asked: Asked[] = [];
  return {
    asked,
    act: async (_tool, input) => {
      const { system, messages } = input as { system: string; messages: { text: string }[] };
      const question = { system, text: messages.map(({ text }) => text).join('\n') };
      const count = asked.push(question);
      await new Promise(setImmediate);
      const answer = answerOf(question, count);
      if (typeof answer !== 'string') return answer;
      const output: Json = { text: answer, call: null, problem: null, model: 'test:model' };
      return { status: 'ok', output, usage: { tokens_in: 100, tokens_out: 10 } };
    },
  };
}

/** The first word of the first line that a model is shown. */
const firstWord = (text: string): string => /^1: .*?([A-Za-z]{3,})/m.exec(text)?.[1] ?? '';

function standard({ text }: Asked, count: number): string {
  if (text.includes('Describe this file')) return `Answer ${count}, ${firstWord(text)} [L1]`;
  const name =
    /Entries there are now: ([^,\n]+)/.exec(text)?.[1] ?? /<data \w+ ([^,]+), described/.exec(text)?.[1] ?? '';
  return `Answer ${count} [${name}]`;
}

async function scanned(files: Record<string, string> = FILES, redact?: (text: string) => string): Promise<MemoryTree> {
  const home = memoryTree(files, redact);
  open.push(home);
  await home.tree.scan('workspace');
  return home;
}

const { signal } = new AbortController();
const MODEL = { policy: { kind: 'model' as const } };
const synthesize = ({ synthesis }: MemoryTree, { act }: Mind, request: object = {}): Promise<SynthesisReport> =>
  synthesis.synthesize(SynthesisRequest.parse({ node: 'src', ...MODEL, ...request }), { act, signal });
const regenerate = ({ synthesis }: MemoryTree, { act }: Mind, request: object = {}): Promise<SynthesisReport> =>
  synthesis.regenerate(RegenerationRequest.parse({ recursive: true, ...request }), { act, signal });
const headText = async ({ tree }: MemoryTree, path: string): Promise<string | null> => {
  const head = await tree.read('workspace', (reader) => reader.head(path, 'summary'));
  return head === null ? null : tree.text(head);
};

describe('a frame that a model writes', () => {
  it('is asked for once for each node, and says who wrote it', async () => {
    const [home, model] = [await scanned(), mind()];
    const { made, usage, failed } = await synthesize(home, model);
    expect(failed).toEqual([]);
    expect(made).toHaveLength(4);
    expect(usage).toEqual({ calls: 4, tokens: 440 });
    const head = await home.tree.read('workspace', (reader) => reader.head('src/a.ts', 'summary'));
    expect(head).toMatchObject({ origin: 'model', model: 'test:model', agent: 'oka' });
    expect(await synthesize(home, model)).toMatchObject({ made: [], unchanged: 4, usage: { calls: 0, tokens: 0 } });
    expect(model.asked).toHaveLength(4);
  });

  it('has an id that depends on what was asked, not on what was answered', async () => {
    const [one, other] = [await scanned(), await scanned()];
    const first = await synthesize(one, mind());
    const second = await synthesize(
      other,
      mind(({ text }) => (text.includes('this file') ? 'Else it exports [L1]' : 'Else [a.ts]')),
    );
    expect(new Set(first.made.map(({ frame }) => frame))).toEqual(new Set(second.made.map(({ frame }) => frame)));
    expect(await headText(one, 'src')).not.toBe(await headText(other, 'src'));
  });

  it('is written again with --force, as a revision; the first content stays in the history', async () => {
    const [home, model] = [await scanned({ 'src/a.ts': 'export const add = 1;\n' }), mind()];
    await synthesize(home, model, { node: 'src/a.ts' });
    await synthesize(home, model, { node: 'src/a.ts', force: true });
    expect(await headText(home, 'src/a.ts')).toBe('Answer 2, export [L1]\n');
    expect(await synthesize(home, model, { node: 'src/a.ts' })).toMatchObject({ made: [], unchanged: 1 });
    const frames = await home.tree.read('workspace', (reader) => reader.frames('src/a.ts'));
    expect(frames).toHaveLength(2);
    expect(await home.tree.text(frames[0] ?? { body: '' })).toBe('Answer 1, export [L1]\n');
  });

  it('is not asked for again when a file is what it was before', async () => {
    const [home, model] = [await scanned(), mind()];
    await synthesize(home, model, { node: 'src/a.ts' });
    for (const text of ['export const other = 1;\n', FILES['src/a.ts']]) {
      home.write({ 'src/a.ts': text });
      await home.tree.scan('workspace');
      await regenerate(home, model);
    }
    expect(model.asked).toHaveLength(2);
    expect(await headText(home, 'src/a.ts')).toBe('Answer 1, export [L1]\n');
  });

  it('of a folder is written from its old text and the changed children only', async () => {
    const [home, model] = [await scanned(), mind()];
    await synthesize(home, model);
    const before = model.asked.length;
    home.write({ 'src/b.ts': 'export const changed = 2;\n' });
    await home.tree.scan('workspace');
    const { made } = await regenerate(home, model);
    expect(made.map(({ path }) => path)).toEqual(['src/b.ts', 'src']);
    const [, folder] = model.asked.slice(before);
    expect(folder?.text).toContain('earlier description');
    expect([...(folder?.text.matchAll(/<data \w+ (\S+), described/g) ?? [])].map(([, name]) => name)).toEqual(['b.ts']);
  });

  it('identical requests in flight are one', async () => {
    const [home, model] = [await scanned(), mind()];
    await Promise.all([synthesize(home, model), synthesize(home, model), synthesize(home, model)]);
    expect(model.asked.filter(({ text }) => text.includes('this file'))).toHaveLength(3);
    expect(model.asked).toHaveLength(4);
  });

  it('whose sentences do not name what they rest on is asked for again, and then fails', async () => {
    const home = await scanned();
    const model = mind(() => 'It adds.');
    const { failed, made } = await synthesize(home, model, { node: 'src/a.ts' });
    expect(made).toEqual([]);
    expect(failed[0]?.reason).toContain('does not end with what it rests on');
    expect(model.asked).toHaveLength(3);
    expect(await headText(home, 'src/a.ts')).toBeNull();
  });

  it('a budget that is used up stops the rest, and doing it again goes on where it was', async () => {
    const home = await scanned();
    const limited = mind((asked, count) =>
      count <= 2 ? standard(asked, count) : { status: 'denied', error: 'the budget of the run is used up' },
    );
    const first = await synthesize(home, limited);
    expect(first.made).toHaveLength(2);
    expect(first.failed.map(({ reason }) => reason)).toContain('the budget of the run is used up');
    expect(await headText(home, 'src')).toBeNull();
    const model = mind();
    const second = await synthesize(home, model);
    expect(second).toMatchObject({ unchanged: 2, failed: [] });
    expect(second.made).toHaveLength(2);
    expect(model.asked).toHaveLength(2);
  });

  it('without a model is a failure that says so', async () => {
    const { synthesis } = await scanned();
    const report = await synthesis.synthesize(SynthesisRequest.parse(MODEL), { act: null, signal });
    expect(report.failed[0]?.reason).toBe('there is no model to ask');
    expect(report.made).toEqual([]);
  });

  it('the model never sees a secret, nor does its answer carry one', async () => {
    const home = await scanned({ 'src/a.ts': '// password s3cr3t\n' }, (text) =>
      text.replaceAll('s3cr3t', '[redacted]'),
    );
    const model = mind(() => 'The password is s3cr3t [L1]');
    await synthesize(home, model, { node: 'src/a.ts' });
    expect(model.asked[0]?.text).not.toContain('s3cr3t');
    expect(await headText(home, 'src/a.ts')).toBe('The password is [redacted] [L1]\n');
  });

  it('the plan says how often a model is asked, before it is', async () => {
    const [home, model] = [await scanned(), mind()];
    const request = SynthesisRequest.parse({ node: 'src', ...MODEL });
    expect(await home.synthesis.plan(request)).toMatchObject({ model_calls: 4 });
    await synthesize(home, model);
    expect(await home.synthesis.plan(request)).toMatchObject({ model_calls: 0, tokens: 0, frames: [] });
    expect(model.asked).toHaveLength(4);
  });
});
