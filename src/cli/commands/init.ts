import { makeEgressKey, setUp } from '../../daemon/home/set-up.ts';
import { type Answer, answer, type Call } from '../command-module.ts';

type Data = { dir: string; made: string[] };

export async function run({
  home,
  options,
}: Call<{ egressKey: string | undefined; restore: boolean }>): Promise<Answer<Data>> {
  const made = setUp(home, { restore: options.restore });
  const key = options.egressKey;
  if (key !== undefined && makeEgressKey(key)) made.push(key);
  return answer({ dir: home.dir, made });
}

export function render({ dir, made }: Data): string {
  if (made.length === 0) return `${dir} is set up already; nothing was changed.\n`;
  const files = made.map((path) => `  ${path}\n`).join('');
  return `Set up ${dir}:\n${files}Next: drop a task into workspace/inbox, or see what there is: oka status\n`;
}
