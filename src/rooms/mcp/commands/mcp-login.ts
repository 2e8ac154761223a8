import { logIn } from '../login-server.ts';
import { loginQuestion } from '../login-question.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { readOpenWaits } from '../../../kit/cli/find-run.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { requestRun } from '../../../kit/cli/run-requests.ts';
import { recordChange } from '../../../kit/cli/secret-changes.ts';

type Data = { server: string; issuer: string; expires: string | null; renewable: boolean; resumed: string[] };

export async function run(call: Call): Promise<Answer<Data>> {
  const { home, signal, rooms, notify } = call;
  const server = onlyOperand(call, 'server');
  await requireHome(home);
  const { issuer, expires, isRenewable, changes } = await logIn(home, server, {
    signal,
    rooms,
    show: (address) => notify(`Open this address in a browser on this machine to log in:\n${address.href}`),
  });
  for (const change of changes) await recordChange(call, change);
  return answer({ server, issuer, expires, renewable: isRenewable, resumed: await resumeWaiting(call, server) });
}

/** Answers the steps that wait for this login, so that they are done again. */
async function resumeWaiting(call: Call, server: string): Promise<string[]> {
  const { text } = loginQuestion(server);
  const waits = (await readOpenWaits(call.home)).filter(
    (open) => open.for.kind === 'question' && open.for.text === text,
  );
  for (const { wait } of waits)
    await requestRun(call, {
      kind: 'answer',
      wait,
      answer: { verdict: 'answered', text: 'logged in', by: operatorName() },
    });
  return waits.map(({ wait }) => wait);
}

export function render({ server, issuer, expires, renewable, resumed }: Data): string {
  const until = renewable || expires === null ? '' : ` It ends at ${expires}, and cannot be renewed without you.`;
  const going = resumed.length === 0 ? '' : `These go on: ${resumed.join(', ')}\n`;
  return `Logged in to ${server} at ${plainText(issuer)}.${until}\n${going}`;
}
