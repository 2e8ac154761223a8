/** One run: its result, or where it stands. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lstatIfPresent } from '../../../core/ledger/disk.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { ID_SHAPE } from '../../../core/schema/id-shape.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { type RunRow, storedRun } from '../../../kit/views/run-rows.ts';
import { statusForPeople } from '../../../kit/views/run-status.ts';
import { isOver } from '../../../core/engine/run-state.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { describeLink, describeWait } from '../../../kit/views/event-sentence.ts';
import { type FollowedRun, joinPieces, renderFollowed } from '../../../kit/cli/followed-run.ts';
import { readRuns } from '../../../kit/cli/read-one-view.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { flag } from '../../../kit/cli/options.ts';

type Shown = { run: string; goal: RunRow | null; result: { file: string; text: string } | null };

type Data = Shown | FollowedRun;

const LONGEST_WAIT_MS = 10_000;

const POLL_MS = 50;

export const commands: Commands = {
  show: command({
    summary: 'Show the result of a run, or where it stands',
    operands: '<run>',
    options: { follow: flag('Show what it does and what it writes until it has ended; Ctrl-C ends this.') },
    example: 'oka show welcome-1a2b3c4d',
    run: show,
    render: (data, terminal) => {
      const { bold, dim } = terminal;
      if ('event' in data || 'live' in data) return renderFollowed(data, terminal);
      const { goal, result } = data;
      if (result !== null) return `${result.text}${dim(result.file)}\n`;
      if (goal === null) return '';
      const lines = [
        `${bold(plainText(goal.title))}  ${goal.status}, ${goal.state}`,
        ...(goal.link === undefined ? [] : [`  ${describeLink(goal.link)}`]),
        ...goal.nodes.map((node) => `  ${node.status.padEnd(8)} ${plainText(node.title)}`),
        ...goal.waits.map((wait) => `  waits for ${plainText(describeWait(wait.for))}`),
      ];
      return `${lines.join('\n')}\n`;
    },
    jsonLines: (data) => {
      if ('event' in data) return [data.event];
      if ('live' in data) return [data.live];
      return [{ run: data.run, goal: data.goal, result: data.result === null ? null : data.result.file }];
    },
  }),
};

/** The page of a task is written right after its last event; a worker that was killed leaves that to the next one. */
async function untilResultIsWritten({ oka }: Home, id: string, signal: AbortSignal): Promise<void> {
  const { pendingResultsIn } = await import('../../../kit/runs/pending-results.ts');
  const pending = pendingResultsIn(join(oka, 'state', 'untold'));
  for (let waited = 0; waited < LONGEST_WAIT_MS && !signal.aborted; waited += POLL_MS) {
    if (!pending.runs().includes(id)) return;
    await sleep(POLL_MS);
  }
}

async function findRun(call: Call<{ follow: boolean }, Data>, id: string): Promise<Shown> {
  const goal = await readRuns(call, (rows) => goalOf(rows, id));
  const file = join(call.home.workspace, 'outbox', id, 'RESULT.md');
  const result = hasResult(call.home, id) ? { file, text: readFileSync(file, 'utf8') } : null;
  if (goal === null && result === null)
    throw new OkaError('no-such-run', `there is no run "${id}"`, { fix: 'List the runs: oka runs' });
  return { run: id, goal, result };
}

function goalOf(rows: Rows, id: string): RunRow | null {
  const row = storedRun(rows, id);
  return row === undefined ? null : { ...row, status: statusForPeople(rows, row) };
}

const hasResult = ({ workspace }: Home, run: string): boolean =>
  lstatIfPresent(join(workspace, 'outbox', run, 'RESULT.md'))?.isFile() === true;

/** The result if there is one; else the state of the run. */
async function show(call: Call<{ follow: boolean }, Data>): Promise<Answer<Data>> {
  const given = onlyOperand(call, 'run');
  if (!ID_SHAPE.test(given)) throw new OkaError('usage', `"${given}" is not the name of a run`);
  const id = hasResult(call.home, given) ? given : await findRunName(call, given);
  const shown = await findRun(call, id);
  if (!call.options.follow || shown.goal === null || isOver(shown.goal.status)) return answer(shown);
  const { followRun } = await import('../../../kit/cli/follow-run.ts');
  const { emit, flush } = call.json ? { emit: call.emit, flush: () => undefined } : joinPieces(call.emit);
  await followRun(call.home, id, call.signal, emit);
  flush();
  await untilResultIsWritten(call.home, id, call.signal);
  return call.signal.aborted ? { code: exits.interrupted } : answer(await findRun(call, id));
}
