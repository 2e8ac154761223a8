/** The environment of a process whose clock shows another time. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Story } from '../story.ts';

const preload = pathToFileURL(join(import.meta.dirname, '../set-clock.ts')).href;

export const clockIn =
  (story: Story) =>
  (now: number): Record<string, string> => {
    const file = join(story.home.dir, 'clock');
    writeFileSync(file, String(now - Date.now()));
    return { OKA_TEST_CLOCK: file, NODE_OPTIONS: `--import ${preload}`, TZ: 'UTC' };
  };
