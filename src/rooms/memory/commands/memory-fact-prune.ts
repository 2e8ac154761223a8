import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { type Recorded, renderRecorded, requestMemory, withRecall } from '../memory-access.ts';
import { count } from '../../../kit/cli/plain-text.ts';

const AT_ONCE = 1000;

type Data = { forgot: string[] } & Partial<Recorded>;

export async function run(call: Call): Promise<Answer<Data>> {
  const { home } = call;
  const facts = await withRecall(home, (recall) => [...recall.facts.values()].map(({ fact }) => fact));
  const expired = facts.filter(({ expires }) => expires !== undefined && Date.parse(expires) <= Date.now());
  const forgot = expired.map(({ id }) => id).slice(0, AT_ONCE);
  if (forgot.length === 0) return answer({ forgot });
  return answer({ forgot, ...(await requestMemory(call, { kind: 'forget', facts: forgot, why: 'expired' })) });
}

export function render(data: Data): string {
  if (data.forgot.length === 0) return 'No fact has expired.\n';
  return renderRecorded(data, `Forgot ${count(data.forgot.length, 'expired fact')}.`);
}
