import { replicaFolder } from '../replica-connection.ts';
import { switchFile, switchReplication } from '../copy/state.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { on: false; file: string };

export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  const folder = replicaFolder(home);
  switchReplication(folder, false, new Date().toISOString());
  return answer({ on: false, file: switchFile(folder) });
}

export const render = ({ file }: Data): string =>
  `Nothing more is sent (${file}). What is at the replica stays there. On again: oka replica on\n`;
