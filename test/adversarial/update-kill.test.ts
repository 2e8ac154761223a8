/** Killing updates at random moments: what a person starts is the old version or the new one, whole. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { oka, temporaryFolder } from '../support/cli.ts';
import { packSmall, startedVersion, writeSmallPackage } from '../support/small-packages.ts';
import { chanceOf, scaled } from '../support/thorough.ts';

const UPDATE = join(import.meta.dirname, '../support/update-process.ts');

/** Every other kill takes npm along; else npm goes on for a while. */
async function killedAfter(ms: number, isWhole: boolean, ...words: string[]): Promise<boolean> {
  const child = spawn(process.execPath, [UPDATE, ...words], { stdio: 'ignore', detached: true });
  const ended = once(child, 'close');
  const timer = setTimeout(() => process.kill(isWhole ? -(child.pid ?? 0) : (child.pid ?? 0), 'SIGKILL'), ms);
  const [code] = (await ended) as [number | null];
  clearTimeout(timer);
  return code === null;
}

it('V1 whoever is killed leaves the version before or the next one, never neither', async () => {
  using folder = temporaryFolder();
  const base = writeSmallPackage(join(folder.dir, 'lib/node_modules/oka'), { version: '1.0.0' });
  const home = join(folder.dir, 'home');
  await oka('init', '--dir', home);
  const tarballs = ['1.1.0', '1.2.0'].map((version) => packSmall(folder.dir, { version }));
  const start = performance.now();
  expect(await killedAfter(120_000, false, base, tarballs[0] ?? '', home)).toBe(false);
  const whole = performance.now() - start;
  const seen = new Set<string>();
  let [killed, late] = [0, 0];
  for (let round = 0; round < scaled(100); round += 1) {
    const before = startedVersion(base);
    const next = before === '1.1.0' ? '1.2.0' : '1.1.0';
    const ms = (chanceOf(`update ${round}`, 1000) / 1000) * whole * 1.1;
    const wasKilled = await killedAfter(ms, round % 2 === 0, base, tarballs[next === '1.1.0' ? 0 : 1] ?? '', home);
    const after = startedVersion(base);
    expect([before, next]).toContain(after);
    if (!wasKilled) expect(after).toBe(next);
    killed += Number(wasKilled);
    late += Number(wasKilled && after === next);
    seen.add(`${wasKilled} ${after === next}`);
  }
  expect(killed).toBeGreaterThan(0);
  console.log(
    `${killed} of ${scaled(100)} updates were killed, ${late} of them when the next version was there already`,
  );
  expect(seen).toContain('true false');
  const last = startedVersion(base) === '1.1.0' ? 1 : 0;
  expect(await killedAfter(120_000, false, base, tarballs[last] ?? '', home)).toBe(false);
  const kept = readdirSync(join(base, 'versions')).map((name) => name.replace(/-[0-9a-f]{8}$/, ''));
  expect(kept.filter((name) => !name.startsWith('new-')).toSorted()).toEqual(['1.1.0', '1.2.0', 'current']);
  expect(readdirSync(join(home, '.oka', 'cache'))).toEqual([]);
}, 900_000);
