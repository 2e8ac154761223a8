/** L2 one pen per ledger: whoever comes second is told who writes, and need not wait when that one dies. */
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { acksOf, type Child, faultsOf, startChild } from '../support/ledger-children.ts';
import { freshFolder, noteOf, openPlain } from '../support/ledger-samples.ts';

const root = process.getuid?.() === 0;

describe('two processes', () => {
  it.each([2, 2, 2, 5])(
    'L2 of %i started together one gets the pen, the others are told who has it, and one follows when it is killed',
    async (count) => {
      const dir = freshFolder();
      const file = join(dir, '.oka', 'run_ledger.jsonl');
      const children = Array.from({ length: count }, (_, index) =>
        startChild({ dir, label: `p${index}`, appends: 3, patient: true, stay: true }),
      );
      const holder = await firstToOpen(children);
      const others = children.filter((child) => child !== holder);
      for (const other of others) await expectTold(other, holder);
      expect(others.filter((child) => child.said.some((line) => line.startsWith('open')))).toEqual([]);
      expect(penHolder(file)).toMatchObject({ pid: holder.process.pid, host: hostname() });

      await holder.says('done');
      const killedAt = performance.now();
      holder.process.kill('SIGKILL');
      const heir = await firstToOpen(others);
      expect(performance.now() - killedAt).toBeLessThan(30_000); // they look a hundred times a second
      expect(await heir.says('done')).toBe('done');
      for (const other of others) other.process.kill('SIGKILL');
      await Promise.all(children.map((child) => child.ended));

      const acks = children.flatMap((child) => acksOf(child.said));
      expect(faultsOf(file, acks)).toEqual([]);
      expect(await verifyLedger(file)).toMatchObject({ state: 'intact' });
      expect(penHolder(file)).toBeNull();
    },
  );

  it('L2 a second opening in the same process is refused; another ledger beside it is not', async () => {
    const dir = freshFolder();
    const ledger = await openPlain(join(dir, 'a.jsonl'));
    const other = await openPlain(join(dir, 'b.jsonl'));
    await expect(openPlain(join(dir, 'a.jsonl'))).rejects.toMatchObject({
      code: 'pen-held',
      message: expect.stringContaining(`process ${process.pid} on ${hostname()}`),
    });
    await ledger.append(noteOf('still mine'));
    await ledger.close();
    await other.close();
    await (await openPlain(join(dir, 'a.jsonl'))).close();
  });

  it('L2 a note left by a dead holder, or nonsense in its place, keeps nobody away', async () => {
    const file = join(freshFolder(), 'l.jsonl');
    const note = join(file, '..', 'locks', 'l.lock.holder.json');
    await (await openPlain(file)).close();
    for (const text of [JSON.stringify({ pid: 1, host: hostname(), since: 'long ago' }), 'nonsense', '']) {
      writeFileSync(note, text);
      const ledger = await openPlain(file);
      expect(JSON.parse(readFileSync(note, 'utf8'))).toMatchObject({ pid: process.pid });
      await ledger.close();
    }
  });

  it.skipIf(!root)(
    'L2 a lock that may only be read is no pen: it is refused, never shared (needs root, to become somebody else)',
    async () => {
      const dir = freshFolder();
      const locks = join(dir, '.oka', 'locks');
      mkdirSync(locks, { recursive: true });
      writeFileSync(join(locks, 'run_ledger.lock'), '');
      chmodSync(dir, 0o755);
      for (const folder of [join(dir, '.oka'), locks]) chownSync(folder, 1000, 1000);
      const child = startChild({ dir, label: 'x', appends: 1 }, { uid: 1000, gid: 1000 });
      await child.ended;
      expect(child.said.join('\n'), child.errors()).toMatch(
        /^refused not-permitted .*this user .* may not access .*run_ledger\.lock/,
      );
    },
  );
});

async function firstToOpen(children: readonly Child[]): Promise<Child> {
  return Promise.any(
    children.map(async (child) => {
      if ((await child.says('open')) === null) throw new Error(`ended without the pen: ${child.errors()}`);
      return child;
    }),
  );
}

/** Whoever is refused in the moment before the holder has written its name is not told it yet, and asks again. */
async function expectTold(other: Child, holder: Child): Promise<void> {
  const name = `process ${holder.process.pid} on ${hostname()} since`;
  await expect.poll(() => other.said.some((line) => line.includes(name)), { timeout: 60_000 }).toBe(true);
  for (const line of other.said) expect(line).toMatch(/^refused pen-held /);
}
