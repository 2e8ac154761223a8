import { hash } from 'node:crypto';
import { OkaError } from '../../schema/errors.ts';
import { FactGiven } from '../../schema/memory.ts';
import { type Call, exits } from '../command.ts';
import { ask, saidDone } from '../memory.ts';
import { onlyOperand } from '../operands.ts';

export async function run(call: Call): Promise<number> {
  const fact = factOf(call);
  saidDone(call, await ask(call, { kind: 'remember', fact }), `Keeps in mind: ${fact.id}`, { fact });
  return exits.ok;
}

/** The same text in the same namespace is the same fact. */
function factOf(call: Call): FactGiven {
  const text = onlyOperand(call, 'the fact').trim();
  const namespace = call.text('namespace') ?? 'general';
  const read = FactGiven.safeParse({
    id: call.text('id') ?? `fact-${hash('sha256', `${namespace}\n${text}`).slice(0, 10)}`,
    namespace,
    text,
    source: 'person',
    confidence: 1,
    importance: shareOf(call, 'importance') ?? 0.5,
    supersedes: call.texts('supersedes'),
    ...expiryOf(call),
  });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new OkaError('usage', `the fact cannot be kept: ${issue?.path.join('.')}: ${issue?.message}`);
}

function shareOf(call: Call, option: string): number | undefined {
  const text = call.text(option);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new OkaError('usage', `--${option} is a number from 0 to 1, not "${text}"`);
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** --ttl 30d. */
function expiryOf(call: Call): { expires?: string } {
  const text = call.text('ttl');
  if (text === undefined) return {};
  const found = /^(\d{1,6})([smhdw])$/.exec(text);
  if (found === null)
    throw new OkaError('usage', `--ttl is how long it holds, not "${text}"`, { fix: 'Such as 90m, 12h, 30d or 8w.' });
  const ms = Number(found[1]) * (SECONDS[found[2] ?? 's'] ?? 1) * 1000;
  return { expires: new Date(Date.now() + ms).toISOString() };
}
