import { join } from 'node:path';
import { eventsOfRun } from '../../daemon/home/replay-runs.ts';
import { addTask } from '../../intake/add-task.ts';
import { lstatIfPresent } from '../../ledger/disk.ts';
import { parseRunbook } from '../../roles/runbook.ts';
import { OkaError } from '../../schema/errors.ts';
import type { TaskFile } from '../../schema/task-file.ts';
import type { TaskGiven } from '../../schema/task-run.ts';
import { findRunName } from '../find-run.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { withReadingProgress } from '../read-views.ts';

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
  await assertPlannable(call, corrects, text);
  const title = `Correct ${corrects}: ${text.split('\n', 1)[0] ?? ''}`.slice(0, 200);
  const fields = { ...(await carriedFields(call, corrects)), corrects, title };
  addTask(join(home.workspace, 'inbox'), { text, fields });
  return answer({ corrects, title });
}

/** Where the corrected run worked, and with what: the correction may use the same, and nothing has to be said twice. */
async function carriedFields(call: Call, run: string): Promise<Partial<TaskFile>> {
  const events = await withReadingProgress(call, (reading) => eventsOfRun(call.home, run, reading));
  const started = events.find((event) => event.type === 'run.started');
  const given = started?.type === 'run.started' ? (started.data.input as Partial<TaskGiven> | null) : null;
  const { reads, writes, requires, model, mode } = given?.fields ?? {};
  const carried = { dir: given?.dir ?? undefined, reads, writes, public: given?.fields?.public, requires, model, mode };
  return Object.fromEntries(Object.entries(carried).filter(([, value]) => value !== undefined));
}

/** Words are planned by a model; a correction that could only wait for one is refused before anything is done. */
async function assertPlannable({ home, rooms }: Call, run: string, text: string): Promise<void> {
  if (parseRunbook(text, {}) !== null) return;
  const { hasPlanner } = await import('../../daemon/network/configured-models.ts');
  if (await hasPlanner(home, rooms)) return;
  throw new OkaError('refused', 'a correction in words needs a model, and none is set up; nothing was done', {
    fix: `Set one up: oka model setup. Or give the corrected steps as a code block: oka correct ${run} '\`\`\`bash … \`\`\`'`,
  });
}

export const render = ({ title }: Data): string => `Added: ${title}\n`;
