import { join } from 'node:path';
import { addTask } from '../../intake/add-task.ts';
import { lstatIfPresent } from '../../ledger/disk.ts';
import { OkaError } from '../../schema/errors.ts';
import { findRunName } from '../find-run.ts';
import { type Answer, answer, type Call } from '../command-module.ts';

type Data = { corrects: string; title: string };

export async function run(call: Call): Promise<Answer<Data>> {
  const { home, operands } = call;
  const [given, text] = operands;
  if (given === undefined || text === undefined || operands.length > 2)
    throw new OkaError('usage', 'say which run, and what is wrong with it', {
      fix: 'Such as: oka correct report-1 "the totals are in the wrong currency"',
    });
  const corrects = await findRunName(call, given);
  if (lstatIfPresent(join(home.workspace, 'outbox', corrects)) === undefined)
    throw new OkaError('refused', `"${corrects}" has no result yet`, {
      fix: `See how far it is: oka show ${corrects}`,
    });
  const title = `Correct ${corrects}: ${text.split('\n', 1)[0] ?? ''}`.slice(0, 200);
  addTask(join(home.workspace, 'inbox'), { text, fields: { corrects, title } });
  return answer({ corrects, title });
}

export const render = ({ title }: Data): string => `Added: ${title}\n`;
