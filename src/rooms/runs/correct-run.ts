/** Owns: correcting the result of a run: a new task in the inbox that names it, and works where it worked. */
import { join } from 'node:path';
import { addTask } from '../../kit/inbox/add-task.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { parseRunbook } from '../../kit/task/runbook.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import type { TaskFile } from '../../core/schema/task-file.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import type { HouseRoom } from '../../kit/house/house.ts';

type Correction = { home: Home; run: string; text: string; rooms?: readonly HouseRoom[] | undefined };

/** `eventsOf` reads the events of the run; only a correction that is accepted needs them. */
export async function correctRun(
  { home, run, text, rooms }: Correction,
  eventsOf: () => Promise<readonly Event[]>,
): Promise<{ title: string }> {
  if (lstatIfPresent(join(home.workspace, 'outbox', run)) === undefined)
    throw new OkaError('refused', `"${run}" has no result yet`, { fix: `See how far it is: oka show ${run}` });
  await assertPlannable({ home, run, text, rooms });
  const title = `Correct ${run}: ${text.split('\n', 1)[0] ?? ''}`.slice(0, 200);
  addTask(join(home.workspace, 'inbox'), {
    text,
    fields: { ...carriedFields(await eventsOf()), corrects: run, title },
  });
  return { title };
}

/** Where the corrected run worked, and with what: the correction may use the same, and nothing has to be said twice. */
function carriedFields(events: readonly Event[]): Partial<TaskFile> {
  const started = events.find((event) => event.type === 'run.started');
  const given = started?.type === 'run.started' ? (started.data.input as Partial<TaskGiven> | null) : null;
  const { reads, writes, requires, model, mode } = given?.fields ?? {};
  const carried = { dir: given?.dir ?? undefined, reads, writes, public: given?.fields?.public, requires, model, mode };
  return Object.fromEntries(Object.entries(carried).filter(([, value]) => value !== undefined));
}

/** Words are planned by a model; a correction that could only wait for one is refused before anything is done. */
async function assertPlannable({ home, run, text, rooms }: Correction): Promise<void> {
  const kind = parseRunbook(text, {})?.kind;
  if (kind === 'runbook' || kind === 'problems') return;
  const { hasPlanner } = await import('../../kit/models/configured-models.ts');
  if (await hasPlanner(home, rooms)) return;
  throw new OkaError('refused', 'a correction in words needs a model, and none is set up; nothing was done', {
    fix: `Set one up: oka model setup. Or give the corrected steps as a code block: oka correct ${run} '\`\`\`bash … \`\`\`'`,
  });
}
