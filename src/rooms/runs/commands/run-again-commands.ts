/** Work on a run that is there: once more, corrected, from a step on, with a note. */
import { repeatTask } from '../repeat-task.ts';
import { eventsOfRun } from '../../../kit/runs/replay-runs.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { withReadingProgress } from '../../../kit/cli/reading-progress.ts';
import { findRunName, runOperand } from '../../../kit/cli/find-run.ts';
import type { SentNote } from '../send-note.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';
import { correctRun } from '../correct-run.ts';
import { startFork } from '../../../kit/cli/fork-runs.ts';
import { renderRequest, requestJson } from '../../../kit/cli/run-requests.ts';
import { flag, text } from '../../../kit/cli/options.ts';

const nodeInput = text('JSON', 'Another input for that node: JSON, a file, or - for stdin.');

const forkId = text('ID', 'Name of the new run (default: that of the run, with -fork).');

export const commands: Commands = {
  again: command({
    summary: 'Do the task of a run again, with the same text and files',
    operands: '<run>',
    example: 'oka again report-1a2b3c4d',
    run: async (call) => {
      const again = await runOperand(call);
      const { home } = call;
      const events = await withReadingProgress(call, (reading) => eventsOfRun(home, again, reading));
      const { name, title } = await repeatTask(home, again, events);
      return answer({ again, added: name, title, worker: penHolder(home.ledgers.run) !== null });
    },
    render: ({ title, worker }) =>
      `Added again: ${title}${worker ? '' : '\nNo worker is running; start one: oka up'}\n`,
  }),
  note: command({
    summary: 'Tell whoever works on a run something, or to stop after this step',
    operands: '<run> [text]',
    options: { 'stop-after-step': flag('Pause it when the step that is in progress has ended.') },
    example: 'oka note report-1a2b3c4d "also list the prices"',
    run: note,
    render: (data) => {
      const stop = data.stops ? 'It pauses when the step in progress has ended.\n' : '';
      if (data.read_by === 'worker') return `${stop}Noted; the worker reads it at its next turn.\n`;
      return data.stops ? stop : 'Noted in the ledger, but nobody reads it: the steps of this run are fixed.\n';
    },
  }),
  correct: command({
    summary: 'Say what is wrong with a finished run; it is done again accordingly',
    operands: '<run> <text>',
    example: 'oka correct report-1a2b3c4d "the totals are in the wrong currency"',
    run: async (call) => {
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
    },
    render: ({ title }) => `Added: ${title}\n`,
  }),
  fork: command({
    summary: 'Start at a step of an earlier task again, in a copy of the desk as it was then',
    operands: '<run>',
    options: { from: text('STEP', 'The step to start at; oka explain names them.'), input: nodeInput, id: forkId },
    example: 'oka fork count-apples --from step_2',
    run: async (call) => {
      const { from } = call.options;
      if (from === undefined)
        throw new OkaError('usage', 'say from which step: --from <step>', { fix: 'See the steps: oka explain <run>' });
      return startFork(call, await runOperand(call), from);
    },
    render: renderRequest,
    jsonLines: requestJson,
  }),
};

async function note(call: Call<{ stopAfterStep: boolean }>): Promise<Answer<SentNote>> {
  const { operands } = call;
  const [given, text = ''] = operands;
  const isStop = call.options.stopAfterStep;
  if (given === undefined || operands.length > 2 || (text.trim() === '' && !isStop))
    throw new OkaError('usage', 'say which run, and what its worker should know', {
      fix: 'Such as: oka note report-1 "also list the prices"',
    });
  const intake: Intake = {
    kind: 'note',
    run: await findRunName(call, given),
    text,
    ...(isStop ? { stop_after_step: true as const } : {}),
  };
  return answer((await carryOut(call, intake)) as SentNote);
}
