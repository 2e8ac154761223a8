import { afterEach, describe, expect, it } from 'vitest';
import { RegenerationRequest, SynthesisRequest } from '../../../../src/core/schema/synthesis.ts';
import { EMPTY_FOLDER } from '../../../../src/rooms/context/synthesis/synthesis-policies.ts';
import { type MemoryTree, memoryTree } from '../../../support/memory-tree.ts';

const FILES = {
  'src/a.ts': '/** Adds. */\nexport const add = 1;\n',
  'src/deep/b.ts': '/** Subtracts. */\nexport const subtract = 2;\n',
  'src/deep/c.md': '# Notes\n\nNothing yet.\n',
  'docs/guide.md': '# Guide\n\nHow to begin.\n',
};
const open: MemoryTree[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function scanned(files: Record<string, string> = FILES): Promise<MemoryTree> {
  const made = memoryTree(files);
  open.push(made);
  await made.tree.scan('workspace');
  return made;
}
const quiet = { act: null, signal: new AbortController().signal };
type Request = Parameters<typeof SynthesisRequest.parse>[0];
const synthesize = ({ synthesis }: MemoryTree, request: Request = {}): ReturnType<typeof synthesis.synthesize> =>
  synthesis.synthesize(SynthesisRequest.parse(request), quiet);
const regenerate = ({ synthesis }: MemoryTree, request: object = {}): ReturnType<typeof synthesis.regenerate> =>
  synthesis.regenerate(RegenerationRequest.parse({ recursive: true, ...request }), quiet);
const headText = async ({ tree }: MemoryTree, path: string, type = 'summary'): Promise<string | null> => {
  const head = await tree.read('workspace', (reader) => reader.head(path, type));
  return head === null ? null : tree.text(head);
};
const paths = (frames: readonly { path: string }[]): string[] => frames.map(({ path }) => path);

describe('branch context synthesis', () => {
  it('makes frames from the bottom to the top, and a folder has a line for each child', async () => {
    const home = await scanned();
    const { made, failed, frame } = await synthesize(home);
    expect(failed).toEqual([]);
    expect(paths(made).slice(-2)).toEqual(['src', '']);
    expect(paths(made).indexOf('src/deep')).toBeLessThan(paths(made).indexOf('src'));
    expect(made.at(-1)?.frame).toBe(frame);
    expect(await headText(home, 'src')).toBe('1 file, 1 folder.\n- a.ts: Adds. Exports: add.\n- deep/: b.ts, c.md\n');
    expect(await headText(home, 'src/deep/b.ts')).toBe('Subtracts.\nExports: subtract (2).\n');
  });

  it('Same child frames → same branch frame', async () => {
    const [one, other] = [await scanned(), await scanned()];
    expect((await synthesize(one)).made).toEqual((await synthesize(other)).made);
  });

  it('Child change invalidates parent basis', async () => {
    const home = await scanned();
    await synthesize(home);
    const basisOf = (path: string): Promise<string | undefined> =>
      home.tree.read('workspace', (reader) => reader.head(path, 'summary')?.basis);
    const before = await Promise.all(['', 'src', 'docs'].map(basisOf));
    home.write({ 'src/deep/b.ts': '/** Divides. */\n' });
    await home.tree.scan('workspace');
    expect(await home.tree.read('workspace', (reader) => paths(reader.stale()).toSorted())).toEqual([
      '',
      'src',
      'src/deep',
      'src/deep/b.ts',
    ]);
    await regenerate(home);
    const after = await Promise.all(['', 'src', 'docs'].map(basisOf));
    expect(after.map((basis, at) => basis === before[at])).toEqual([false, false, true]);
  });

  it('Synthesis limited to subtree scope', async () => {
    const home = await scanned();
    const { made } = await synthesize(home, { node: 'src/deep' });
    expect(paths(made).toSorted()).toEqual(['src/deep', 'src/deep/b.ts', 'src/deep/c.md']);
    expect(await headText(home, 'src')).toBeNull();
  });

  it('No synthesis without declared trigger', async () => {
    const home = await scanned();
    home.write({ 'src/new.ts': 'export const x = 1;\n' });
    await home.tree.scan('workspace');
    await regenerate(home);
    expect(home.events.filter(({ type }) => type === 'frame.put')).toEqual([]);
  });

  it('Empty directory produces stable empty frame', async () => {
    const home = await scanned({ 'data/keep/x.bin': '\0\0' });
    const request = { node: 'data', policy: { kind: 'concatenation' as const } };
    await synthesize(home, request);
    expect(await headText(home, 'data/keep')).toBe(EMPTY_FOLDER);
    expect((await synthesize(home, request)).made).toEqual([]);
  });

  it('Synthesis preserves frame ordering: the inputs are ordered by node id, then by frame id', async () => {
    const home = await scanned();
    await synthesize(home);
    const { inputs, children } = await home.tree.read('workspace', (reader) => ({
      inputs: reader.frame(reader.head('src/deep', 'summary')?.id ?? '')?.inputs,
      children: reader.childFrames('src/deep', 'summary'),
    }));
    expect(inputs).toEqual(children.map(({ frame }) => frame));
    expect(children.map(({ node }) => node)).toEqual(children.map(({ node }) => node).toSorted());
  });

  it('type *: a folder is made from the heads of all types of its children', async () => {
    const home = await scanned();
    await synthesize(home, { node: 'src/deep/b.ts' });
    await synthesize(home, { node: 'src/deep/b.ts', type: 'outline' });
    await synthesize(home, { node: 'src/deep', takes: '*', policy: { kind: 'concatenation' } });
    const text = (await headText(home, 'src/deep')) ?? '';
    expect(text).toContain('Exports: subtract (2).');
    expect(text).toContain('2: export const subtract');
  });

  it('what a person wrote stays the head, and is what the folder says of the file', async () => {
    const home = await scanned();
    const adapter = home.synthesis.adapter('ana', 'workspace', quiet);
    await adapter.writeContext('src/a.ts', { type: 'summary', content: 'By hand.' });
    await synthesize(home, { node: 'src' });
    expect(await headText(home, 'src/a.ts')).toBe('By hand.');
    expect(await headText(home, 'src')).toContain('- a.ts: By hand.');
  });

  it('an agent that may not synthesize, and one that nobody knows, are errors', async () => {
    const home = await scanned();
    await expect((async () => synthesize(home, { agent: 'rita' }))()).rejects.toThrow('may not make frames of folders');
    await expect((async () => synthesize(home, { agent: 'nobody' }))()).rejects.toThrow('there is no agent "nobody"');
  });

  it('secrets never enter frames', async () => {
    const home = memoryTree({ 'a.md': '# Key\n\nThe key is s3cr3t.\n' }, (text) =>
      text.replaceAll('s3cr3t', '[redacted]'),
    );
    open.push(home);
    await home.tree.scan('workspace');
    await synthesize(home);
    expect(await headText(home, 'a.md')).toContain('[redacted]');
  });

  it('a file that has changed since the scan is not described, nor are the folders above it', async () => {
    const home = await scanned();
    home.write({ 'src/a.ts': 'export const other = 1;\n' });
    const { failed, made } = await synthesize(home);
    expect(failed[0]).toEqual({ path: 'src/a.ts', type: 'summary', reason: 'src/a.ts has changed since the scan' });
    expect(paths(failed)).toEqual(['src/a.ts', 'src', '']);
    expect(paths(made)).toContain('docs');
  });
});

describe('incremental regeneration', () => {
  it('File change triggers minimal regeneration: exactly the frames on the path to it', async () => {
    const home = await scanned();
    await synthesize(home);
    home.write({ 'src/deep/b.ts': '/** Divides. */\nexport const divide = 3;\n' });
    await home.tree.scan('workspace');
    const plan = await home.synthesis.plan(RegenerationRequest.parse({ recursive: true }));
    const { made, left_stale: left } = await regenerate(home);
    expect(paths(made)).toEqual(['src/deep/b.ts', 'src/deep', 'src', '']);
    expect(paths(plan.frames).toSorted()).toEqual(paths(made).toSorted());
    expect(left).toEqual([]);
    expect(await headText(home, 'src/deep/b.ts')).toContain('divide');
  });

  it('Unchanged nodes are not touched', async () => {
    const home = await scanned();
    await synthesize(home);
    const before = home.events.length;
    home.write({ 'docs/guide.md': '# Guide\n\nHow to end.\n' });
    await home.tree.scan('workspace');
    await regenerate(home);
    const touched = home.events.slice(before).flatMap(({ type, data }) => (type === 'frame.put' ? [data.path] : []));
    expect(touched).toEqual(['docs/guide.md', 'docs', '']);
  });

  it('Regenerated FrameIDs differ predictably: other than before, the same on another machine', async () => {
    const change = { 'docs/guide.md': '# Guide\n\nHow to end.\n' };
    const [one, other] = [await scanned(), await scanned({ ...FILES, ...change })];
    const before = (await synthesize(one)).frame;
    one.write(change);
    await one.tree.scan('workspace');
    await regenerate(one);
    const after = await one.tree.read('workspace', (reader) => reader.head('', 'summary')?.id);
    expect(after).not.toBe(before);
    expect(after).toBe((await synthesize(other)).frame);
  });

  it('No cascading beyond declared scope, and what is left stale is named', async () => {
    const home = await scanned();
    await synthesize(home);
    home.write({ 'src/deep/b.ts': '/** Divides. */\n' });
    await home.tree.scan('workspace');
    const { made, left_stale: left } = await regenerate(home, { node: 'src/deep' });
    expect(paths(made)).toEqual(['src/deep/b.ts', 'src/deep']);
    expect(paths(left)).toEqual(['', 'src']);
    const alone = await regenerate(home, { node: 'src', recursive: false });
    expect(paths(alone.made)).toEqual(['src']);
  });

  it('Old frames remain accessible', async () => {
    const home = await scanned();
    await synthesize(home);
    home.write({ 'src/a.ts': '/** Other. */\n' });
    await home.tree.scan('workspace');
    await regenerate(home);
    const frames = await home.tree.read('workspace', (reader) => reader.frames('src/a.ts'));
    expect(await Promise.all(frames.map((frame) => home.tree.text(frame)))).toEqual([
      'Adds.\nExports: add (2).\n',
      'Other.\n',
    ]);
  });

  it('Regeneration is idempotent', async () => {
    const home = await scanned();
    await synthesize(home);
    home.write({ 'src/a.ts': '/** Other. */\n' });
    await home.tree.scan('workspace');
    await regenerate(home);
    const before = home.events.length;
    expect(await regenerate(home)).toMatchObject({ made: [], failed: [], left_stale: [] });
    expect((await synthesize(home)).made).toEqual([]);
    expect(home.events.length).toBe(before);
  });

  it('Concurrent regeneration handled safely', async () => {
    const home = await scanned();
    await synthesize(home);
    home.write({ 'src/a.ts': '/** Other. */\n', 'src/deep/b.ts': '/** Divides. */\n' });
    await home.tree.scan('workspace');
    await Promise.all([regenerate(home), regenerate(home), regenerate(home, { node: 'src' })]);
    expect(await home.tree.read('workspace', (reader) => reader.stale())).toEqual([]);
    const alone = await scanned({ ...FILES, 'src/a.ts': '/** Other. */\n', 'src/deep/b.ts': '/** Divides. */\n' });
    await synthesize(alone);
    expect(await headText(home, '')).toBe(await headText(alone, ''));
  });

  it('an invalidated frame is made again, and only that one', async () => {
    const home = await scanned();
    await synthesize(home);
    const marked = await home.synthesis.invalidate({
      workspace: 'workspace',
      node: 'src',
      recursive: false,
      reason: 'wrong',
      type: undefined,
    });
    expect(marked).toEqual([{ path: 'src', type: 'summary' }]);
    expect(paths((await regenerate(home)).made)).toEqual(['src']);
    expect(await home.tree.read('workspace', (reader) => reader.stale())).toEqual([]);
  });

  it('what a person wrote is not made again, but named', async () => {
    const home = await scanned();
    const adapter = home.synthesis.adapter('ana', 'workspace', quiet);
    await adapter.writeContext('src/a.ts', { type: 'note', content: 'By hand.' });
    home.write({ 'src/a.ts': '/** Other. */\n' });
    await home.tree.scan('workspace');
    expect(await regenerate(home)).toMatchObject({
      made: [],
      left_stale: [{ path: 'src/a.ts', type: 'note', reason: 'the content changed' }],
    });
  });
});
