import { rmSync } from 'node:fs';
import { isPaused, pauseFile } from '../../daemon/home/stop-files.ts';
import { type Call, exits } from '../command.ts';

export async function run({ home, json, out }: Call): Promise<number> {
  const wasPaused = isPaused(home);
  rmSync(pauseFile(home), { force: true });
  if (json) out(`${JSON.stringify({ paused: false, was: wasPaused })}\n`);
  else out(wasPaused ? 'Tasks are begun again.\n' : 'It was not paused.\n');
  return exits.ok;
}
