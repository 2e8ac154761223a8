import { spawnSync } from 'node:child_process';
import { existsSync, lchownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acting, askingHome, RAN } from '../support/approvals.ts';
import { launcher, oka, type Ran, temporaryFolder } from '../support/cli.ts';

/** A home in which a run of these nodes waits. */
async function waiting(
  dir: string,
  nodes: object[],
): Promise<{ run: (...args: string[]) => Promise<Ran>; ran: () => number; page: string }> {
  const home = askingHome(dir);
  const file = join(dir, 'graph.json');
  writeFileSync(file, JSON.stringify({ id: 'g', nodes }));
  const run = (...args: string[]): Promise<Ran> => oka(...args, '--dir', dir);
  expect(await run('graph', 'run', file, '--id', 'r1')).toMatchObject({ code: 4 });
  const desk = join(home.workspace, 'desk', RAN);
  return {
    run,
    ran: () => (existsSync(desk) ? readFileSync(desk, 'utf8').split('\n').length - 1 : 0),
    page: join(home.oka, 'approvals/r1.act.0.w0.md'),
  };
}

describe('oka approve and oka deny', () => {
  it('approve lets the call run once; the start of the name is enough', async () => {
    using folder = temporaryFolder();
    const { run, ran, page } = await waiting(folder.dir, [acting()]);
    expect(existsSync(page)).toBe(true);
    expect(await run('approve', 'r1')).toMatchObject({ code: 0, out: expect.stringContaining('done') });
    expect(ran()).toBe(1);
    expect(existsSync(page)).toBe(false);
    expect(await run('approve', 'r1')).toMatchObject({
      code: 3,
      err: expect.stringContaining('nothing waits for "r1"'),
    });
    expect(ran()).toBe(1);
    expect(await run('replay', 'r1', '--mode', 'decision')).toMatchObject({ code: 0 });
  });

  it('without a name the only open approval is meant, and nothing else', async () => {
    using folder = temporaryFolder();
    const question = { kind: 'wait', id: 'why', for: { kind: 'question', text: 'Why?' } };
    const { run, ran } = await waiting(folder.dir, [acting(), question]);
    expect(await run('answer', 'because')).toMatchObject({ code: 2, err: expect.stringContaining('which wait') });
    expect(await run('approve')).toMatchObject({ code: 0, out: expect.stringContaining('Why?') });
    expect(ran()).toBe(1);
    expect(await run('approve')).toMatchObject({ code: 3, err: expect.stringContaining('oka answer r1.why.0.w0') });
    expect(await run('answer', 'r1', 'because')).toMatchObject({ code: 0, out: expect.stringContaining('because') });
  });

  it('one word alone answers the only question there is, unless it is the beginning of a name', async () => {
    using folder = temporaryFolder();
    const question = { kind: 'wait', id: 'why', for: { kind: 'question', text: 'Why?' } };
    const { run } = await waiting(folder.dir, [question]);
    expect(await run('answer', 'r1')).toMatchObject({ code: 2, err: expect.stringContaining('r1.why.0.w0 yes') });
    expect(await run('answer', 'because')).toMatchObject({ code: 0, out: expect.stringContaining('because') });
  });

  it('deny ends the node with the reason', async () => {
    using folder = temporaryFolder();
    const { run, ran } = await waiting(folder.dir, [acting()]);
    expect(await run('deny', 'r1.act', 'not', 'today')).toMatchObject({
      code: 0, // it was denied; that the run fails of it is said
      out: expect.stringMatching(/^Denied[^]*r1 failed[^]*not today/),
    });
    expect(ran()).toBe(0);
  });

  it('--always-for-this-run lets the same go on without another question', async () => {
    using folder = temporaryFolder();
    const { run, ran } = await waiting(folder.dir, [acting(), acting({ id: 'again', needs: ['act'] })]);
    expect(await run('approve', 'r1.act.0.w0', '--always-for-this-run')).toMatchObject({ code: 0 });
    expect(ran()).toBe(2);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'answers of a user without a name are taken under the id of the user',
    async () => {
      using folder = temporaryFolder();
      const { run, ran } = await waiting(folder.dir, [acting()]);
      const waits = async (): Promise<string> => (await run('status', '--json')).out;
      expect(await waits()).toContain('r1.act.0.w0');
      for (const path of [folder.dir, ...readdirSync(folder.dir, { recursive: true, encoding: 'utf8' })])
        lchownSync(path === folder.dir ? path : join(folder.dir, path), 54_321, 54_321);
      const answered = spawnSync(process.execPath, [launcher, 'approve', 'r1', '--dir', folder.dir], {
        uid: 54_321,
        gid: 54_321,
        encoding: 'utf8',
        env: { ...process.env, HOME: folder.dir },
      });
      expect(answered).toMatchObject({ status: 0, stderr: '' });
      expect(ran()).toBe(1);
      const { out } = await run('log', '--run', 'r1', '--json');
      expect(out).toContain('"by":"uid 54321"');
    },
  );

  it('says what is missing, what is not clear and what is something else', async () => {
    using folder = temporaryFolder();
    const question = { kind: 'wait', id: 'why', for: { kind: 'question', text: 'Why?' } };
    const { run, ran } = await waiting(folder.dir, [acting(), acting({ id: 'act2' }), question]);
    expect(await run('approve')).toMatchObject({ code: 2, err: expect.stringContaining('which approval') });
    expect(await run('approve', 'r1')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/r1\.act\.0\.w0 or r1\.act2/),
    });
    expect(await run('deny', 'r1.why.0.w0')).toMatchObject({
      code: 3,
      err: expect.stringContaining('is not an approval'),
    });
    expect(ran()).toBe(0);
  });
});
