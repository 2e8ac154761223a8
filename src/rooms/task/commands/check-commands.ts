/** What oka understands of a task. */
import { isDeskPath } from '../../../kit/desk/reach.ts';
import { previewTask, type StepPreview, type TaskPreview } from '../preview-task.ts';
import { roomsOf } from '../../../kit/house/house.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { additionFrom } from '../../../kit/cli/addition.ts';

/** A file that the inbox would reject has only the reason. */
type Data = TaskPreview | { refused: string };

/** Which line would let it run beside others; none for a task that names what it changes, or has a folder of its own. */
function placeLines({ fields: { dir, place, writes = [] }, files }: TaskPreview): string[] {
  const hasPlace = files.length > 0 || dir !== undefined || place === 'own' || writes.some(isDeskPath);
  return hasPlace ? [] : ['It works on the whole desk, and others wait: with "dir: photos" it runs beside them.'];
}

const NO_CRITERIA = 'No criteria: add "accept:" to say when it is done.';

export const commands: Commands = {
  check: command({
    summary: 'Say what oka understands of a task, and what is wrong with it, without doing it',
    operands: '<task>',
    example: 'oka check report.md',
    run: async (call: Call): Promise<Answer<Data>> => {
      const addition = await additionFrom(call);
      try {
        const task = await previewTask(call.home, addition, await roomsOf(call.rooms));
        return answer(task, task.problems.length === 0 ? exits.ok : exits.no);
      } catch (error) {
        if (error instanceof OkaError && error.code === 'invalid-file')
          return answer({ refused: error.message }, exits.no);
        throw error;
      }
    },
    render: (data: Data, terminal: Terminal): string => {
      if ('refused' in data) return terminal.red(`oka would not take this: ${data.refused}\n`);
      return renderPreview(data, terminal);
    },
  }),
};

function renderPreview(task: TaskPreview, { bold, dim, green, red, yellow }: Terminal): string {
  const { kind, steps, criteria, files, notes, problems } = task;
  const about =
    problems.length > 0
      ? 'cannot be read as it is'
      : kind === 'prose'
        ? `plain prose; a language model plans the steps (${task.why})`
        : `a runbook with ${count(steps.length, 'step')} (${task.why})`;
  const lines = [
    `${bold(plainText(task.title))}: ${about}`,
    ...steps.map((step, index) => `  ${index + 1}. ${describeStep(step)} ${dim(`line ${step.line}`)}`),
    ...Object.entries(task.fields).map(([field, value]) => `  ${field}: ${plainText(JSON.stringify(value))}`),
    ...scheduleLines(task),
    ...placeLines(task).map(dim),
    ...(files.length === 0 ? [] : [`Files next to it: ${files.map(plainText).join(', ')}`]),
    ...(criteria.length === 0 ? [dim(NO_CRITERIA)] : ['Done when:']),
    ...criteria.map(({ text, judge }) => `  - ${plainText(text)}${judge === 'model' ? dim(' (a model judges)') : ''}`),
    ...modelLines(task).map(yellow),
    ...notes.map((note) => yellow(`Note: ${plainText(note)}`)),
    ...problems.map(({ line, problem }) => red(`${line === null ? '' : `Line ${line}: `}${plainText(problem)}`)),
    problems.length === 0 ? green('oka can take this task.') : red('oka could not do this task.'),
  ];
  return `${lines.join('\n')}\n`;
}

function scheduleLines({ schedule }: TaskPreview): string[] {
  if (schedule === null) return [];
  if (schedule.next.length === 0) return ['None of its times is still to come.'];
  return [`Next times (${schedule.timezone}):`, ...schedule.next.map((each) => `  ${each}`)];
}

function describeStep({ title, language, net }: StepPreview): string {
  const network = net === false ? '' : net === true ? ', with the network' : `, reaches ${net.join(', ')}`;
  return `${plainText(title)} (${language}${network})`;
}

function modelLines({ model, problems }: TaskPreview): string[] {
  if (!model.needed) return [];
  if (model.set === null && problems.length > 0) return [];
  return model.set === null
    ? ['It needs a language model, and none is set: it would wait until there is one (OKA_MODEL).']
    : [`It needs a language model: ${model.set}`];
}
