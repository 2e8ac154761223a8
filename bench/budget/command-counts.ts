/** What commands load, each in a process of its own, on a home in which some work was done. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Counts } from './counts.ts';
import { loadedIn, openRecording } from './recording.ts';

const launcher = join(import.meta.dirname, '../../bin/oka');

/** The words of commands, and the codes that they may end with; `t1` is a task that is done. */
const COMMANDS: Readonly<Record<string, { codes: readonly number[]; everywhere?: boolean }>> = {
  '--help': { codes: [0], everywhere: true },
  '--version': { codes: [0], everywhere: true },
  'no-such-command': { codes: [2], everywhere: true },
  status: { codes: [0] },
  runs: { codes: [0] },
  'show t1': { codes: [0] },
  log: { codes: [0] },
  'add Buy-milk': { codes: [0] },
  'approve no-such-wait': { codes: [3] },
  doctor: { codes: [0, 1] }, // not all is well on every machine
  'undo t1 --dry-run': { codes: [0] },
  verify: { codes: [0] },
  chat: { codes: [0] },
  'chat view desk --json': { codes: [0] },
  'memory fact list': { codes: [0] },
};

/** Of all of them, or of those that are named. */
export function commandCounts(home: string, folder: string, only = Object.keys(COMMANDS)): Counts {
  const counted = Object.entries(COMMANDS).filter(([words]) => only.includes(words));
  return Object.fromEntries(
    counted.map(([words, { codes, everywhere = false }], index) => {
      const recording = openRecording(folder, `command-${index}`);
      const args = [launcher, ...words.split(' '), ...(everywhere ? [] : ['--dir', home])];
      const env = { ...process.env, ...recording.env };
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
      if (status === null || !codes.includes(status))
        throw new Error(`oka ${words} ended with ${status}: ${stdout}${stderr}`);
      return [`oka ${words}`, loadedIn(recording.lines())];
    }),
  );
}
