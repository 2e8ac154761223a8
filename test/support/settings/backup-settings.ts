/** What is seen of backups, some made on days long ago. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeKeyPair } from '../../../src/kit/vault/open-vault.ts';
import { okaProcess, temporaryFolder } from '../cli.ts';
import { clockIn } from './set-clock-in.ts';
import { commandIn, settingGroup } from './setting-group.ts';

type Seen = { states: string[]; restored: string; later: string };

const NOW = Date.parse('2060-03-31T12:00:00Z'); // a Wednesday
const DAYS = ['01-15', '02-10', '03-10', '03-20', '03-26', '03-29', '03-30', '03-31'];
let secret = '';

export const backupSettings = settingGroup<Seen>({
  name: 'backups',
  config: async () => {
    const pair = await makeKeyPair();
    secret = pair.secret;
    return {
      backup: {
        to: 'backups',
        recovery: pair.recipient,
        desk: false,
        every_hours: 1000,
        keep: { days: 2, weeks: 2, months: 2 },
      },
    };
  },
  act: async (story, stack) => {
    const clock = clockIn(story);
    const { dir } = stack.use(temporaryFolder());
    const [restored, key] = [join(dir, 'restored'), join(dir, 'key')];
    writeFileSync(key, `${secret}\n`);
    story.write('workspace/desk/notes.md', 'notes');
    for (const day of DAYS) await commandIn(story, clock(Date.parse(`2060-${day}T12:00:00Z`)), 'backup');
    const { text } = await commandIn(story, clock(NOW), 'backup', 'list', '--json');
    const later = (await commandIn(story, clock(NOW + 30 * 86_400_000), 'doctor')).text;
    okaProcess('restore', '--from', join(story.home.dir, 'backups'), '--key', key, '--dir', restored);
    return { states: [...text.matchAll(/2060-(\d\d-\d\d)T/g)].map(([, day = '']) => day), restored, later };
  },
  rows: {
    'backup.to': ({ later }) =>
      expect(later).toMatch(/backup +the last one is of 2060-03-31 12:00 UTC, in .*oka-story-.*\/backups/),
    'backup.every_hours': ({ later }) => expect(later).toMatch(/✓ backup/),
    'backup.keep.days': ({ states }) => expect(states).not.toContain('03-29'),
    'backup.keep.weeks': ({ states }) => expect(new Set(states)).toEqual(new Set(['02-10', '03-26', '03-30', '03-31'])),
    'backup.keep.months': ({ states }) => expect(states).not.toContain('01-15'),
    'backup.recovery': ({ restored }) => expect(existsSync(join(restored, '.oka/rules/config.json'))).toBe(true),
    'backup.desk': ({ restored }) => {
      expect(existsSync(join(restored, 'workspace/outbox'))).toBe(true);
      expect(existsSync(join(restored, 'workspace/desk/notes.md'))).toBe(false);
    },
  },
});
