import { closeSync, mkdirSync, openSync, renameSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repeatsText } from '../../../src/kit/inbox/recent-claims.ts';
import { setEnvironment } from '../../support/cli.ts';
import { type TestInbox, testInbox } from '../../support/inbox.ts';

const drop = (test: TestInbox, name: string, text: string): void => writeFileSync(test.at(name), text);

describe.runIf(process.platform === 'linux')('a file that is open for writing', () => {
  it('is not taken however long its writer pauses; the problem names the process; closed, it is taken whole', async () => {
    await using test = await testInbox();
    const fd = openSync(test.at('a.md'), 'w');
    writeSync(fd, 'first half\n');
    for (const ms of [2000, 5000, 90_000]) await test.settle(ms);
    expect([await test.inbox.take(), test.rejected]).toEqual([null, []]);
    expect(test.troubles).toEqual([expect.stringMatching(/^a\.md is open for writing in .*process \d+/)]);
    writeSync(fd, 'second half\n');
    closeSync(fd);
    await test.settle();
    expect((await test.takeAll()).map(({ body }) => body)).toEqual(['first half\nsecond half\n']);
  });

  it('in a folder delays the folder, and no other task; one that is open for reading delays nothing', async () => {
    await using test = await testInbox();
    mkdirSync(test.at('job', 'data'), { recursive: true });
    drop(test, 'job/TASK.md', 'Go.\n');
    drop(test, 'b.md', 'b');
    const writing = openSync(test.at('job', 'data', 'big'), 'a');
    const reading = openSync(test.at('b.md'), 'r');
    await test.settle(10_000);
    expect((await test.takeAll()).map(({ name }) => name)).toEqual(['b.md']);
    closeSync(writing);
    closeSync(reading);
    await test.settle();
    expect((await test.takeAll()).map(({ name }) => name)).toEqual(['job']);
  });
});

describe.runIf(process.platform === 'linux')('a file whose writer may be hidden', () => {
  it('settles five times as long, and ten times while its last line is open', async () => {
    const restore = setEnvironment({ OKA_CONTAINER: '1' });
    onTestFinished(restore);
    await using test = await testInbox();
    drop(test, 'whole.md', 'first half\n');
    drop(test, 'open.md', 'first ha');
    await test.settle(9999);
    expect(await test.inbox.take()).toBeNull();
    await test.settle(2);
    expect((await test.takeAll()).map(({ name }) => name)).toEqual(['whole.md']);
    drop(test, 'open.md', 'first half\nsecond half\n');
    await test.settle(9999);
    expect(await test.inbox.take()).toBeNull();
    await test.settle(2);
    expect((await test.takeAll()).map(({ body }) => body)).toEqual(['first half\nsecond half\n']);
    drop(test, 'never.md', 'without an end');
    for (const ms of [10_001, 9998]) await test.settle(ms);
    expect(await test.inbox.take()).toBeNull();
    await test.settle(2);
    expect(await test.takeAll()).toHaveLength(1);
  });
});

describe.runIf(process.platform === 'linux')('a block of code that is not closed', () => {
  it('is refused in a file whose writer may be hidden, with the sure way; closed in time, it is taken', async () => {
    const restore = setEnvironment({ OKA_CONTAINER: '1' });
    onTestFinished(restore);
    await using test = await testInbox();
    drop(test, 'half.md', '# Clean\n\n```bash\nrm -rf build\n');
    drop(test, 'slow.md', '# Clean\n\n```bash\nrm -rf build\n');
    await test.settle(11_000);
    expect(await test.inbox.take()).toBeNull();
    drop(test, 'slow.md', '# Clean\n\n```bash\nrm -rf build/tmp\n```\n');
    await test.settle(11_000);
    expect((await test.takeAll()).map(({ name }) => name)).toEqual(['slow.md']);
    await test.settle(90_000);
    await test.takeAll();
    expect(test.rejected).toMatchObject([
      { name: 'half.md', reason: expect.stringMatching(/is not closed\. .*NAME\.part, and rename/) as string },
    ]);
  });

  it('is no reason where every writer would be seen', async () => {
    await using test = await testInbox();
    drop(test, 'whole.md', '# Clean\n\n```bash\nrm -rf build\n');
    await test.settle();
    expect(await test.takeAll()).toHaveLength(1);
  });
});

describe('a folder', () => {
  it('settles five times as long as a file, so that data may come after TASK.md', async () => {
    await using test = await testInbox();
    mkdirSync(test.at('job'));
    drop(test, 'job/TASK.md', 'Count.\n');
    await test.settle(6000);
    expect(await test.inbox.take()).toBeNull();
    drop(test, 'job/data.csv', 'x\n');
    await test.settle(9999);
    expect(await test.inbox.take()).toBeNull();
    test.now += 1;
    await test.inbox.rescan();
    expect((await test.takeAll())[0]?.files).toMatchObject([{ path: 'data.csv' }]);
  });

  it('whose content changes without a trace in size and time starts to settle again', async () => {
    await using test = await testInbox();
    mkdirSync(test.at('job'));
    drop(test, 'job/TASK.md', 'Count.\n');
    drop(test, 'job/data', 'aaaa');
    const { atimeMs, mtimeMs } = statSync(test.at('job', 'data'));
    await test.settle(9000);
    drop(test, 'job/data', 'bbbb');
    utimesSync(test.at('job', 'data'), atimeMs / 1000, mtimeMs / 1000);
    expect(statSync(test.at('job', 'data')).mtimeMs).toBe(mtimeMs);
    await test.settle(9000);
    expect(await test.inbox.take()).toBeNull();
    await test.settle(10_000);
    expect((await test.takeAll()).map(({ name }) => name)).toEqual(['job']);
  });
});

describe('a task that changes within a minute after it was taken', () => {
  const HALF = '# Pay\n\n1. pay the rent\n';
  const WHOLE = `${HALF}2. pay the power\n`;
  /** A task taken from the inbox, whose run can or cannot be withdrawn. */
  const taken = async (hasChanged: boolean): Promise<{ test: TestInbox; first: string; withdrawn: string[] }> => {
    const withdrawn: string[] = [];
    const withdraw = async (id: string): Promise<boolean> => {
      withdrawn.push(id);
      return !hasChanged;
    };
    const test = await testInbox({ withdraw });
    drop(test, 'pay.md', HALF);
    await test.settle();
    const [claimed] = await test.takeAll();
    return { test, first: claimed?.id ?? '', withdrawn };
  };

  it('and is saved again takes the place of the first, as long as that one has changed nothing', async () => {
    const { test, first, withdrawn } = await taken(false);
    await using _ = test;
    drop(test, 'pay.md', WHOLE);
    await test.settle();
    const [second] = await test.takeAll();
    expect([second?.body, withdrawn]).toEqual([WHOLE, [first]]);
    expect(second?.notes).toEqual([expect.stringContaining(`it replaces ${first}`)]);
  });

  it('and is saved again is set aside with the reason once the first has changed something', async () => {
    const { test, first } = await taken(true);
    await using _ = test;
    drop(test, 'pay.md', WHOLE);
    await test.settle();
    expect(await test.takeAll()).toEqual([]);
    expect(test.rejected).toMatchObject([{ name: 'pay.md', kept: 'pay.md', reason: expect.stringContaining(first) }]);
    test.now += 60_000;
    renameSync(test.at('rejected', 'pay.md'), test.at('pay.md'));
    await test.settle();
    expect((await test.takeAll()).map(({ body }) => body)).toEqual([WHOLE]);
  });

  it('loses nothing that its writer adds to the moved file: that is taken again, however late it ends', async () => {
    const withdrawn: string[] = [];
    await using test = await testInbox({
      withdraw: async (id) => {
        withdrawn.push(id);
        return true;
      },
    });
    drop(test, 'a.md', 'first\n');
    await test.settle();
    const fd = openSync(test.at('a.md'), 'a'); // opened after the last scan: no scan has seen it
    const [first] = await test.takeAll();
    writeSync(fd, 'second\n');
    await test.settle(30_000);
    await test.settle(90_000);
    writeSync(fd, 'third\n');
    closeSync(fd);
    await test.settle();
    expect((await test.takeAll()).map(({ body }) => body)).toEqual(['first\nsecond\nthird\n']);
    expect(withdrawn).toEqual([first?.id]);
  });

  it('in its time stamp alone has not changed', async () => {
    const { test, withdrawn } = await taken(false);
    await using _ = test;
    const [folder] = test.ls('.claimed');
    utimesSync(test.at('.claimed', folder ?? '', 'pay.md'), 5, 5);
    await test.settle();
    expect([await test.takeAll(), withdrawn, test.ls()]).toEqual([[], [], ['.claimed', '.new']]);
  });

  it('its files are removed after a minute', async () => {
    const { test } = await taken(false);
    await using _ = test;
    expect(test.ls('.claimed')).toHaveLength(1);
    await test.settle(60_000);
    await expect.poll(() => test.ls('.claimed')).toEqual([]);
  });

  it.each([
    ['Pay the rent.', 'Pay the rent.', true],
    ['Pay the re', 'Pay the rent.', true],
    ['# Pay\n\n```bash\npay rent\n```\n', '# Pay\n\n```bash\npay power\n```\n', true],
    ['# Pay\n\n```bash\npay rent\n```\n', '# Sum up\n\n```bash\nsum up\n```\n', false],
    ['Pay the rent.', 'Sum it up.', false],
  ])('%j, then %j under the same name: the same task is %s', (before, after, isSame) => {
    expect(repeatsText(before, after)).toBe(isSame);
  });
});
