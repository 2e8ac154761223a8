import { makeEgressKey, setUp } from '../../daemon/home/set-up.ts';
import { type Call, exits } from '../command.ts';

export async function run({ home, json, out, text }: Call): Promise<number> {
  const made = setUp(home);
  const key = text('egress-key');
  if (key !== undefined && makeEgressKey(key)) made.push(key);
  if (json) out(`${JSON.stringify({ dir: home.dir, made })}\n`);
  else if (made.length === 0) out(`${home.dir} is set up already; nothing was changed.\n`);
  else
    out(
      `Set up ${home.dir}:\n${made.map((path) => `  ${path}\n`).join('')}Next: drop a task into workspace/inbox, or look around with: oka status\n`,
    );
  return exits.ok;
}
