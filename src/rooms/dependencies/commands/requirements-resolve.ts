import { askOrDo, withHost } from '../../../kit/cli/host-here.ts';
import { ports } from '../../../kit/ports/room-ports.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { renderSubmitted, type Submitted, submitToWorker } from '../../../kit/cli/submitted.ts';

type Data = (Submitted & { name: string }) | { name: string; there: boolean; seen: string; went_on: string[] };

export const run = (call: Call): Promise<Answer<Data>> => askOrDo(() => resolve(call));

async function resolve(call: Call): Promise<Answer<Data>> {
  const { home, signal } = call;
  const name = onlyOperand(call, 'name');
  const submitted = await submitToWorker(home, { kind: 'resolve', name, by: 'a person' });
  if (submitted !== null) return answer({ ...submitted, name });
  const { there, seen, drives } = await withHost(home, signal, async ({ engine, valuesOf }) => {
    const { deps } = valuesOf({ deps: ports.deps });
    const resolved = await deps.resolve(name, 'a person');
    await engine.whenIdle();
    return resolved;
  });
  const data = { name, there, seen, went_on: drives.map(({ run: { id } }) => id) };
  return answer(data, there ? exits.ok : exits.no);
}

export const jsonLines = (data: Data): object[] => ['submitted' in data ? { submitted: data.submitted } : data];

export function render(data: Data, { green, yellow }: Terminal): string {
  if ('submitted' in data) return renderSubmitted(data, `check for ${plainText(data.name)}`);
  const seen = plainText(data.seen);
  if (!data.there) return `${yellow('still missing')}  ${seen}\n`;
  return `${green('there')}  ${seen}; ${count(data.went_on.length, 'run')} went on\n`;
}
