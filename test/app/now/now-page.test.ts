import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resultLine } from '../../../src/rooms/task/result-excerpt.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { NowAnswer } from '../../../src/app/now/now-query.ts';
import { nowPage } from '../../../src/app/now/page.ts';
import { acting, askingHome } from '../../support/approvals.ts';
import { askQuery } from '../../support/ask-query.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const readNow = (dir: string): Promise<NowAnswer> => askQuery<NowAnswer>(nowPage.query, homeAt(dir));

describe('the page Now', { timeout: 60_000 }, () => {
  it('of an empty home says that nothing runs and that no worker is there', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    expect(await readNow(folder.dir)).toMatchObject({ worker: 'none', running: [], waiting: [], recent: [] });
    writeFileSync(join(folder.dir, '.oka', 'STOP'), '');
    expect((await readNow(folder.dir)).worker).toBe('stopped');
  });

  it('lists approvals with the bound call and questions with their options', async () => {
    using folder = temporaryFolder();
    askingHome(folder.dir);
    const nodes = [
      acting(),
      { kind: 'wait', id: 'why', for: { kind: 'question', text: 'Which one?', options: ['red', 'blue'] } },
    ];
    writeFileSync(join(folder.dir, 'graph.json'), JSON.stringify({ id: 'g', title: 'Paint it', nodes }));
    await oka('graph', 'run', join(folder.dir, 'graph.json'), '--id', 'r1', '--dir', folder.dir);
    const { running, waiting } = await readNow(folder.dir);
    expect(running).toMatchObject([{ run: 'r1', title: 'Paint it', status: 'blocked', steps: { done: 0, all: 2 } }]);
    const byKind = waiting.toSorted((a, b) => (a.for.kind < b.for.kind ? -1 : 1));
    expect(byKind.map(({ wait, for: { kind } }) => [wait, kind])).toEqual([
      ['r1.act.0.w0', 'approval'],
      ['r1.why.0.w0', 'question'],
    ]);
    expect(byKind[0]?.for).toMatchObject({
      binding: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      asked: { tool: 'shell', class: expect.any(String) as string, command: expect.any(String) as string },
    });
    expect(byKind[1]?.for).toMatchObject({ options: ['red', 'blue'] });
  });

  it('shows what has to be installed with its command, what is done with its first line, and what was refused', async () => {
    using folder = temporaryFolder();
    const dir = ['--dir', folder.dir];
    await oka('init', ...dir);
    writeFileSync(join(folder.dir, 'fine.md'), '# Fine\n\n```bash\necho fine\n```\n');
    writeFileSync(join(folder.dir, 'stuck.md'), '# Stuck\n\n```bash\nebook-convert book\n```\n');
    await oka('run', join(folder.dir, 'fine.md'), ...dir);
    await oka('run', join(folder.dir, 'stuck.md'), ...dir);
    const rejected = join(folder.dir, 'workspace', 'inbox', 'rejected');
    mkdirSync(rejected, { recursive: true });
    writeFileSync(join(rejected, 'x.bin'), '');
    writeFileSync(join(rejected, 'x.bin.reason.md'), '# Why\n\nit is no text\n');
    writeFileSync(join(folder.dir, 'broken.md'), '# Broken\n\n```bash\nexit 3\n```\n');
    await oka('run', join(folder.dir, 'broken.md'), ...dir);
    const now = await readNow(folder.dir);
    // The task itself waits for the run inside it; that is nothing for a person.
    expect(now.waiting).toMatchObject([
      { title: 'Stuck', model: false, requirement: { name: 'ebook-convert', packages: ['calibre'] } },
    ]);
    expect(now.running).toMatchObject([{ title: 'Stuck', steps: { done: 0, all: 1 }, inside: [expect.any(String)] }]);
    expect(now.recent).toMatchObject([
      { title: 'Broken', status: 'failed' },
      { title: 'Fine', status: 'done', line: null },
    ]);
    expect(now.today).toMatchObject({ done: 1, not_done: 1 });
    expect(now.rejected).toEqual({ total: 1, entries: [{ name: 'x.bin', reason: 'it is no text' }] });
  });

  it('says that a task in prose waits for a model', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    writeFileSync(join(folder.dir, 'prose.md'), 'Write a poem about the sea.\n');
    await oka('run', join(folder.dir, 'prose.md'), '--dir', folder.dir);
    expect((await readNow(folder.dir)).waiting).toMatchObject([{ model: true, requirement: null }]);
  });
});

describe('the first line of a result', () => {
  it.each([
    ['# T\n\n**✅ Done.**\n\n## Answer\n\nIt is **42**.\n', 'It is 42.'],
    ['# T\n\n**❌ Failed.**\n\n> the disk is full\n', 'the disk is full'],
    ['# T\n\n**✅ Done.**\n\n## Answer\n\n```json\n{"a": 1}\n```\n', '{"a": 1}'],
    ['# T\n\n**✅ Done.**\n', null],
  ])('of %j', (page, line) => {
    expect(resultLine(page)).toBe(line);
  });
});
