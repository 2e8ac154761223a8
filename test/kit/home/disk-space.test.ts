import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retryLater } from '../../../src/kit/runs/pending-results.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { watchDiskSpace } from '../../../src/kit/home/disk-space.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import { Objects } from '../../../src/kit/desk/object-store.ts';
import { mayMount, mountSmall, unmount } from '../../support/small-disk.ts';

describe.skipIf(!mayMount)('a full disk (needs the right to mount a small tmpfs)', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'oka-space-'));
    mountSmall(dir, 'size=4m');
    for (const folder of ['.oka/state', 'workspace/outbox']) mkdirSync(join(dir, folder), { recursive: true });
  });
  afterEach(() => {
    unmount(dir);
    rmSync(dir, { recursive: true });
  });

  it('W5 is told once, before anybody has met it, and so is that there is space again', () => {
    const told: string[] = [];
    const space = watchDiskSpace(homeAt(dir), {
      log: (line) => told.push(line),
      onRecovery: () => told.push('back'),
      pollMs: 0,
    });
    expect([space.isShort(), told]).toEqual([false, []]);
    fill(join(dir, 'filler'));
    expect([space.isShort(), space.isShort()]).toEqual([true, true]);
    expect(space.ranOut(new OkaError('disk-full', 'no space'))).toBe(true);
    rmSync(join(dir, 'filler'));
    expect([space.isShort(), space.isShort()]).toEqual([false, false]);
    expect(told).toEqual([expect.stringContaining('full'), expect.stringContaining('space again'), 'back']);
  });

  it('O1 leaves no part of an object: the next attempt writes it whole', async () => {
    const objects = new Objects(join(dir, 'undo'));
    objects.put('blob', Buffer.from('first'));
    await objects.flush();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919 * index) % 251));
    fill(join(dir, 'filler'), 4096);
    expect(() => objects.put('blob', bytes)).toThrow(expect.objectContaining({ code: 'disk-full' }) as Error);
    rmSync(join(dir, 'filler'));
    const name = objects.put('blob', bytes);
    await objects.flush();
    expect(new Objects(join(dir, 'undo')).get('blob', name).equals(bytes)).toBe(true);
  });
});

describe('space', () => {
  it('is not what every error is about; the cause of one counts', () => {
    const space = watchDiskSpace(homeAt(tmpdir()), {
      log: () => undefined,
      onRecovery: () => undefined,
      pollMs: 60_000,
    });
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    expect([new Error('x'), 'x', new Error('x', { cause: full })].map((error) => space.ranOut(error))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('a result that could not be told is tried again until it can', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let tries = 0;
    const later = retryLater(async () => {
      tries += 1;
      if (tries < 3) throw new OkaError('disk-full', 'no space');
      resolve();
    }, 5);
    later.add('run');
    await promise;
    later.end();
    expect(tries).toBe(3);
  });
});

/** Leaves `room` bytes, about. */
function fill(file: string, room = 0): void {
  for (let size = 1024 * 1024; size >= Math.max(4096, room); size /= 2)
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // smaller ones may still fit
    }
}
