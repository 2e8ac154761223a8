import { type ModelTrial, tryModel } from '../try-model.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

export async function run(call: Call): Promise<Answer<ModelTrial>> {
  await requireHome(call.home);
  const [name, ...more] = call.operands;
  if (more.length > 0) throw new OkaError('usage', 'one model at a time is tested');
  const trial = await tryModel(call.home, { name, signal: call.signal, rooms: call.rooms });
  return answer(trial, trial.answered ? exits.ok : exits.no);
}

export function render(trial: ModelTrial, { green, red }: Terminal): string {
  const { model, address, ms } = trial;
  if (!trial.answered)
    return `${red('does not answer')}  ${plainText(trial.problem)}\n${trial.fix === null ? '' : `  ${plainText(trial.fix)}\n`}${costLine(trial)}`;
  const seconds = (ms / 1000).toFixed(1);
  return `${green('answers')}  ${model} at ${address}, after ${seconds} s: ${plainText(trial.text)}\n${costLine(trial)}`;
}

/** The call is not in the ledger, so this line is the only place where oka shows what it cost. */
function costLine({ usage }: ModelTrial): string {
  const tokens = (usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0);
  if (usage === undefined || tokens === 0) return '';
  const price = usage.usd === undefined ? '' : usage.usd === 0 ? ', free' : `, ${usage.usd.toFixed(6)} USD`;
  return `  ${tokens} tokens${price}; a test belongs to no run, so oka metrics does not count it.\n`;
}
