import { OkaError } from '../../../core/schema/errors.ts';
import type { SecretUse } from '../../../core/schema/view-answers.ts';
import { secretUse } from '../../../kit/views/secret-view.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { fitText, plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { name: string | undefined; uses: SecretUse[] };

export async function run(call: Call<{ limit: number }>): Promise<Answer<Data>> {
  const { home, operands, options } = call;
  await requireHome(home);
  const [name, ...more] = operands;
  if (more.length > 0) throw new OkaError('usage', 'one name is enough');
  return answer({ name, uses: await readViews(call, (rows) => secretUse(rows, { name, limit: options.limit })) });
}

export const jsonLines = ({ uses }: Data): object[] => [{ uses }];

export function render({ name, uses }: Data, terminal: Terminal): string {
  if (uses.length === 0) return name === undefined ? 'No secret was used yet.\n' : `${name} was not used yet.\n`;
  return uses.map((use) => renderUse(use, terminal)).join('');
}

function renderUse({ at, name, version, tool, host, call, fingerprint }: SecretUse, { dim, width }: Terminal): string {
  const to = `${tool}${host === null ? '' : ` for ${host}`}`;
  const where = fitText(plainText(`${to}, call ${call}`), width - 50);
  return `${dim(at.slice(0, 19))}  ${name} v${version}  ${where}  ${dim(fingerprint.slice(0, 8))}\n`;
}
