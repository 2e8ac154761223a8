import { replicaFolder } from '../../daemon/network/replica-connection.ts';
import { switchFile, turn } from '../../replica/state.ts';
import { type Call, exits } from '../command.ts';
import { assertSetUp } from '../secret-changes.ts';

/** Also lets a follower that has stopped try once more. */
export async function run(call: Call): Promise<number> {
  assertSetUp(call);
  const folder = replicaFolder(call.home);
  turn(folder, true, new Date().toISOString());
  const words = 'Replication goes on in the maintenance process, from where the replica is.\n';
  call.out(call.json ? `${JSON.stringify({ on: true, file: switchFile(folder) })}\n` : words);
  return exits.ok;
}
