import { readEvents } from '../../ledger/read.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Event } from '../../schema/event.ts';
import { type Answer, answer, type Call } from '../command.ts';
import type { Terminal } from '../io.ts';
import { fitText, plainText } from '../plain-text.ts';
import { requireHome } from '../require-home.ts';

type SecretUse = { at: string; run: string | null } & Extract<Event, { type: 'secret.used' }>['data'];
type Data = { name: string | undefined; uses: SecretUse[] };

export async function run({ home, operands, options }: Call<{ limit: number }>): Promise<Answer<Data>> {
  requireHome(home);
  const [name, ...more] = operands;
  if (more.length > 0) throw new OkaError('usage', 'one name is enough');
  const uses: SecretUse[] = [];
  for await (const event of readEvents(home.ledgers.run, { type: 'secret.used' })) {
    if (event.type !== 'secret.used' || (name !== undefined && event.data.name !== name)) continue;
    uses.push({ at: event.at, run: event.run, ...event.data });
    if (options.limit > 0 && uses.length > options.limit) uses.shift();
  }
  return answer({ name, uses });
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
