import { correctRun } from '../correct-run.ts';
import { eventsOfRun } from '../../../kit/runs/replay-runs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { withReadingProgress } from '../../../kit/cli/reading-progress.ts';

type Data = { corrects: string; title: string };

export async function run(call: Call): Promise<Answer<Data>> {
  const { home, operands, rooms } = call;
  const [given, text] = operands;
  if (given === undefined || text === undefined || operands.length > 2)
    throw new OkaError('usage', 'say which run, and what is wrong with it', {
      fix: 'Such as: oka correct report-1 "the totals are in the wrong currency"',
    });
  const corrects = await findRunName(call, given);
  const eventsOf = (): ReturnType<typeof eventsOfRun> =>
    withReadingProgress(call, (reading) => eventsOfRun(home, corrects, reading));
  const { title } = await correctRun({ home, run: corrects, text, rooms }, eventsOf);
  return answer({ corrects, title });
}

export const render = ({ title }: Data): string => `Added: ${title}\n`;
