/** Of every setting of every room, a row says what is seen of it from outside (test/story/settings.test.ts). */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { notSeen, seenElsewhere, settingGroups } from '../support/settings/setting-groups.ts';
import { settings } from '../support/settings/setting-names.ts';

it('every setting has one row, and there is no row of a setting that does not exist', () => {
  const rows = [
    ...settingGroups.flatMap((group) => group.settings),
    ...Object.keys(seenElsewhere),
    ...Object.keys(notSeen),
  ];
  expect(rows.toSorted()).toEqual([...settings.keys()].toSorted());
});

it('a test that tries settings elsewhere is there, and names them', () => {
  for (const [setting, file] of Object.entries(seenElsewhere)) {
    expect(existsSync(file), file).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(`${setting.split('.').at(-1)}:`);
  }
});
