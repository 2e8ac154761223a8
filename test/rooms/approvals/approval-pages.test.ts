import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withHost } from '../../../src/kit/house/host.ts';
import { Graph } from '../../../src/core/schema/graph.ts';
import { acting, askingHome, decide, withProcess, told } from '../../support/approvals.ts';
import { temporaryFolder } from '../../support/cli.ts';

const never = new AbortController().signal;

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200 && !(await condition()); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
}

describe('pages in .oka/approvals', () => {
  it('an edit of decision: lets the call run once, and the page goes when the wait is closed', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ home, run, pageFile, looks, ran, stores }) => {
      await run('r', [acting()]);
      const page = pageFile('r.act.0.w0');
      expect(readFileSync(page, 'utf8')).toContain('    echo ran >> ran.txt\n');
      await looks();
      expect(ran()).toBe(0);
      decide(page, 'approve', 'go on');
      await looks();
      expect(ran()).toBe(1);
      expect(existsSync(page)).toBe(false);
      await stores.ledger.flush();
      expect(await told(home, 'wait.closed')).toMatchObject([{ answer: { verdict: 'approved', text: 'go on' } }]);
      expect(await told(home, 'answer.refused')).toEqual([]);
    });
  });

  it('an edit of a page whose run the fleet has to give to this process first is believed later, not refused', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    await withProcess(home, async ({ run, pageFile, stores }) => {
      await run('r', [acting()]);
      const stream = { name: 's', created: '2026-01-01T00:00:00.000Z' };
      await stores.ledger.append({
        type: 'run.claimed',
        run: 'r',
        data: { worker: 'h0', epoch: 1, stream, sequence: 1 },
      });
      decide(pageFile('r.act.0.w0'), 'approve');
    });
    await withHost(home, never, () => new Promise((resolve) => setTimeout(resolve, 1500)));
    expect(await told(home, 'answer.refused')).toEqual([]);
    expect(existsSync(join(home.oka, 'approvals/r.act.0.w0.md'))).toBe(true);
  });

  it('deny ends the node with the note as the reason', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ home, run, pageFile, looks, ran }) => {
      await run('r', [acting()]);
      decide(pageFile(), 'deny', 'not today');
      await looks();
      expect(ran()).toBe(0);
      expect(await told(home, 'run.ended')).toMatchObject([
        { status: 'failed', reason: 'act: approval denied: not today' },
      ]);
    });
  });

  it('B2 a save that is under way is not torn apart', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ run, pageFile, pages, looks, ran }) => {
      await run('r', [acting()]);
      const text = readFileSync(pageFile(), 'utf8');
      writeFileSync(pageFile(), '');
      await pages.poll();
      writeFileSync(pageFile(), text.slice(0, 100));
      await pages.poll();
      writeFileSync(pageFile(), text.replace('decision:', 'decision: approve'));
      await looks();
      expect(ran()).toBe(1);
    });
  });

  it('B1 a restart makes missing pages again, byte for byte, and believes an edit made in between', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const page = join(home.oka, 'approvals/r.act.0.w0.md');
    await withProcess(home, async ({ run }) => run('r', [acting()]));
    const text = readFileSync(page, 'utf8');
    rmSync(join(home.oka, 'approvals'), { recursive: true });
    await withProcess(home, async ({ looks, ran }) => {
      await looks();
      expect(ran()).toBe(0);
    });
    expect(readFileSync(page, 'utf8')).toBe(text);
    decide(page, 'approve');
    await withProcess(home, async ({ looks, ran }) => {
      await looks();
      expect(ran()).toBe(1);
    });
    expect(existsSync(page)).toBe(false);
  });

  it('B4 a page that outlived its wait goes at the next start; what others keep there stays', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const page = join(home.oka, 'approvals/r.act.0.w0.md');
    let text = '';
    await withProcess(home, async ({ run, open, answer }) => {
      await run('r', [acting()]);
      text = readFileSync(page, 'utf8');
      await answer(open().wait, { verdict: 'denied', binding: open().for.binding });
    });
    expect(existsSync(page)).toBe(false);
    writeFileSync(page, text);
    writeFileSync(join(home.oka, 'approvals/README.md'), 'mine');
    await withProcess(home, async ({ looks }) => looks());
    expect(readdirSync(join(home.oka, 'approvals'))).toEqual(['README.md']);
  });

  it('keeps a page for each of many, and one answer leaves the others open', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ home, run, pageFile, looks, ran }) => {
      const ids = ['a', 'b', 'c'];
      await run(
        'r',
        ids.map((id) => acting({ id })),
      );
      decide(pageFile('r.b.0.w0'), 'approve');
      await looks();
      expect(ran()).toBe(1);
      expect(readdirSync(join(home.oka, 'approvals')).toSorted()).toEqual(['r.a.0.w0.md', 'r.c.0.w0.md']);
    });
  });

  it('runs go on without pages when the disk does not take them, and say so once', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    writeFileSync(join(home.oka, 'approvals'), 'a file, not a folder');
    await withProcess(home, async ({ run, open, looks, answer, ran }) => {
      await run('r', [acting()]);
      await looks();
      await looks();
      expect(await told(home, 'answer.refused')).toMatchObject([
        { reason: expect.stringContaining('no page can be stored') },
      ]);
      expect(await answer(open().wait, { verdict: 'approved', binding: open().for.binding })).toBe('done');
      expect(ran()).toBe(1);
    });
  });
});

describe('the process that holds the pen', () => {
  it('writes the page before it ends, and takes an edit while it lives', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const page = join(home.oka, 'approvals/r.act.0.w0.md');
    await withHost(home, never, async ({ engine }) => {
      await (await engine.start(Graph.parse({ id: 'g', nodes: [acting()] }), { id: 'r' })).done;
    });
    expect(existsSync(page)).toBe(true);
    await withHost(home, never, async () => {
      decide(page, 'approve');
      await until(() => existsSync(join(home.workspace, 'desk/ran.txt')));
      await until(() => !existsSync(page));
    });
    expect(existsSync(page)).toBe(false);
  });

  it('H3 records the policy once, again when it changes, and keeps it when a change is not valid', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    await withHost(home, never, async () => undefined);
    await withHost(home, never, async () => {
      writeFileSync(home.policy, `${readFileSync(home.policy, 'utf8')}\nMore words.\n`);
      await until(async () => (await told(home, 'policy.loaded')).length > 1);
      writeFileSync(home.policy, 'nothing');
      await until(async () => (await told(home, 'intake.rejected')).length > 0);
    });
    const loaded = await told(home, 'policy.loaded');
    expect(loaded).toMatchObject([{ rules: 1 }, { rules: 1 }]);
    expect(loaded[0]?.sha256).not.toBe(loaded[1]?.sha256);
    expect(await told(home, 'intake.rejected')).toMatchObject([
      { name: 'POLICY.md', reason: expect.stringMatching(/front matter[^]*remains active/) },
    ]);
  });

  it('does not start by a policy that is not valid, and says where', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir, (policy) => policy.replace('effect: ask', 'effect: maybe'));
    await expect(withHost(home, never, async () => undefined)).rejects.toMatchObject({
      code: 'invalid-file',
      message: expect.stringMatching(/POLICY\.md: line \d+, rules\.0\.effect/),
    });
    expect(existsSync(home.ledgers.run)).toBe(false);
    rmSync(home.policy);
    mkdirSync(home.policy);
    await expect(withHost(home, never, async () => undefined)).rejects.toMatchObject({ code: 'unsafe-file' });
  });
});
