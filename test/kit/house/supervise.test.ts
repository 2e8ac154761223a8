import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import { NODE_FLAGS, supervise, type Supervision } from '../../../src/kit/house/supervise.ts';
import { testFolder } from '../../support/test-folders.ts';

const BEATING = `process.send('beat'); setInterval(() => process.send('beat'), 20);`;
const patience = { firstPauseMs: 1, longestPauseMs: 5, silenceMs: 1000, graceMs: 500 };

/** Runs a script under supervision until `isEnough` says so of what was told. */
async function supervised(
  body: string,
  isEnough: (told: readonly string[]) => boolean,
  change: object = {},
  more: Partial<Supervision> = {},
): Promise<{ code: number; told: string[]; lives: number }> {
  const folder = testFolder('oka-supervise-');
  const script = join(folder, 'kept.cjs');
  writeFileSync(script, `require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'lives'))}, 'x'); ${body}`);
  const told: string[] = [];
  const stop = new AbortController();
  const note = (line: string): void => {
    told.push(line);
    if (isEnough(told)) stop.abort();
  };
  const code = await supervise([{ name: 'worker', args: [], script }], {
    home: homeAt(folder),
    signal: stop.signal,
    log: note,
    onLine: (_, line) => note(line),
    patience: { ...patience, ...change },
    ...more,
  });
  const lives = join(folder, 'lives'); // missing when all were killed before they had begun
  return { code, told, lives: existsSync(lives) ? readFileSync(lives, 'utf8').length : 0 };
}

describe('supervise', () => {
  it('S1 a process that ends is started again', async () => {
    const { lives, told } = await supervised('process.exit(1)', (all) => all.length >= 3);
    expect(lives).toBeGreaterThanOrEqual(3);
    expect(told[0]).toMatch(/^worker ended \(exit 1\); it is started again in/);
  });

  it('starts them so that glibc returns what they have freed', async () => {
    const body = `console.log(process.env.MALLOC_MMAP_THRESHOLD_, process.env.PATH !== undefined); ${BEATING}`;
    const { told } = await supervised(body, (all) => all.length >= 1);
    expect(told[0]).toBe('131072 true');
  });

  it('S1 one that is killed is started again, too', async () => {
    const { told } = await supervised(`process.kill(process.pid, 'SIGKILL')`, (all) => all.length >= 1);
    expect(told[0]).toContain('SIGKILL');
  });

  it('S2 one that hangs is killed and started again', async () => {
    const { told } = await supervised(`process.send('beat'); for (;;);`, (all) => all.length >= 1, { silenceMs: 300 });
    expect(told[0]).toContain('did not answer any more');
  });

  it('S2 one that is stopped is killed and started again, too', async () => {
    const body = `${BEATING} setTimeout(() => process.kill(process.pid, 'SIGSTOP'), 100);`;
    const { told } = await supervised(body, (all) => all.length >= 1, { silenceMs: 500 });
    expect(told[0]).toContain('did not answer any more');
  });

  it('S2 one that works is not killed because the supervisor stood still, such as in a container that was paused', async () => {
    const body = `${BEATING} console.log('here'); setTimeout(() => console.log('still here'), 1000);`;
    const standStill = (line: string): void => {
      if (line === 'here') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    };
    const isEnough = (all: readonly string[]): boolean => {
      standStill(all.at(-1) ?? '');
      return all.length >= 2;
    };
    const { told, lives } = await supervised(body, isEnough, { silenceMs: 500 });
    expect([told, lives]).toEqual([['here', 'still here'], 1]);
  });

  it('S3 one that refuses to start is tried again once that is fixed, and its refusal ends it otherwise', async () => {
    const body = 'process.exit(3)';
    let fixes = 0;
    const untilFixed = async (): Promise<boolean> => {
      fixes += 1;
      return fixes < 3;
    };
    const { code, lives } = await supervised(body, () => false, {}, { untilFixed });
    expect({ code, lives, fixes }).toEqual({ code: 3, lives: 3, fixes: 3 });
  });

  it('S3 one that refuses to start is not started again, and its exit code is given on', async () => {
    const { code, lives } = await supervised(`console.error('oka: mend the policy'); process.exit(3)`, () => false);
    expect([code, lives]).toEqual([3, 1]);
  });

  it('is told to stop: the process gets the time to end in order', async () => {
    const body = `${BEATING} process.on('SIGTERM', () => { console.log('put away'); process.exit(0); }); console.log('here');`;
    const { code, told, lives } = await supervised(body, (all) => all.includes('here'));
    expect([code, lives]).toEqual([0, 1]);
    expect(told).toEqual(['here', 'put away']);
  });

  it('a process that ignores that is killed', async () => {
    const body = `${BEATING} process.on('SIGTERM', () => undefined); console.log('here');`;
    expect((await supervised(body, (all) => all.includes('here'), { graceMs: 100 })).code).toBe(0);
  });

  /** One that is kept until something was told, and one beside it. */
  async function besides(code: number, beside: string): Promise<{ code: number; told: string[] }> {
    const folder = testFolder('oka-supervise-');
    const flag = JSON.stringify(join(folder, 'told'));
    const kept = `${BEATING} setInterval(() => require('node:fs').existsSync(${flag}) && process.exit(${code}), 20);`;
    const script = (name: string, body: string): string => {
      writeFileSync(join(folder, name), body);
      return join(folder, name);
    };
    const told: string[] = [];
    const note = (line: string): void => {
      told.push(line);
      writeFileSync(join(folder, 'told'), '');
    };
    const ended = await supervise(
      [
        { name: 'worker', args: [], script: script('kept.cjs', kept) },
        { name: 'maintenance', args: [], script: script('beside.cjs', beside), isSecondary: true },
      ],
      {
        home: homeAt(folder),
        signal: new AbortController().signal,
        log: note,
        onLine: (_, line) => note(line),
        patience,
      },
    );
    return { code: ended, told };
  }

  it('S4 one beside it that refuses is told, and the other goes on', async () => {
    const told = ['maintenance refuses to start (exit 3); the rest goes on'];
    expect(await besides(2, 'process.exit(3)')).toEqual({ code: 2, told });
  });

  it('S4 one beside it ends in order when the other has refused', async () => {
    const staying = `${BEATING} process.on('SIGTERM', () => { console.log('put away'); process.exit(0); }); console.log('here');`;
    expect(await besides(2, staying)).toEqual({ code: 2, told: ['here', 'put away'] });
  });

  it('a thread has the limit that it was started with, whatever the flags say for the main thread', () => {
    const script = join(testFolder('oka-supervise-'), 'threads.mjs');
    const module = JSON.stringify(fileURLToPath(new URL('../../../src/kit/house/supervise.ts', import.meta.url)));
    writeFileSync(
      script,
      `import { Worker } from 'node:worker_threads';
      const { applyLimitsOfThreads } = await import(${module});
      applyLimitsOfThreads();
      new Worker(\`(${fillYoungSpace.toString()})()\`, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 12 } });`,
    );
    const size = Number(execFileSync(process.execPath, [...NODE_FLAGS, script], { encoding: 'utf8' }));
    expect(size).toBeGreaterThan(1_000_000);
    expect(size).toBeLessThan(9_000_000);
  });
});

/** Runs in a thread: makes so much garbage that the space for it grows as far as it may, and prints its size. */
function fillYoungSpace(): void {
  let kept: object[] = [];
  for (let made = 0; made < 3_000_000; made += 1) {
    kept.push({ made });
    if (kept.length > 150_000) kept = [];
  }
  const spaces = (require('node:v8') as typeof import('node:v8')).getHeapSpaceStatistics();
  console.log(spaces.find(({ space_name }) => space_name === 'new_space')?.space_size);
}
