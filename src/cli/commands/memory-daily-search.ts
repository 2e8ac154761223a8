import { type Call, exits } from '../command.ts';
import { searchAndShow } from '../memory.ts';

export async function run(call: Call): Promise<number> {
  await searchAndShow(call, 'episodes');
  return exits.ok;
}
