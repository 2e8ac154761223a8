/** What the commands about procedures have in common. */
import { join } from 'node:path';
import { submit } from '../intake/submit-request.ts';
import { penHolder } from '../ledger/pen.ts';
import { readEvents } from '../ledger/read.ts';
import { type KnownProcedure, learn, nothingLearned, proceduresIn } from '../memory/procedures/known.ts';
import { OkaError } from '../schema/errors.ts';
import type { ProcedureNumbers, ProcedureStatus } from '../schema/procedure.ts';
import { type Call, exits } from './command.ts';
import { onlyOperand } from './operands.ts';
import { green, red, yellow } from './plain-text.ts';

/** As the maintenance ledger says; pages are not looked at. */
export async function procedures({ home }: Pick<Call, 'home'>): Promise<KnownProcedure[]> {
  const learned = nothingLearned();
  for await (const event of readEvents(home.ledgers.maintenance)) learn(learned, event);
  return proceduresIn(learned).toSorted((a, b) => (a.procedure.id < b.procedure.id ? -1 : 1));
}

/** The one that is meant: its name, or the start of it. */
export async function procedureNamed(call: Call): Promise<KnownProcedure> {
  const name = onlyOperand(call, 'the name of a procedure');
  const all = await procedures(call);
  const meant = all.filter(({ procedure: { id } }) => id.startsWith(name));
  const found = all.find(({ procedure: { id } }) => id === name) ?? (meant.length === 1 ? meant[0] : undefined);
  if (found !== undefined) return found;
  const fix =
    meant.length > 1
      ? `Say which: ${meant.map(({ procedure: { id } }) => id).join(', ')}`
      : 'See which there are: oka procedures list --all';
  throw new OkaError('usage', `there is ${meant.length > 1 ? 'more than one' : 'no'} procedure "${name}"`, { fix });
}

/** Maintenance finds the wish in the ledger of the worker, and acts on it. */
export async function wish(call: Call, to: 'promoted' | 'demoted'): Promise<number> {
  const { procedure, status } = await procedureNamed(call);
  if (status === to) {
    call.out(call.json ? `${JSON.stringify({ procedure: procedure.id, status })}\n` : `It is ${to} already.\n`);
    return exits.ok;
  }
  const reason = (call.text('reason') ?? '').slice(0, 500);
  const id = submit(join(call.home.oka, 'intake'), { kind: 'procedure', procedure: procedure.id, to, reason });
  const when =
    penHolder(call.home.ledgers.run) === null
      ? 'when a worker runs and maintenance next looks'
      : 'when maintenance next looks';
  const mark = to === 'promoted' ? ' It is marked as put above the numbers.' : '';
  if (call.json) call.out(`${JSON.stringify({ procedure: procedure.id, to, submitted: id })}\n`);
  else call.out(`Asked for: ${procedure.id} becomes ${to} ${when} (oka maintain --once).${mark}\n`);
  return exits.ok;
}

export function coloured(status: ProcedureStatus): string {
  switch (status) {
    case 'promoted':
      return green(status);
    case 'candidate':
      return yellow(status);
    case 'demoted':
      return red(status);
    case 'retired':
      return status;
  }
}

export function numbersText(numbers: ProcedureNumbers): string[] {
  const side = ({ runs, fine, seconds, tokens }: ProcedureNumbers['with']): string =>
    [
      `${fine} of ${runs} fine`,
      ...(seconds === null ? [] : [`${rounded(seconds)} s`]),
      ...(tokens === null ? [] : [`${rounded(tokens)} tokens`]),
    ].join(', ');
  return [
    `successes     ${numbers.successes} that do not depend on each other`,
    `with it       ${side(numbers.with)}`,
    `without it    ${side(numbers.without)}`,
    `compared      ${numbers.wins} better, ${numbers.losses} worse; evidence ${rounded(numbers.e_value)}`,
    `contradicted  ${numbers.contradictions} lately; last validated ${numbers.last_validated ?? 'never'}`,
  ];
}

const rounded = (value: number): string => String(Math.round(value * 100) / 100);
