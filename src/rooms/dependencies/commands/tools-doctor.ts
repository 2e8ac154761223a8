import { toolFindings } from '../tool-findings.ts';
import type { Finding } from '../../../core/schema/finding.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { renderFindings } from '../../../kit/cli/findings-text.ts';
import type { Terminal } from '../../../kit/cli/io.ts';

type Data = { findings: Finding[] };

export async function run({ home }: Call): Promise<Answer<Data>> {
  const findings = await toolFindings(home);
  return answer({ findings }, findings.some(({ state }) => state === 'bad') ? exits.no : exits.ok);
}

export const render = ({ findings }: Data, terminal: Terminal): string => renderFindings(findings, terminal);
