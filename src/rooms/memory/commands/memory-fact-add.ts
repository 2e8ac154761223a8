import { hash } from 'node:crypto';
import { OkaError } from '../../../core/schema/errors.ts';
import { FactGiven } from '../../../core/schema/memory.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { type Recorded, renderRecorded, requestMemory } from '../memory-access.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';

type Options = {
  namespace: string | undefined;
  importance: number | undefined;
  ttl: number | undefined;
  id: string | undefined;
  supersedes: readonly string[];
};
type Data = { fact: FactGiven } & Recorded;

export async function run(call: Call<Options>): Promise<Answer<Data>> {
  const fact = factOf(call);
  return answer({ fact, ...(await requestMemory(call, { kind: 'remember', fact })) });
}

export const render = (data: Data): string => renderRecorded(data, `Remembered: ${data.fact.id}`);

/** The same text in the same namespace is the same fact. */
function factOf(call: Call<Options>): FactGiven {
  const text = onlyOperand(call, 'the fact').trim();
  const { namespace = 'general', importance = 0.5, ttl, id, supersedes } = call.options;
  const read = FactGiven.safeParse({
    id: id ?? `fact-${hash('sha256', `${namespace}\n${text}`).slice(0, 10)}`,
    namespace,
    text,
    source: 'person',
    confidence: 1,
    importance,
    supersedes,
    ...(ttl === undefined ? {} : { expires: new Date(Date.now() + ttl).toISOString() }),
  });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new OkaError('usage', `the fact cannot be stored: ${issue?.path.join('.')}: ${issue?.message}`);
}
