/** Tricks against approvals, with real files, the real engine and the whole chain. Whatever is tried, nothing runs. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withHost } from '../../src/kit/house/host.ts';
import { ports } from '../../src/kit/ports/room-ports.ts';
import { renderApprovalPage } from '../../src/core/guard/approval-page.ts';
import { submit } from '../../src/kit/requests/submit-request.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import { acting, type Asker, askingHome, decide, withProcess, RAN, shell, told } from '../support/approvals.ts';
import { temporaryFolder } from '../support/cli.ts';

const never = new AbortController().signal;
const approved = (binding: string) => ({ verdict: 'approved', binding, by: 'a test' }) as const;

/** A run that waits for an approval; the trick must leave it waiting, with nothing run. */
async function stillAsks(trick: (asker: Asker) => Promise<void>, nodes: unknown[] = [acting()]): Promise<string[]> {
  using folder = temporaryFolder();
  const home = askingHome(folder.dir);
  await withProcess(home, async (asker) => {
    await asker.run('r', nodes);
    await trick(asker);
    await asker.looks();
    expect(asker.ran()).toBe(0);
    expect(asker.open().run).toBe('r');
  });
  return (await told(home, 'answer.refused')).map(({ reason }) => reason);
}

/** What was approved has changed: it is asked about again instead of run. */
async function asksAgain(change: (asker: Asker) => Promise<void> | void, nodes: unknown[] = [acting()]): Promise<void> {
  using folder = temporaryFolder();
  await withProcess(askingHome(folder.dir), async (asker) => {
    mkdirSync(asker.desk('work'));
    writeFileSync(asker.desk('act.sh'), `echo ran >> ${RAN}\n`);
    await asker.run('r', nodes);
    const first = asker.open();
    await change(asker);
    expect(await asker.answer(first.wait, approved(first.for.binding))).toBe('blocked');
    expect(asker.ran()).toBe(0);
    expect(asker.open().for.binding).not.toBe(first.for.binding);
  });
}

describe('an approval is for exactly one call', () => {
  it('1 used once, it is not good for the same command in the next step', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ run, open, answer, ran }) => {
      await run('r', [acting(), acting({ id: 'again', needs: ['act'] })]);
      const first = open();
      expect(await answer(first.wait, approved(first.for.binding))).toBe('blocked');
      expect(ran()).toBe(1);
      expect(await answer(open().wait, approved(first.for.binding))).toContain('belongs to another question');
      expect(await answer(first.wait, approved(first.for.binding))).toContain('nothing waits for it');
      expect(ran()).toBe(1);
    });
  });

  it('2 it is not good for a second attempt when the first has failed', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ home, run, open, answer, ran }) => {
      await run('r', [shell({ line: `echo ran >> ${RAN}; exit 1` }, { max_retries: 3 })]);
      expect(await answer(open().wait, approved(open().for.binding))).toBe('failed');
      expect(ran()).toBe(1);
      expect(await told(home, 'call.started')).toHaveLength(2);
    });
  });

  it('3 it is not good for other arguments', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ run, stores, answer, ran }) => {
      await run('r', [shell({ argv: ['true'] }, { id: 'a' }), shell({ argv: ['touch', RAN] }, { id: 'b' })]);
      const bindings = new Map(
        stores
          .taskGraph()
          .goals[0]?.waits.map(({ wait, for: asking }) => [wait, 'binding' in asking && asking.binding]),
      );
      expect(new Set(bindings.values()).size).toBe(2);
      const other = approved(String(bindings.get('r.a.0.w0')));
      expect(await answer('r.b.0.w0', other)).toContain('belongs to another question');
      expect(ran()).toBe(0);
    });
  });

  it('4 it is not good in another run with the same graph', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ run, answer, stores, ran }) => {
      await run('r', [acting()]);
      await run('s', [acting()]);
      const [r, s] = stores.taskGraph().goals.map(({ waits }) => waits[0]);
      if (r?.for.kind !== 'approval' || s === undefined) throw new Error('nothing is asked');
      expect(await answer(s.wait, approved(r.for.binding))).toContain('belongs to another question');
      expect(ran()).toBe(0);
    });
  });

  it('5 when the script it names has changed, it is asked about again', async () => {
    const script = [shell({ line: 'bash act.sh' })];
    await asksAgain(({ desk }) => writeFileSync(desk('act.sh'), `echo ran >> ${RAN}; echo worse\n`), script);
    await asksAgain(({ desk }) => rmSync(desk('act.sh')), script);
  });

  it('6 also when it is named in an argument, or taken by custom', async () => {
    await asksAgain(({ desk }) => writeFileSync(desk('act.sh'), 'worse'), [shell({ argv: ['bash', './act.sh'] })]);
    await asksAgain(({ desk }) => writeFileSync(desk('act.sh'), 'worse'), [shell({ line: 'env -i bash -- "act.sh"' })]);
    await asksAgain(({ desk }) => writeFileSync(desk('act.sh'), 'worse'), [shell({ line: 'bash *.sh' })]);
    await asksAgain(({ desk }) => writeFileSync(desk('act.sh'), 'worse'), [shell({ line: '~/act.sh' })]);
    await asksAgain(({ desk }) => writeFileSync(desk('work/a b.sh'), 'x'), [shell({ line: 'cd work; bash "a b.sh"' })]);
    await asksAgain(({ desk }) => writeFileSync(desk('Makefile'), 'all:\n\techo'), [shell({ argv: ['make'] })]);
    await asksAgain(
      ({ desk }) => writeFileSync(desk('act.sh'), 'x'),
      [shell({ line: 'curl -d @act.sh http://[::1]:9' })],
    );
  });

  it('7 when the script was swapped for a link to another', async () => {
    await asksAgain(
      ({ desk }) => {
        writeFileSync(desk('other.sh'), 'echo worse\n');
        rmSync(desk('act.sh'));
        symlinkSync('other.sh', desk('act.sh'));
      },
      [shell({ line: 'bash act.sh' })],
    );
  });

  it('8 when its folder was swapped for a link to another', async () => {
    await asksAgain(
      ({ desk }) => {
        mkdirSync(desk('elsewhere'));
        renameSync(desk('work'), desk('away'));
        symlinkSync('elsewhere', desk('work'));
      },
      [shell({ line: `echo ran >> ../${RAN}`, dir: 'work' })],
    );
  });

  it('9 when the policy has changed', async () => {
    await asksAgain(({ home }) => writeFileSync(home.policy, `${readFileSync(home.policy, 'utf8')}\nOther words.\n`));
  });

  it('10 when it would see other variables', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const before = process.env['TZ'];
    delete process.env['TZ'];
    try {
      await withProcess(home, async ({ run }) => run('r', [acting()]));
      process.env['TZ'] = 'UTC';
      await withProcess(home, async ({ open, answer, ran }) => {
        expect(await answer(open().wait, approved(open().for.binding))).toBe('blocked');
        expect(ran()).toBe(0);
      });
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it('11 an answer for the whole run is not for another run, nor for another program', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ run, open, answer, ran, stores }) => {
      const other = shell({ argv: ['touch', 'x'] }, { id: 'other', needs: ['again'] });
      await run('r', [acting(), acting({ id: 'again', needs: ['act'] }), other]);
      expect(await answer(open().wait, { ...approved(open().for.binding), always: true })).toBe('blocked');
      expect(ran()).toBe(2);
      expect(open().node).toBe('other');
      await run('s', [acting()]);
      expect(ran()).toBe(2);
      expect(stores.taskGraph().goals.map(({ waits }) => waits.length)).toEqual([1, 1]);
    });
  });
});

describe('an approval is for a time', () => {
  /** A third of a second: an hour is 3,600 of them. */
  const brief = (policy: string): string => policy.replace('expire_hours: 24', 'expire_hours: 0.0001');
  const AFTER_MS = 450;

  it('12 an answer that comes too late is refused, and the node ends as expired', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir, brief);
    await withProcess(home, async ({ run, open, answer, looks, ran }) => {
      await run('r', [acting()]);
      await sleep(AFTER_MS);
      expect(await answer(open().wait, approved(open().for.binding))).toContain('too late');
      await looks();
      expect(ran()).toBe(0);
    });
    expect(await told(home, 'run.ended')).toMatchObject([{ reason: expect.stringContaining('approval expired') }]);
    expect(await told(home, 'answer.refused')).toMatchObject([{ wait: 'r.act.0.w0' }]);
  });

  it('13 a page that was edited too late does not count either', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir, brief);
    await withProcess(home, async ({ run, pageFile, looks, ran }) => {
      await run('r', [acting()]);
      const page = pageFile();
      await sleep(AFTER_MS);
      decide(page, 'approve');
      await looks();
      expect(ran()).toBe(0);
      expect(existsSync(page)).toBe(false);
    });
  });

  it('14 given in time and used too late, it is asked about again', async () => {
    using folder = temporaryFolder();
    // Seven seconds, in which also a slow machine has answered.
    const inTime = (policy: string): string => policy.replace('expire_hours: 24', 'expire_hours: 0.002');
    await withProcess(askingHome(folder.dir, inTime), async ({ run, open, answer, engine, ran }) => {
      await run('r', [acting()]);
      const first = open();
      await engine.stop('r', { kind: 'pause', reason: 'a test' });
      expect(await answer(first.wait, approved(first.for.binding))).toBe('paused');
      await sleep(7200 + AFTER_MS);
      expect((await (await engine.resume('r')).done).status).toBe('blocked');
      expect(ran()).toBe(0);
      expect(open().for.binding).not.toBe(first.for.binding);
    });
  });
});

describe('an answer that is not one', () => {
  const refusedBy = async (trick: (asker: Asker) => Promise<string>): Promise<void> => {
    let words = '';
    const reasons = await stillAsks(async (asker) => void (words = await trick(asker)));
    expect(words).toContain('does not count');
    expect(reasons).toHaveLength(1);
  };

  it('15 without a binding, as other kinds of answer, or for something else', async () => {
    await refusedBy(({ answer, open }) => answer(open().wait, { verdict: 'approved' }));
    await refusedBy(({ answer, open }) => answer(open().wait, { verdict: 'arrived', binding: open().for.binding }));
    await refusedBy(({ answer, open }) => answer(open().wait, { verdict: 'answered', text: 'approve' }));
    await refusedBy(({ answer, open }) => answer('r.act.0.w1', approved(open().for.binding)));
    await refusedBy(({ answer, open }) => answer('r.act.0.w0.', approved(open().for.binding)));
  });

  it('16 one that was denied is not approved afterwards', async () => {
    using folder = temporaryFolder();
    await withProcess(askingHome(folder.dir), async ({ run, open, answer, ran }) => {
      await run('r', [acting()]);
      const { wait, for: asking } = open();
      expect(await answer(wait, { verdict: 'denied', binding: asking.binding })).toBe('failed');
      expect(await answer(wait, approved(asking.binding))).toContain('nothing waits for it');
      expect(ran()).toBe(0);
    });
  });

  it('17 a request that is dropped a second time, under its own name or another, does nothing', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const intakes = join(home.oka, 'intake');
    const until = async (condition: () => boolean): Promise<void> => {
      for (let tries = 0; tries < 4000 && !condition(); tries += 1) await sleep(25);
    };
    const taken = (): Promise<void> => until(() => readdirSync(intakes).length === 0);
    await withHost(home, never, async ({ engine, valuesOf }) => {
      const { taskGraph } = valuesOf({ taskGraph: ports.taskGraph });
      const nodes = [acting(), acting({ id: 'again', needs: ['act'] })];
      await (await engine.start(Graph.parse({ id: 'g', nodes }), { id: 'r' })).done;
      const asking = taskGraph().goals[0]?.waits[0]?.for;
      if (asking?.kind !== 'approval') throw new Error('nothing is asked');
      const id = submit(intakes, { kind: 'answer', wait: 'r.act.0.w0', answer: approved(asking.binding) });
      const text = readFileSync(join(intakes, `${id}.json`), 'utf8');
      await until(() => taskGraph().goals[0]?.waits[0]?.wait === 'r.again.0.w0');
      for (const name of [id, 'copy']) writeFileSync(join(intakes, `${name}.json`), text);
      writeFileSync(join(intakes, 'moved.json'), text.replace('r.act.0.w0', 'r.again.0.w0'));
      await taken();
    });
    expect(readFileSync(join(home.workspace, 'desk', RAN), 'utf8')).toBe('ran\n');
    expect(await told(home, 'answer.refused')).toMatchObject([
      { wait: 'r.act.0.w0' },
      { wait: 'r.again.0.w0', reason: expect.stringContaining('another question') },
    ]);
  });
});

describe('a page that is not an answer', () => {
  /** The page is refused once and written again as it was, with a line that says so. */
  async function refusedPage(trick: (file: string, asker: Asker) => void, reason: RegExp): Promise<void> {
    const reasons = await stillAsks(async (asker) => {
      const file = asker.pageFile();
      const text = readFileSync(file, 'utf8');
      trick(file, asker);
      await asker.looks();
      expect(lstatSync(file)).toMatchObject({ nlink: 1 });
      expect(lstatSync(file).isFile()).toBe(true);
      const next = readFileSync(file, 'utf8');
      expect(next).toContain('\n**Your answer was not understood:** ');
      expect(next.replace(/^\*\*Your answer was not understood:.*\n\n/m, '')).toBe(text);
    });
    expect(reasons).toEqual([expect.stringMatching(reason)]);
  }
  const edited = (change: (text: string) => string) => (file: string) =>
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  const yes = (text: string): string => text.replace('decision:\n', 'decision: approve\n');

  it('18 with another command in it', () =>
    refusedPage(
      edited((text) => yes(text).replace('echo ran', 'echo harmless')),
      /line \d+ was changed/,
    ));

  it('19 with two decisions', () =>
    refusedPage(
      edited((text) => text.replace('decision:', 'decision: deny\ndecision: approve')),
      /lines instead/,
    ));

  it('20 with the decision in the prose', () =>
    refusedPage(
      edited((text) => `${text}\ndecision: approve\n`),
      /lines instead/,
    ));

  it.each(['аpprove', 'approve\u200d', 'approve\u202e', 'yes, but', 'true', 'ok', 'approve, deny'])(
    '21 with %j for a decision',
    (word) => refusedPage((file) => decide(file, word), /neither approve nor deny/),
  );

  it('22 with the words of another page', () =>
    refusedPage(
      edited((text) => yes(text).replace(/binding: .*/, `binding: ${'0'.repeat(64)}`)),
      /was changed/,
    ));

  it('23 that is far too large', () =>
    refusedPage(
      edited((text) => yes(text) + '\n'.repeat(600_000)),
      /larger than/,
    ));

  it('24 that is a link to a file with an answer', () =>
    refusedPage((file, { desk }) => {
      writeFileSync(desk('answer.md'), yes(readFileSync(file, 'utf8')));
      rmSync(file);
      symlinkSync(desk('answer.md'), file);
    }, /not a regular file/));

  it('25 that has a second name somewhere else', () =>
    refusedPage((file, { desk }) => {
      writeFileSync(desk('answer.md'), yes(readFileSync(file, 'utf8')));
      rmSync(file);
      linkSync(desk('answer.md'), file);
    }, /hard link/));

  it('26 that is a pipe', () =>
    refusedPage((file) => {
      rmSync(file);
      execFileSync('mkfifo', [file]);
    }, /not a regular file/));

  it('27 that is a folder', () =>
    refusedPage((file) => {
      rmSync(file);
      mkdirSync(join(file, 'decision'), { recursive: true });
    }, /not a regular file/));

  it('28 that everybody may write', () =>
    refusedPage((file) => {
      decide(file, 'approve');
      chmodSync(file, 0o666);
    }, /written by everybody/));

  it('29 that is the answered page of another wait', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    await withProcess(home, async ({ run, pageFile, looks, ran }) => {
      await run('r', [acting({ id: 'a' }), acting({ id: 'b' })]);
      const [a, b] = [pageFile('r.a.0.w0'), pageFile('r.b.0.w0')];
      const text = readFileSync(b, 'utf8');
      copyFileSync(a, b);
      decide(b, 'approve');
      await looks();
      expect(ran()).toBe(0);
      expect(readFileSync(b, 'utf8').replace(/^\*\*Your answer was not understood:.*\n\n/m, '')).toBe(text);
    });
    expect(await told(home, 'answer.refused')).toMatchObject([{ wait: 'r.b.0.w0' }]);
  });

  it('30 that was there before the question', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const approvals = join(home.oka, 'approvals');
    mkdirSync(approvals);
    writeFileSync(join(approvals, 'r.act.0.w0.md'), '---\noka: approval\nwait: r.act.0.w0\ndecision: approve\n---\n');
    await withProcess(home, async ({ run, looks, ran, pageFile }) => {
      await run('r', [acting()]);
      await looks();
      expect(ran()).toBe(0);
      expect(readFileSync(pageFile(), 'utf8')).toContain('\ndecision:\n');
    });
  });

  it('31 that was there before the question, word for word but for the answer', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    await withProcess(home, async ({ run, open, pageFile, answer, looks, ran }) => {
      await run('r', [shell({ line: 'bash act.sh' })]);
      const forged = yes(readFileSync(pageFile(), 'utf8'));
      const { wait, for: asking } = open();
      writeFileSync(join(home.workspace, 'desk/act.sh'), `echo ran >> ${RAN}\n`);
      expect(await answer(wait, approved(asking.binding))).toBe('blocked');
      writeFileSync(pageFile('r.act.0.w1'), forged.replaceAll('r.act.0.w0', 'r.act.0.w1'));
      await looks();
      expect(ran()).toBe(0);
    });
  });

  it('31 that was put there between the question and our page, word for word', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    mkdirSync(join(home.oka, 'approvals'));
    await withProcess(home, async ({ engine, open, pageFile, looks, ran }) => {
      await (await engine.start(Graph.parse({ id: 'g', nodes: [acting()] }), { id: 'r' })).done;
      writeFileSync(pageFile(), yes(renderApprovalPage(open())));
      await looks();
      expect(ran()).toBe(0);
      expect(readFileSync(pageFile(), 'utf8')).toBe(renderApprovalPage(open()));
    });
  });

  it('32 while it changes all the time between a page and a link', async () => {
    await stillAsks(async ({ pageFile, desk, pages, ran }) => {
      const file = pageFile();
      writeFileSync(desk('answer.md'), yes(readFileSync(file, 'utf8')));
      for (let times = 0; times < 30; times += 1) {
        rmSync(desk('next'), { force: true });
        if (times % 2 === 0) symlinkSync(desk('answer.md'), desk('next'));
        else linkSync(desk('answer.md'), desk('next'));
        renameSync(desk('next'), file);
        await pages.poll();
        if (times % 3 === 0) await pages.poll();
      }
      expect(ran()).toBe(0);
    });
  });

  it('33 after twenty tries it is no longer read, and the ledger does not fill up', async () => {
    const reasons = await stillAsks(async ({ pageFile, looks }) => {
      for (let times = 0; times < 30; times += 1) {
        writeFileSync(pageFile(), `decision: approve ${times}\n`);
        await looks();
      }
    });
    expect(reasons).toHaveLength(20);
    expect(reasons.at(-1)).toContain('no longer read');
  });
});

describe('the folder of the pages', () => {
  it('34 that is a link is neither written to nor read from', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const elsewhere = join(folder.dir, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(home.oka, 'approvals'));
    await withProcess(home, async ({ run, looks, ran, open, answer }) => {
      await run('r', [acting()]);
      expect(readdirSync(elsewhere)).toEqual([]);
      writeFileSync(join(elsewhere, 'r.act.0.w0.md'), 'decision: approve\n');
      await looks();
      expect(ran()).toBe(0);
      expect(await answer(open().wait, approved(open().for.binding))).toBe('done');
    });
    expect(await told(home, 'answer.refused')).toMatchObject([{ reason: expect.stringContaining('symbolic link') }]);
    expect(readdirSync(elsewhere)).toEqual(['r.act.0.w0.md']);
  });

  it('35 that is swapped for a link later, with the answered page in it, is left alone', async () => {
    await stillAsks(async ({ home, pageFile, desk, looks, ran }) => {
      decide(pageFile(), 'approve');
      renameSync(join(home.oka, 'approvals'), desk('moved'));
      symlinkSync(desk('moved'), join(home.oka, 'approvals'));
      await looks();
      expect(ran()).toBe(0);
    });
  });

  it('36 that everybody may write is not used', async () => {
    const reasons = await stillAsks(async ({ home, pageFile, looks }) => {
      chmodSync(join(home.oka, 'approvals'), 0o777);
      decide(pageFile(), 'approve');
      await looks();
    });
    expect(reasons).toEqual([expect.stringContaining('written by everybody')]);
  });

  it('37 with a link under the name that a page is written by: what it leads to stays as it is', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    const precious = join(folder.dir, 'precious');
    writeFileSync(precious, 'mine');
    mkdirSync(join(home.oka, 'approvals'));
    symlinkSync(precious, join(home.oka, 'approvals/.r.act.0.w0.md.tmp'));
    symlinkSync(precious, join(home.oka, 'approvals/r.act.0.w0.md'));
    await withProcess(home, async ({ run, pageFile, looks }) => {
      await run('r', [acting()]);
      await looks();
      expect(lstatSync(pageFile()).isFile()).toBe(true);
    });
    expect(readFileSync(precious, 'utf8')).toBe('mine');
  });
});

describe('what a person sees', () => {
  it('38 bidi, invisible and look-alike characters are told, and nothing hides behind blanks or line ends', async () => {
    const line = `echo safe \u202e# hsar\u202c\u200b ${' '.repeat(200)}; есho "\u001b[8m" \r`;
    await stillAsks(
      async ({ pageFile }) => {
        const text = readFileSync(pageFile(), 'utf8');
        for (const shown of ['⟦U+202E⟧', '⟦U+202C⟧', '⟦U+200B⟧', '⟦U+0020 ×', '⟦U+001B⟧', '⟦U+000D⟧', 'е (U+0435)'])
          expect(text).toContain(shown);
        // oxlint-disable-next-line no-control-regex
        expect(text).not.toMatch(/[\u202e\u202c\u200b\u001b\r]/);
      },
      [shell({ line })],
    );
  });

  it('39 a command that is too long to be shown is refused instead of asked about', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    await withProcess(home, async ({ run, ran }) => {
      await run('r', [shell({ line: `: ${'x'.repeat(60_000)}; echo ran >> ${RAN}` })]);
      expect(ran()).toBe(0);
    });
    expect(await told(home, 'run.ended')).toMatchObject([{ reason: expect.stringContaining('too long for a person') }]);
  });
});

describe('after a crash', () => {
  it('40 an approval that was given and not used yet is used once, and not a second time', async () => {
    using folder = temporaryFolder();
    const home = askingHome(folder.dir);
    await withProcess(home, async ({ run, engine, open, answer }) => {
      await run('r', [acting(), acting({ id: 'again', needs: ['act'] })]);
      await engine.stop('r', { kind: 'pause', reason: 'a test' });
      await answer(open().wait, approved(open().for.binding));
    });
    for (const times of [1, 1])
      await withProcess(home, async ({ engine, ran }) => {
        await (await engine.resume('r')).done;
        expect(ran()).toBe(times);
      });
  });
});
