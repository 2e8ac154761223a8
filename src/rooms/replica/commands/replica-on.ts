import { replicaFolder } from '../replica-connection.ts';
import { switchFile, switchReplication } from '../copy/state.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { on: true; file: string };

/** Also lets a follower that has stopped try once more. */
export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  const folder = replicaFolder(home);
  switchReplication(folder, true, new Date().toISOString());
  return answer({ on: true, file: switchFile(folder) });
}

export const render = (): string => 'Replication continues in the maintenance process, from where the replica is.\n';
