import { replicaFolder } from '../../daemon/network/replica-connection.ts';
import { switchFile, turn } from '../../replica/state.ts';
import { type Call, exits } from '../command.ts';
import { assertSetUp } from '../secret-changes.ts';

export async function run(call: Call): Promise<number> {
  assertSetUp(call);
  const folder = replicaFolder(call.home);
  turn(folder, false, new Date().toISOString());
  const words = `Nothing more leaves (${switchFile(folder)}). What is at the replica stays there. On again: oka replica on\n`;
  call.out(call.json ? `${JSON.stringify({ on: false, file: switchFile(folder) })}\n` : words);
  return exits.ok;
}
