import { askOrDo, withHost } from '../../../kit/cli/host-here.ts';
import type { DeliveryOutcome } from '../../../core/schema/channel-port.ts';
import type { Json } from '../../../core/schema/json.ts';
import { lateAnswer } from '../../../core/schema/room.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { requestOfWorker } from '../../../kit/cli/submitted.ts';

type Data = { channel: string; arrived: boolean; problem: string | null };

/** A server that does not answer is given up on after a minute. */
const PATIENCE_MS = 70_000;

export async function run(call: Call): Promise<Answer<Data>> {
  const { home, signal, rooms, notify } = call;
  const channel = onlyOperand(call, 'channel');
  await requireHome(home);
  const intake = { kind: 'test_channel', channel } as const;
  const done = await askOrDo(async () => {
    const submitted = await requestOfWorker(call, intake, PATIENCE_MS);
    if (submitted !== null) return submitted.done;
    return withHost(home, signal, async (host) => lateAnswer(await host.handle(intake)), { warn: notify, rooms });
  });
  const outcome = toOutcome(done);
  const problem = outcome.status === 'failed' ? outcome.reason : null;
  return answer({ channel, arrived: problem === null, problem }, problem === null ? exits.ok : exits.no);
}

const toOutcome = (done: Json | undefined): DeliveryOutcome =>
  done === undefined ? { status: 'failed', reason: 'the worker has not answered in time' } : (done as DeliveryOutcome);

export function render({ channel, arrived, problem }: Data, { green, red }: Terminal): string {
  if (arrived) return `${green('ok')} a test message went through ${channel}\n`;
  return `${red('failed')} ${channel}: ${plainText(problem ?? '')}\n`;
}
