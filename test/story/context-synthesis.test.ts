/** The seed's criteria for tools and integration, for the commands that make frames. */
import { appendFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { oka, type Ran, temporaryFolder } from '../support/cli.ts';
import { writeFiles } from '../support/tree-home.ts';

type Context = {
  run: (...words: string[]) => Promise<Ran>;
  json: (...words: string[]) => Promise<unknown>;
  dir: string;
};

const FILES = { 'app/a.ts': '/** Adds. */\nexport const add = 1;\n', 'app/deep/b.md': '# B\n\nAbout b.\n' };

async function withHome(work: (at: Context) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  writeFiles(join(home.workspace, 'desk'), FILES);
  const run = (...words: string[]): Promise<Ran> => oka('context', ...words, '--dir', folder.dir);
  const json = async (...words: string[]): Promise<unknown> => JSON.parse((await run(...words, '--json')).out);
  await work({ run, json, dir: folder.dir });
}

describe('tooling and integration', () => {
  it('Tools reproducible from CLI: the same command gives the same result in another home', async () => {
    const results: unknown[] = [];
    for (let home = 0; home < 2; home += 1)
      await withHome(async ({ json }) => void results.push(await json('synthesize', 'desk/app')));
    expect(results[0]).toEqual(results[1]);
    expect(results[0]).toMatchObject({ node: 'desk/app', failed: [], made_count: 4 });
  });

  it('Re-running tools yields same state', () =>
    withHome(async ({ run, json }) => {
      await json('synthesize', 'desk/app');
      const before = await json('status');
      expect(await json('synthesize', 'desk/app')).toMatchObject({ made: [], unchanged: 4 });
      expect(await json('regenerate', '--recursive')).toMatchObject({ made: [] });
      expect(await json('invalidate', 'desk/app', '--type', 'outline')).toEqual({ marked: [] });
      expect(await json('status')).toMatchObject({ ...(before as object), scanned_at: expect.any(String) as string });
      expect(await run('validate')).toMatchObject({ code: 0 });
    }));

  it('Tool failures do not corrupt storage: what could be made is there, and everything is intact', () =>
    withHome(async ({ run, json, dir }) => {
      const { code, err } = await run('synthesize', 'desk/app', '--policy', 'model');
      expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('there is no model to ask') as string });
      const ended = /"type":"run.ended".*"status":"(\w+)"/.exec(
        readFileSync(join(dir, '.oka/run_ledger.jsonl'), 'utf8'),
      );
      expect(ended?.[1]).toBe('failed');
      expect(await run('validate')).toMatchObject({ code: 0 });
      appendFileSync(join(dir, 'workspace/desk/app/deep/b.md'), 'more');
      expect(await run('validate')).toMatchObject({ code: 0 });
      expect(await json('synthesize', 'desk/app')).toMatchObject({ failed: [] });
    }));

  it('Workspace operations are isolated (no cross-workspace contamination)', () =>
    withHome(async ({ run, json, dir }) => {
      mkdirSync(join(dir, 'other'));
      writeFileSync(join(dir, 'other/x.md'), '# X\n');
      writeFileSync(join(dir, '.oka/rules/config.json'), JSON.stringify({ tree: { roots: { other: 'other' } } }));
      await json('synthesize', 'desk/app');
      expect(await json('report', '--workspace', 'other')).toMatchObject({ files: 1, frames: 0 });
      await json('synthesize', '--workspace', 'other');
      expect(await json('report', '--workspace', 'other')).toMatchObject({ files: 1, frames: 2, stale: [] });
      rmSync(join(dir, 'other/x.md'));
      expect(await run('report', '--workspace', 'other')).toMatchObject({ code: 1 });
      expect(await run('report')).toMatchObject({ code: 0 });
    }));

  it('Clear separation from core engine: it imports no command line, no dashboard and no daemon, and prints nothing', () => {
    const src = join(import.meta.dirname, '../../src/rooms/context');
    const files = globSync('{model,scan,outline,map}/**/*.ts', { cwd: src });
    expect(files.length).toBeGreaterThan(20);
    const faces = files.filter((file) =>
      /from '[^']*\/(?:cli|web|app)\/|\bprocess\.(?:argv|env|stdout|stderr)|\bconsole\./.test(
        readFileSync(join(src, file), 'utf8'),
      ),
    );
    expect(faces).toEqual([]);
  });

  it('Error messages are clear and actionable', () =>
    withHome(async ({ run }) => {
      expect((await run('synthesize', 'desk/nothing')).err).toMatch(/no node "desk\/nothing"[\s\S]*oka context scan/);
      expect((await run('synthesize', '--policy', 'magic')).err).toMatch(/no policy "magic"[\s\S]*summarization/);
      expect((await run('synthesize', '--agent', 'nobody')).err).toMatch(/nobody/);
      expect((await run('synthesize', '--type', 'sumary')).err).toMatch(
        /no frame type "sumary"; did you mean "summary"/,
      );
      expect((await run('synthesize', '--workspace', 'workspac')).err).toMatch(/did you mean "workspace"/);
      expect(await run('ask', 'anything at all')).toMatchObject({
        code: 1,
        out: expect.stringMatching(/oka context synthesize/) as string,
      });
    }));
});

describe('commands', () => {
  it('a plan shows what would be made, and makes nothing', () =>
    withHome(async ({ run, json }) => {
      expect((await run('synthesize', 'desk/app', '--plan')).out).toContain('4 frames, without a model.');
      expect(await json('synthesize', 'desk/app', '--policy', 'model', '--plan')).toMatchObject({ model_calls: 4 });
      expect(await json('status')).toMatchObject({ frames: 0 });
      await run('synthesize', 'desk/app');
      expect(await run('synthesize', 'desk/app', '--plan')).toMatchObject({ out: 'Everything is up to date.\n' });
    }));

  it('a report is markdown, and exits 1 when more is stale than allowed', () =>
    withHome(async ({ run, dir }) => {
      await run('synthesize', 'desk/app');
      expect(await run('report')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^# Context of workspace/) as string,
      });
      writeFileSync(join(dir, 'workspace/desk/app/deep/b.md'), '# Changed\n');
      const { code, out } = await run('report');
      expect(code).toBe(1);
      expect(out).toContain('| desk/app/deep/b.md | summary | the content changed |');
      expect(out).not.toContain('a.ts');
      expect(await run('report', '--max-stale', '3')).toMatchObject({ code: 0 });
    }));

  it('a map lists names by how much they are used', () =>
    withHome(async ({ run, dir }) => {
      writeFileSync(join(dir, 'workspace/desk/app/c.ts'), "import { add } from './a.ts';\nexport const c = add;\n");
      await run('scan');
      expect((await run('map', 'desk')).out).toMatch(/^desk\/app\/a\.ts \(used by 1\)\n {2}2: export const add\n/);
    }));
});
