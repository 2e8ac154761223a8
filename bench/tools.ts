/** What tools of servers and skills cost in a prompt, and how often the right tool is shown. */
import { offerChoice } from '../src/rooms/offers/choose-offers.ts';
import { toolRegistry } from '../src/core/engine/tool-registry.ts';
import { createTokenCounter } from '../src/kit/text/tokens.ts';
import { plannerRequest } from '../src/rooms/task/roles/planner.ts';
import { toolsSearchTool } from '../src/rooms/offers/tools-search.ts';
import { labelledTasks, serverTools } from '../test/support/offers.ts';
import { thirtySkills } from '../test/support/skills.ts';
import { type Figure, median } from './figure.ts';

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  const counter = await createTokenCounter('openai');
  const servers = serverTools();
  const search = toolsSearchTool(() => ({ tools: [], skills: [] }));
  const withTools = offerChoice({ tools: toolRegistry([search, ...servers]), skills: () => [] });
  const withSkills = offerChoice({ tools: toolRegistry([search]), skills: thirtySkills });
  const without = offerChoice({ tools: toolRegistry([search]), skills: () => [] });
  const tokens = (choice: typeof without, task: string, run: string): number => {
    const { tools, ...offers } = choice.forPlan(run, task);
    const { messages } = plannerRequest({ task: { title: '', text: task, criteria: [] }, pack: '', tools, offers });
    return counter.count(messages.map(({ text }) => text).join('\n'));
  };
  const known = labelledTasks('tasks');
  const fresh = labelledTasks('held-out-tasks');
  note(`${servers.length} tools, ${known.length} and ${fresh.length} tasks, 30 skills`);
  const costs = [...known, ...fresh].map(({ task }, at) => ({
    tools: tokens(withTools, task, `t${at}`) - tokens(without, task, `w${at}`),
    skills: tokens(withSkills, task, `s${at}`) - tokens(without, task, `w${at}`),
  }));
  const hits = (tasks: typeof known): number =>
    tasks.filter(({ task, tools }, at) =>
      withTools
        .forPlan(`${tasks.length}-${at}`, task)
        .servers.slice(0, 5)
        .some(({ name }) => tools.includes(name)),
    ).length / tasks.length;
  const started = performance.now();
  for (const [at, { task }] of known.entries()) withTools.forPlan(`speed${at}`, task);
  const ms = (performance.now() - started) / known.length;
  return [
    {
      name: 'tools_tokens_most',
      value: Math.max(...costs.map(({ tools }) => tools)),
      unit: 'tokens',
      bar: { most: 600 },
      about: `the most that ${servers.length} tools of servers add to a plan`,
    },
    {
      name: 'tools_tokens_median',
      value: median(costs.map(({ tools }) => tools)),
      unit: 'tokens',
      about: 'the same, for the median task',
    },
    {
      name: 'tools_first_five',
      value: 100 * hits(known),
      unit: '%',
      bar: { least: 90 },
      about: 'tasks for which the right tool is among the first five',
    },
    {
      name: 'tools_first_five_held_out',
      value: 100 * hits(fresh),
      unit: '%',
      bar: { least: 90 },
      about: 'the same for tasks that were not used to choose words and weights',
    },
    {
      name: 'skills_tokens_most',
      value: Math.max(...costs.map(({ skills }) => skills)),
      unit: 'tokens',
      bar: { most: 400 },
      about: 'the most that 30 skills add to a plan',
    },
    { name: 'tools_choose_ms', value: ms, unit: 'ms', bar: { most: 20 }, about: 'choosing for one plan' },
  ];
}
