import { join } from 'node:path';
import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { auditTools } from '../install/audit-tools.ts';
import { dependencies } from '../../../kit/requests/dependency-state.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';

type Data = { audited: Awaited<ReturnType<typeof auditTools>> };

export async function run({ home }: Call): Promise<Answer<Data>> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
  const audited = await auditTools(join(home.oka, 'tools'), state.installed);
  return answer({ audited }, audited.every(isUnchanged) ? exits.ok : exits.no);
}

export function render({ audited }: Data, { bold, green, red }: Terminal): string {
  const changed = audited.filter((tool) => !isUnchanged(tool));
  const lines = changed.map(
    ({ name, state, found }) => `${red(state)}  ${bold(plainText(name))}  ${plainText(found)}\n`,
  );
  const summary = changed.length === 0 ? green('as installed') : `${changed.length} not as installed`;
  return `${lines.join('')}${summary}: ${count(audited.length - changed.length, 'tool')} unchanged\n`;
}

const isUnchanged = ({ state }: Data['audited'][number]): boolean => state === 'same';
