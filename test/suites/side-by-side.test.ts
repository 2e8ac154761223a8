import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ended, type Job, runSideBySide } from './side-by-side.ts';
import { memoryFolder } from '../support/test-folders.ts';

const shell = (name: string, script: string): Job => ({ name, command: ['sh', '-c', script] });

async function run(jobs: Job[], atOnce: number, limitMinutes = 5): Promise<{ ended: Ended[]; printed: string }> {
  const lines: string[] = [];
  const options = {
    atOnce,
    folder: memoryFolder('side-'),
    limitMinutes,
    print: (line: string) => void lines.push(line),
  };
  const ended = await runSideBySide(jobs, options);
  return { ended, printed: lines.join('\n') };
}

describe('scripts that run side by side', () => {
  it('all run, and the log of one that failed is shown', async () => {
    const jobs = [shell('bad', 'echo the reason; exit 3'), shell('good', 'echo all is well'), shell('last', 'true')];
    const { ended, printed } = await run(jobs, 1);
    const failures = ended.map(({ name, failure }) => [name, failure]);
    expect(failures).toEqual([
      ['bad', 'ended with code 3'],
      ['good', null],
      ['last', null],
    ]);
    expect(printed).toContain('the reason');
    expect(printed).not.toContain('all is well');
  });

  it('meet where two may run at once', async () => {
    const folder = memoryFolder('pair-');
    const meet = (own: string, other: string): string =>
      `touch ${folder}/${own}; until [ -e ${folder}/${other} ]; do sleep 0.02; done`;
    const { ended } = await run([shell('one', meet('a', 'b')), shell('two', meet('b', 'a'))], 2);
    expect(ended.map(({ failure }) => failure)).toEqual([null, null]);
  });

  it('say what they skip, also when they pass', async () => {
    const { printed } = await run([shell('part', 'echo "SKIPPED: there is no browser"')], 1);
    expect(printed).toContain('SKIPPED: there is no browser');
  });

  it('are ended with all of their processes after the limit, which is a failure', async () => {
    const { ended } = await run([shell('endless', 'sleep 1000 & sleep 1000')], 1, 0.001);
    expect(ended.map(({ failure }) => failure)).toEqual(['ended with SIGKILL']);
  });

  it('fail where the program is not there', async () => {
    const { ended } = await run([{ name: 'missing', command: ['/no/such/program'] }], 1);
    expect(ended[0]?.failure).toContain('ENOENT');
  });

  it('run a file that failed once more, alone, and name what passes then', async () => {
    const folder = memoryFolder('again-');
    const again = (files: readonly string[]): Job['command'] => [
      'sh',
      '-c',
      `echo "${files.join()}" > ${folder}/files`,
    ];
    const late: Job = { ...shell('late', 'echo " FAIL  test/a.trial.ts > waits"; exit 1'), again };
    const twice: Job = {
      ...shell('twice', 'echo " FAIL  test/b.trial.ts > breaks"; exit 1'),
      again: () => ['sh', '-c', 'echo " FAIL  test/b.trial.ts > is broken"; exit 1'],
    };
    const { ended, printed } = await run([late, twice], 2);
    expect(ended.map(({ failure }) => failure)).toEqual([null, 'ended with code 1']);
    expect(printed.match(/FAIL {2}.*/g)).toEqual([
      'FAIL  test/b.trial.ts > is broken',
      'FAIL  test/a.trial.ts > waits',
    ]);
    expect(readFileSync(join(folder, 'files'), 'utf8')).toBe('test/a.trial.ts\n');
    expect(printed).toContain('UNSTEADY: test/a.trial.ts failed in late');
  });

  it('fail where a file fails twice, where more than a few fail, and where no file is named', async () => {
    const fails = (name: string, script: string): Job => ({
      ...shell(name, `${script}; exit 1`),
      again: () => ['sh', '-c', name === 'twice' ? 'exit 1' : 'exit 0'],
    });
    const many = [1, 2, 3, 4, 5].map((each) => `echo " FAIL  test/${each}.trial.ts > x"`).join(';');
    const jobs = [fails('twice', 'echo " FAIL  test/a.trial.ts"'), fails('many', many), fails('nameless', 'true')];
    const { ended } = await run(jobs, 1);
    expect(ended.map(({ failure }) => failure)).toEqual(Array(3).fill('ended with code 1'));
  });
});
