import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { treeFile } from '../../../src/rooms/context/tree/tree-files.ts';
import { FoldStore } from '../../../src/core/ledger/fold-store.ts';
import { treeFold } from '../../../src/rooms/context/model/tree-fold.ts';
import { treeKeys } from '../../../src/rooms/context/model/tree-rows.ts';
import { oka, type Ran, temporaryFolder } from '../../support/cli.ts';
import { writeFiles } from '../../support/tree-home.ts';

type Context = {
  run: (...words: string[]) => Promise<Ran>;
  json: (...words: string[]) => Promise<unknown>;
  dir: string;
};

async function withHome(work: (at: Context) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  writeFiles(join(home.workspace, 'desk'), {
    'app/a.ts': 'export const a = 1;\n',
    'app/b.ts': 'b',
    'read me.md': '# Hi\n',
  });
  writeFileSync(join(folder.dir, 'note.md'), 'It is small.\n');
  const run = (...words: string[]): Promise<Ran> => oka('context', ...words, '--dir', folder.dir);
  const json = async (...words: string[]): Promise<unknown> => JSON.parse((await run(...words, '--json')).out);
  await work({ run, json, dir: folder.dir });
}

describe('oka context', () => {
  it('scans, adds a frame, and shows it by path and by the beginning of an id', () =>
    withHome(async ({ run, json, dir }) => {
      expect(await run('status')).toMatchObject({
        code: 0,
        out: 'workspace has not been scanned yet: oka context scan\n',
      });
      expect((await run('scan')).out).toMatch(/^\d+ added, 0 changed, 0 removed; \d+ files read\./);
      expect((await run('scan')).out).toMatch(/^Nothing has changed\./);
      expect(await run('put-frame', 'desk/app', join(dir, 'note.md'))).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Added note [0-9a-f]{12} of desk\/app\.\n$/),
      });
      expect((await run('put-frame', 'desk/app/', join(dir, 'note.md'))).out).toContain('It was there already');
      expect((await run('show', 'desk/app')).out).toContain('  It is small.\n');
      expect((await run('show', 'desk')).out).toContain('  app/  note\n');
      const node = (await json('get-node', 'desk/app')) as {
        node_id: string;
        frames: { id: string; content: string }[];
      };
      expect(node).toMatchObject({
        node_record: { path: 'desk/app', kind: 'folder', size: 2 },
        frame_count: 1,
        frames: [{ content: 'It is small.\n', agent: 'oka', type: 'note' }],
        children: [{ path: expect.stringMatching(/^desk\/app\//) }, { path: expect.stringMatching(/^desk\/app\//) }],
      });
      expect((await run('get-node', 'desk')).out).toContain('\n  desk/app  folder, 2 entries');
      expect(await json('get-head', node.node_id.slice(0, 10), '--type', 'note')).toMatchObject({
        id: node.frames[0]?.id,
      });
      expect(await json('list-frames', 'desk/app')).toMatchObject({ frames: [{ is_head: true }] });
    }));

  it('status --json has the declared fields, and counts what is stale', () =>
    withHome(async ({ run, json, dir }) => {
      await run('scan');
      await run('put-frame', 'desk/app/a.ts', join(dir, 'note.md'));
      writeFileSync(join(dir, 'workspace/desk/app/a.ts'), 'changed');
      await run('scan');
      const status = (await json('status')) as object;
      expect(Object.keys(status)).toEqual(['root', 'files', 'folders', 'frames', 'stale', 'scanned_at']);
      expect(status).toMatchObject({ frames: 1, stale: 1 });
      expect((await run('status')).out).toContain('  stale  desk/app/a.ts\n');
    }));

  it('7. Error messages are clear and actionable', () =>
    withHome(async ({ run, dir }) => {
      await run('scan');
      expect(await run('show', 'desk/nothing')).toMatchObject({
        code: 2,
        err: expect.stringContaining('there is no node "desk/nothing"'),
      });
      const note = join(dir, 'note.md');
      expect((await run('put-frame', 'desk', note, '--type', 'notes')).err).toContain('did you mean "note"?');
      expect((await run('put-frame', 'desk', note, '--agent', 'ok')).err).toContain('did you mean "oka"?');
      expect((await run('scan', '--workspace', 'x')).err).toContain('there is no workspace "x"');
      expect((await run('put-frame', 'desk', join(dir, 'none.md'))).code).toBe(2);
      expect((await run('get-node', 'desk', '--view', '{"max_frames":-1}')).code).toBe(2);
      expect(await run('map', 'desk', '--tokens', '5')).toMatchObject({
        code: 2,
        err: expect.stringContaining('tokens: Too small'),
      });
      expect((await run('ask', 'what is it?', '--tokens', '5')).code).toBe(2);
      const names = Array.from({ length: 40 }, (_, at) => `export const aRatherLongNameOfAThing${at} = ${at};\n`);
      writeFiles(join(dir, 'workspace/desk'), { 'long/names.ts': names.join('') });
      await run('scan');
      expect(await run('map', 'desk/long', '--tokens', '50')).toMatchObject({
        code: 1,
        out: expect.stringContaining('Not even the most used file fits'),
      });
      expect(await run('restore', 'desk/nothing', 'desk/app')).toMatchObject({
        code: 2,
        err: expect.stringContaining('no frames were ever added to "desk/nothing"'),
      });
    }));

  it('diff lists nodes and frames since a scan, and what came and went is not listed', () =>
    withHome(async ({ run, json, dir }) => {
      await run('scan');
      const { root } = (await json('status')) as { root: string };
      const desk = join(dir, 'workspace/desk');
      writeFiles(desk, { 'new.txt': 'x' });
      await run('scan');
      writeFiles(desk, { 'new.txt': null, 'app/a.ts': 'y', 'app/b.ts': null });
      await run('scan');
      await run('put-frame', 'desk', join(dir, 'note.md'));
      expect((await run('diff', root.slice(0, 8))).out).toMatch(
        /^~ desk\/app\/a\.ts\n- desk\/app\/b\.ts\n\+ note of desk by oka {2}[0-9a-f]{12}\n2 nodes and 1 frame changed\.\n$/,
      );
      expect(await json('diff', '2001-01-01', root)).toMatchObject({ from: null, to: { root } });
      expect((await run('diff', 'yesterday-ish')).code).toBe(2);
    }));

  it('restore and compact say what they did', () =>
    withHome(async ({ run, dir }) => {
      await run('scan');
      await run('put-frame', 'desk/app/b.ts', join(dir, 'note.md'));
      writeFiles(join(dir, 'workspace/desk'), { 'app/b.ts': null, 'c.ts': 'rewritten' });
      await run('scan');
      expect((await run('status')).out).toContain('  gone   desk/app/b.ts');
      expect((await run('restore', 'desk/app/b.ts', 'desk/c.ts')).out).toBe(
        'The frames of desk/app/b.ts belong to desk/c.ts now.\n',
      );
      expect((await run('compact', '--older-than', '0d', '--dry-run')).out).toBe('Nothing is old enough.\n');
      rmSync(join(dir, 'workspace/desk/c.ts'));
      await run('scan');
      expect((await run('compact', '--older-than', '0d', '--dry-run')).out).toMatch(
        /^Would remove 1 frame, and 1 path/,
      );
      expect((await run('compact', '--older-than', '0d')).out).toMatch(/^Removed 1 frame/);
    }));

  it('validate proves the tree, and names a row that is wrong', () =>
    withHome(async ({ run, dir }) => {
      await run('scan');
      await run('put-frame', 'desk', join(dir, 'note.md'));
      expect(await run('validate')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^workspace is intact: \d+ nodes, 1 frame, 1 head, 1 basis\.\n$/),
      });
      const store = FoldStore.open(treeFile(homeAt(dir)), { version: `tree.${treeFold.version}` });
      store.put(treeKeys.place('workspace', 'desk'), { heads: [['note', '0'.repeat(64)]] });
      store.close();
      const broken = await run('validate');
      expect(broken.code).toBe(1);
      expect(broken.out).toContain('head  desk: a later frame of the same type is not the head');
      expect(broken.out).toContain('the index is not what the ledger says');
      expect((await oka('rebuild', '--dir', dir)).code).toBe(0);
      expect((await run('validate')).code).toBe(0);
    }));
});
