/** What the tests of the budget of a day share: a policy with one, a model whose answers cost the same, and its waits. */
import type { Story } from './story.ts';
import { acting, goal, inParts, plan } from './story-model.ts';
import type { WireScript } from './wire-server.ts';
import { call, type WireReply } from './wire-server-reply.ts';

export const USAGE = { in: 300, out: 200 };

export const withDayBudget =
  (limits: string) =>
  (policy: string): string =>
    policy.replace('approvals:', `day_budget: ${limits}\napprovals:`);

export const task = (id: string): string => `---\nid: ${id}\n---\nWrite patience into ${id}.txt.\n`;

/** Works well on the task "one", and every answer costs 500 tokens. */
export const good = paidFor(
  inParts({
    planner: () => plan([goal('write', 'Write it', ['files.write'])], ['contains: one.txt patience']),
    executor: acting(call('files_write', { path: 'one.txt', content: 'patience\n' })),
  }),
);

export function paidFor(script: WireScript): WireScript {
  return async (request) => paid(await script(request));
}

export function paid(reply: WireReply): WireReply {
  return reply.do === 'answer' ? { ...reply, usage: USAGE } : reply;
}

export const dayWaits = async (story: Story) =>
  (await story.eventsOf('wait.opened')).filter(
    ({ data }) => data.for.kind === 'timer' && data.for.day_budget !== undefined,
  );

export const firstWait = (story: Story) => story.until('a wait for the budget', async () => (await dayWaits(story))[0]);
