import { rmSync } from 'node:fs';
import { isPaused, pauseFile } from '../../../kit/home/stop-files.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';

type Data = { paused: false; was: boolean };

export async function run({ home }: Call): Promise<Answer<Data>> {
  const was = isPaused(home);
  rmSync(pauseFile(home), { force: true });
  return answer({ paused: false, was });
}

export const render = ({ was }: Data): string => (was ? 'Tasks start again.\n' : 'It was not paused.\n');
