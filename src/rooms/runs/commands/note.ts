import type { SentNote } from '../send-note.ts';
import { askOrDo, withHost } from '../../../kit/cli/host-here.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import { lateAnswer } from '../../../core/schema/room.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import { renderSubmitted, requestOfWorker, type Submitted } from '../../../kit/cli/submitted.ts';

type Data = SentNote | Submitted;

export async function run(call: Call<{ stopAfterStep: boolean }>): Promise<Answer<Data>> {
  const { operands, home, signal } = call;
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
  return askOrDo(async () => {
    const asked = await requestOfWorker(call, intake);
    if (asked !== null) return answer(asked.done === undefined ? asked : (asked.done as SentNote));
    const sent = await withHost(home, signal, async (host) => lateAnswer(await host.handle(intake)));
    return answer(sent as SentNote);
  });
}

export const jsonLines = (data: Data): object[] => ['submitted' in data ? { submitted: data.submitted } : data];

export function render(data: Data): string {
  if ('submitted' in data) return renderSubmitted(data, 'pass the note on');
  const stop = data.stops ? 'It pauses when the step in progress has ended.\n' : '';
  if (data.read_by === 'worker') return `${stop}Noted; the worker reads it at its next turn.\n`;
  return data.stops ? stop : 'Noted in the ledger, but nobody reads it: the steps of this run are fixed.\n';
}
