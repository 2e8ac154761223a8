/** What the commands about procedures have in common. */
import { recordRequest } from '../../kit/cli/carry-out.ts';
import type { KnownProcedure } from '../../kit/learning/known-procedures.ts';
import { knownProcedures } from '../../kit/learning/procedure-rows.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { ProcedureNumbers, ProcedureStatus } from '../../core/schema/procedure.ts';
import { type Answer, answer, type Call } from '../../kit/cli/command-module.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { onlyOperand } from '../../kit/cli/operands.ts';
import { readViews } from '../../kit/cli/read-views.ts';

/** All procedures according to the ledger, sorted by id; pages are not read. */
export async function listProcedures(
  call: Pick<Call, 'home' | 'progress' | 'rooms' | 'signal'>,
): Promise<KnownProcedure[]> {
  return readViews(call, knownProcedures);
}

/** The procedure with the given name, or the only one whose name begins with it. */
export async function findProcedure(
  call: Pick<Call, 'home' | 'operands' | 'progress' | 'rooms' | 'signal'>,
): Promise<KnownProcedure> {
  const name = onlyOperand(call, 'the name of a procedure');
  const all = await listProcedures(call);
  const matching = all.filter(({ procedure: { id } }) => id.startsWith(name));
  const found = all.find(({ procedure: { id } }) => id === name) ?? (matching.length === 1 ? matching[0] : undefined);
  if (found !== undefined) return found;
  const fix =
    matching.length > 1
      ? `Name one of: ${matching.map(({ procedure: { id } }) => id).join(', ')}`
      : 'List them: oka procedures list --all';
  throw new OkaError('usage', `there is ${matching.length > 1 ? 'more than one' : 'no'} procedure "${name}"`, { fix });
}

type StatusRequest =
  | { procedure: string; status: ProcedureStatus }
  | { procedure: string; to: 'promoted' | 'demoted'; requested: true };

/** Recorded in the run ledger, from which maintenance reads it and acts on it. */
export async function requestStatus(
  call: Call<{ reason: string | undefined }>,
  to: 'promoted' | 'demoted',
): Promise<Answer<StatusRequest>> {
  const { options } = call;
  const { procedure, status } = await findProcedure(call);
  if (status === to) return answer({ procedure: procedure.id, status });
  const reason = (options.reason ?? '').slice(0, 500);
  await recordRequest(call, { kind: 'procedure', procedure: procedure.id, to, reason });
  return answer({ procedure: procedure.id, to, requested: true });
}

export function renderStatusRequest(data: StatusRequest): string {
  if ('status' in data) return `It is ${data.status} already.\n`;
  const mark = data.to === 'promoted' ? ' It is marked as set by a person, overriding the numbers.' : '';
  return `Requested: ${data.procedure} becomes ${data.to} at the next pass of maintenance (oka maintain --once).${mark}\n`;
}

export function colourStatus(status: ProcedureStatus, { green, yellow, red }: Terminal): string {
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

export function numberLines(numbers: ProcedureNumbers): string[] {
  const side = ({ runs, fine, seconds, tokens }: ProcedureNumbers['with']): string =>
    [
      `${fine} of ${runs} fine`,
      ...(seconds === null ? [] : [`${roundValue(seconds)} s`]),
      ...(tokens === null ? [] : [`${roundValue(tokens)} tokens`]),
    ].join(', ');
  return [
    `successes     ${numbers.successes} that do not depend on each other`,
    `with it       ${side(numbers.with)}`,
    `without it    ${side(numbers.without)}`,
    `compared      ${numbers.wins} better, ${numbers.losses} worse; evidence ${roundValue(numbers.e_value)}`,
    `contradicted  ${numbers.contradictions} lately; last validated ${numbers.last_validated ?? 'never'}`,
  ];
}

const roundValue = (value: number): string => String(Math.round(value * 100) / 100);
