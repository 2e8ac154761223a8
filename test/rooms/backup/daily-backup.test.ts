import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backUpDaily } from '../../../src/rooms/backup/daily-backup.ts';
import { BackupConfig } from '../../../src/rooms/backup/backup-config.ts';
import { backupFindings } from '../../../src/rooms/backup/backup-findings.ts';
import { stateTimes } from '../../../src/rooms/backup/backup-store.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { openStory } from '../../support/story.ts';

const pace = { firstMs: 0, lookMs: 20, afterFailureMs: 3_600_000 };

it('a worker makes a backup when the last one is old, and not before', async () => {
  await using story = await openStory({ config: {} });
  using there = temporaryFolder();
  const to = join(there.dir, 'backups');
  await story.oka('backup', '--to', to, '--recovery-key', join(there.dir, 'key'));
  const { backup } = JSON.parse(readFileSync(story.home.config, 'utf8')) as { backup: object };
  const config = BackupConfig.parse(backup);
  expect(config.to).toBe(to);
  const early = backUpDaily(story.home, config, pace);
  await early.end();
  expect(stateTimes(to)).toHaveLength(1);

  const note = join(story.home.oka, 'state', 'backup.json');
  const old = { at: '2026-01-01T00:00:00.000Z', dir: to, added: 0, problem: null };
  writeFileSync(note, JSON.stringify(old));
  expect(backupFindings(story.home, config)).toMatchObject([{ state: 'odd', fix: 'Make one: oka backup' }]);
  const daily = backUpDaily(story.home, config, pace);
  await expect.poll(() => backupFindings(story.home, config)).toMatchObject([{ state: 'good' }]);
  await daily.end();
  expect(stateTimes(to)).toHaveLength(2);
});

it('the empty mount point of a disk gets no backup: the reason is a finding, and the last good backup stays known', async () => {
  await using story = await openStory({ config: {} });
  using there = temporaryFolder();
  const to = join(there.dir, 'backups');
  await story.oka('backup', '--to', to, '--recovery-key', join(there.dir, 'key'));
  rmSync(to, { recursive: true });
  mkdirSync(to); // as the mount point of a disk that is not there
  const refused = await story.oka('backup');
  expect(refused).toMatchObject({ code: 3, out: '' });
  expect(refused.err).toContain('Mount its disk.');
  expect(readdirSync(to)).toEqual([]);
  const config = BackupConfig.parse({ to });
  expect(backupFindings(story.home, config)).toMatchObject([{ state: 'bad', fix: 'Try: oka backup' }]);
  expect(JSON.parse(readFileSync(join(story.home.oka, 'state', 'backup.json'), 'utf8'))).toMatchObject({
    at: expect.any(String),
  });
});
