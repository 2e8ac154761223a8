import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDeadlines } from '../../../src/core/chain/deadlines.ts';

describe('deadlines over one timer', () => {
  it('pass in their order, whatever order they were set in, and those that were lifted do not', async () => {
    const passed: string[] = [];
    const set = createDeadlines();
    set(60, () => passed.push('last'));
    const lift = set(30, () => passed.push('lifted'));
    set(5, () => passed.push('first'));
    lift();
    await new Promise<void>((resolve) => void set(90, resolve));
    expect(passed).toEqual(['first', 'last']);
  });

  it('pass also when an earlier one that was lifted had set the timer', async () => {
    const set = createDeadlines();
    const lift = set(5, () => expect.unreachable());
    const passed = new Promise<string>((resolve) => void set(20, () => resolve('passed')));
    lift();
    expect(await passed).toBe('passed');
  });

  it('can be set and lifted while others pass', async () => {
    const set = createDeadlines();
    const after = await new Promise<string>((resolve) => {
      const lift = set(10, () => expect.unreachable());
      set(5, () => {
        lift();
        set(5, () => resolve('set inside'));
      });
    });
    expect(after).toBe('set inside');
  });

  it('pass in order and can lift each other, also when the process was too busy to notice them in time', async () => {
    const set = createDeadlines();
    const passed: string[] = [];
    const done = new Promise<void>((resolve) => {
      set(12, resolve);
      set(8, () => passed.push('second'));
      const lift = set(10, () => passed.push('lifted'));
      set(4, () => {
        passed.push('first');
        lift();
      });
    });
    for (const start = performance.now(); performance.now() - start < 30; );
    await done;
    expect(passed).toEqual(['first', 'second']);
  });

  it('far beyond the reach of a timer do not pass at once', async () => {
    const set = createDeadlines();
    const lift = set(2 ** 40, () => expect.unreachable());
    await sleep(20);
    lift();
  });

  it('keep the process while one is open, and not for those that were lifted', () => {
    const script = (body: string): string => {
      const code = `import { createDeadlines } from './src/core/chain/deadlines.ts'; const set = createDeadlines(); ${body}`;
      const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      return stdout.trim();
    };
    expect(script("set(50, () => console.log('passed'));")).toBe('passed');
    expect(script("set(600_000, () => {})(); process.on('exit', () => console.log('left'));")).toBe('left');
    expect(script("set(600_000, () => {})(); set(50, () => console.log('passed'));")).toBe('passed');
    expect(
      script(
        "const lift = set(600_000, () => {}); lift(); set(700_000, () => {})(); process.on('exit', () => console.log('left'));",
      ),
    ).toBe('left');
  });
});
