import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Claimed } from '../../../src/kit/inbox/claim-task.ts';
import { TestInbox } from '../../support/inbox.ts';

const pdf = Buffer.from('%PDF-1.4 …');

/** So many tasks, however many scans that takes. */
async function takeTasks(test: TestInbox, many: number): Promise<Claimed[]> {
  const tasks: Claimed[] = [];
  for (let scans = 0; scans < 20 && tasks.length < many; scans += 1) {
    await test.settle();
    tasks.push(...(await test.takeAll()));
  }
  return tasks;
}

describe('a task file and the files of its name', () => {
  it('are one task: a folder with a TASK.md', async () => {
    await using test = await new TestInbox().open();
    writeFileSync(test.at('Report.md'), 'Summarize it');
    writeFileSync(test.at('report.pdf'), Buffer.concat([pdf, Buffer.alloc(2_000_000)]));
    writeFileSync(test.at('report.xlsx'), 'x');
    writeFileSync(test.at('other.md'), 'Something else');
    const tasks = await takeTasks(test, 2);
    expect(tasks.map(({ name, files, bytes }) => [name, bytes.toString(), files.map(({ path }) => path)])).toEqual(
      expect.arrayContaining([
        ['Report', 'Summarize it', ['report.pdf', 'report.xlsx']],
        ['other.md', 'Something else', []],
      ]),
    );
    expect(tasks).toHaveLength(2);
    expect(test.rejected).toEqual([]);
    expect(readdirSync(test.dir).filter((name) => !name.startsWith('.'))).toEqual([]);
  });

  it('wait for each other: nothing is taken while one of them still grows, or is open for writing', async () => {
    await using test = await new TestInbox().open();
    writeFileSync(test.at('a.md'), 'Read it');
    const file = openSync(test.at('a.pdf'), 'w');
    for (let part = 0; part < 3; part += 1) {
      appendFileSync(test.at('a.pdf'), pdf);
      await test.settle(1000);
      expect(await test.takeAll()).toEqual([]);
    }
    await test.settle(5000);
    expect(await test.takeAll()).toEqual([]);
    closeSync(file);
    expect((await takeTasks(test, 1)).map(({ name, files }) => [name, files.length])).toEqual([['a', 1]]);
  });

  it('do not include a file without a task, which is rejected as before', async () => {
    await using test = await new TestInbox().open();
    writeFileSync(test.at('alone.pdf'), pdf);
    await test.settle(61_000);
    expect(test.rejected.map(({ name, reason }) => [name, reason])).toEqual([
      ['alone.pdf', expect.stringContaining('give other files the name of their task')],
    ]);
  });

  it('are not lost when the process dies between any two renames', async () => {
    for (let last = 0; last <= 3; last += 1) {
      let renames = 0;
      const rename = (from: string | Buffer, to: string | Buffer): void => {
        if (renames === last) throw new Error('killed');
        renames += 1;
        renameSync(from, to);
      };
      await using test = await new TestInbox({ rename }).open();
      writeFileSync(test.at('a.md'), 'Read it');
      writeFileSync(test.at('a.pdf'), pdf);
      await test.settle();
      await test.inbox.close();
      renames = Number.NEGATIVE_INFINITY; // the next process
      await test.open();
      const tasks = await takeTasks(test, 1);
      expect(tasks.map(({ name, files }) => [name, files.map(({ path }) => path)])).toEqual([['a', ['a.pdf']]]);
      expect(existsSync(test.at('.pairs'))).toBe(false);
    }
  });

  it('leave what somebody else has put under the same name in the meantime alone', async () => {
    await using test = await new TestInbox().open();
    mkdirSync(test.at('.pairs', 'left', 'a'), { recursive: true });
    writeFileSync(test.at('.pairs', 'left', 'a', 'a.pdf'), 'older');
    writeFileSync(test.at('a.pdf'), 'newer');
    await test.settle(10);
    expect(existsSync(test.at('.pairs', 'left', 'a', 'a.pdf'))).toBe(true);
  });
});
