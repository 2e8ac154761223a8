/** A graph from a description. */
import { createGraph } from '../graph-history.ts';
import { checkGraphValue, fileOfGraph } from '../../../kit/graphs/graph-files.ts';
import { carryOutRun } from '../../../kit/cli/await-run.ts';
import { nodeKinds, toolNamesIn } from '../../../kit/house/room-contributions.ts';
import { shownPath } from '../../../kit/settings.ts';
import { buildGraph } from '../kinds/build-graph.ts';
import { builderPrompt, type BuilderTask, readBuiltGraph, type RejectedAnswer } from '../kinds/graph-builder.ts';
import { replaceFile } from '../../../core/ledger/disk.ts';
import { jsonSchemaOf } from '../../../core/schema/catalog.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Graph } from '../../../core/schema/graph.ts';
import type { Json } from '../../../core/schema/json.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Simulation } from '../../../core/engine/simulate-graph.ts';
import { outputSchemas, renderSimulation, simulatedTools, simulateGraph } from '../graph-simulation.ts';
import type { OutputSchemas } from '../../../core/engine/data-contract.ts';
import type { Tool } from '../../../core/schema/tool.ts';
import { toMermaid } from '../../../kit/views/picture/diagram-text.ts';
import { pictureOf } from '../../../kit/views/picture/graph-picture.ts';
import { toSvg } from '../../../kit/views/picture/svg.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { renderGraph } from '../graph-text.ts';
import { nearestTemplate } from '../starter-graphs.ts';
import { flag, text } from '../../../kit/cli/options.ts';
import {
  previewSchedule,
  recordSchedules,
  scheduleExists,
  writeSchedule,
} from '../../../kit/schedule/save-schedule.ts';
import { scheduleWordsIn } from '../../../kit/schedule/schedule-rule.ts';

/** After the first answer. */
const MOST_REPAIRS = 3;

const LONGEST_NAME = 40;

type Options = { as: string | undefined; save: boolean; model: string | undefined; picture: string | undefined };

type GraphValue = { [field: string]: Json };

/** `fallback`: no model wrote it; it is this template, for this reason. */
type Built = { graph: GraphValue; lowered: Graph; attempts: number; fallback?: { template: string; why: string } };

/** When the words say it is to run; `problem`: why that cannot be saved as a schedule. */
type Times = { every: string; timezone: string; next: string[] } | { problem: string };

type Data =
  | (Built & { simulation: Simulation; picture: string; file: string | null; schedule?: Times; scheduled?: string })
  | { name: string; file: string | null; isAsked: boolean; fallback?: string | undefined; scheduled?: string };

export const commands: Commands = {
  'graph build': command({
    summary: 'Let a model write a graph; you see what it would do before it is saved',
    operands: '<intent>',
    options: {
      as: text('ID', 'Name of the graph (default: the first words).'),
      save: flag('Save it without asking.'),
      picture: text('FILE', 'Draw it as SVG, too.'),
      model: text('NAME', 'Another model, provider:model.'),
    },
    example: 'oka graph build "append the titles of new.rss to news.md, each once"',
    run: graphBuild,
    render: (data, terminal) => {
      if ('lowered' in data)
        return `${fallbackText(data)}${renderGraph(data.lowered, terminal)}\n${data.picture}\n${renderSimulation(data.lowered.id, data.simulation, terminal)}\n${timesText(data)}`;
      const { name, file, isAsked, fallback, scheduled } = data;
      const beside = scheduled === undefined ? '' : `, its times as ${scheduled}`;
      if (file !== null) return `${terminal.green('Saved')} as ${file}${beside}. Run it with: oka graph run ${name}\n`;
      if (fallback !== undefined) return `Nothing was saved. To begin with the template: oka graph new ${fallback}\n`;
      return isAsked ? 'It was not saved.\n' : 'Nothing was saved; add --save to save it.\n';
    },
    jsonLines: (data) => {
      if (!('lowered' in data)) return [data];
      const { lowered: _, ...rest } = data;
      return [rest];
    },
  }),
};

/** Asks the model, and asks again with what is wrong. */
async function buildUntilSound(call: Call<Options, Data>, intent: string, id: string): Promise<Built> {
  const { home, rooms } = call;
  const kinds = await nodeKinds(rooms);
  const names = await toolNamesIn(home, rooms);
  const tools = await simulatedTools(call);
  const outputs = outputSchemas(tools);
  const task: BuilderTask = { intent, id, kinds, tools: toolsFor(tools) };
  const started = Date.now().toString(36);
  let rejected: RejectedAnswer | null = null;
  for (let attempts = 1; attempts <= 1 + MOST_REPAIRS; attempts += 1) {
    const input = { prompt: [builderPrompt(task, rejected)], format: 'text', ...modelOf(call.options) };
    const run = `build-${started}-${attempts}`;
    const settled = await carryOutRun(call, { kind: 'run_graph', id: run, graph: buildGraph.id, input }, run);
    if (settled === null) throw new OkaError('in-doubt', `the run ${run} has not begun`);
    const text = answerText(settled.ended);
    const found = judge(text, id, { names, kinds, outputs });
    if (!('problems' in found)) return { ...found, attempts };
    rejected = { text, problems: found.problems };
  }
  throw cannotBeBuilt(rejected?.problems ?? []);
}

function timesText({ schedule }: { schedule?: Times }): string {
  if (schedule === undefined) return '';
  if ('problem' in schedule) return `It is saved without a schedule: ${schedule.problem}\n`;
  const { every, timezone, next } = schedule;
  return [`It is to run ${every}, next (${timezone}):`, ...next.map((each) => `  ${each}`), ''].join('\n');
}

/** The times that the words name, as they would be saved beside the graph. */
function timesOf({ home }: Call<Options, Data>, intent: string, name: string, graph: Graph): Times | undefined {
  const found = scheduleWordsIn(intent);
  if (found === null) return undefined;
  const add = `oka graph schedule add ${name} --every "monday 08:00"`;
  if ('problem' in found) return { problem: `${found.problem}. Say when: ${add}` };
  if (JSON.stringify(graph.nodes).includes('{{input'))
    return { problem: `it takes an input, which its schedule has to give: ${add} --input '{…}'` };
  if (scheduleExists(home, `${name}.json`)) return { problem: `workspace/schedules/${name}.json exists already` };
  return { every: found.every, ...previewSchedule({ every: found.every }, name) };
}

/** Beside a graph that was saved; says where. */
async function saveTimes(call: Call<Options, Data>, name: string, times: Times | undefined): Promise<string | null> {
  if (times === undefined || 'problem' in times) return null;
  writeSchedule(call.home, `${name}.json`, `${JSON.stringify({ graph: name, every: times.every }, null, 2)}\n`);
  await recordSchedules(call);
  return `workspace/schedules/${name}.json`;
}

function fallbackText({ fallback }: Built): string {
  if (fallback === undefined) return '';
  const { template, why } = fallback;
  return `This is no graph for your words, but the nearest template, ${template}, since ${why}. Change it before you use it.\n\n`;
}

/** Without a model that can write it: the nearest template, checked like everything else. */
async function builtFromTemplate(
  { home, rooms }: Call<Options, Data>,
  intent: string,
  name: string,
  error: unknown,
): Promise<Built> {
  const nearest = error instanceof OkaError && error.code === 'refused' ? nearestTemplate(intent, name) : null;
  if (nearest === null) throw error;
  const graph = JSON.parse(nearest.text) as GraphValue;
  const { graph: lowered, problems } = checkGraphValue(
    graph,
    nearest.template,
    await toolNamesIn(home, rooms),
    await nodeKinds(rooms),
  );
  if (problems.length > 0) throw error;
  const why = messageOf(error).split('\n', 1)[0] ?? '';
  return { graph, lowered, attempts: 0, fallback: { template: nearest.template, why } };
}

/** The tools that a graph of a person may call. */
function toolsFor(all: readonly Tool[]): BuilderTask['tools'] {
  return all
    .filter(({ internal }) => internal !== true)
    .map(({ name, about, input }) => ({ name, about, input: jsonSchemaOf(input) }));
}

const modelOf = ({ model }: Options): { model?: string } => (model === undefined ? {} : { model });

function answerText({ status, reason, output }: { status: string; reason: string | null; output: Json }): string {
  if (status === 'done') return typeof output === 'string' ? output : JSON.stringify(output);
  throw new OkaError('refused', `the model could not be asked: ${(reason ?? status).replace(/^write: /, '')}`, {
    fix: 'Set one up with oka model setup, or begin with a template, which needs no model: oka graph new',
  });
}

/** What there is to build a graph of. */
type Known = { names: readonly string[]; kinds: Awaited<ReturnType<typeof nodeKinds>>; outputs: OutputSchemas };

/** The graph of an answer, or everything that is wrong with it. A graph that a model wrote says so. */
function judge(
  text: string,
  id: string,
  { names, kinds, outputs }: Known,
): { graph: GraphValue; lowered: Graph } | { problems: string[] } {
  const read = readBuiltGraph(text);
  if ('problem' in read) return { problems: [read.problem] };
  const graph = { ...read.graph, id, author: 'model' };
  try {
    const { graph: lowered, problems } = checkGraphValue(graph, 'the answer', names, kinds, outputs);
    if (problems.length === 0) return { graph, lowered };
    return {
      problems: problems.map(({ path, problem, fix }) => `${path}: ${problem}${fix === undefined ? '' : `. ${fix}`}`),
    };
  } catch (error) {
    return { problems: [messageOf(error)] };
  }
}

function cannotBeBuilt(problems: readonly string[]): OkaError {
  const lines = problems.slice(0, 20).map((problem) => `  ${problem}`);
  return new OkaError(
    'refused',
    `the model answered ${1 + MOST_REPAIRS} times what is no sound graph:\n${lines.join('\n')}`,
    {
      fix: 'Say it more exactly, use a larger model (--model), or begin with a template: oka graph new',
    },
  );
}

/** The first words of the intent, such as watch-the-price. */
function nameFrom(intent: string): string {
  const words = intent.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  let name = '';
  for (const word of words) {
    if (name.length + word.length >= LONGEST_NAME) break;
    name = name === '' ? word : `${name}-${word}`;
  }
  return name === '' ? 'graph' : name;
}

async function isConfirmed(
  { openDialog }: Call<Options, Data>,
  name: string,
  schedule: Times | undefined,
): Promise<boolean> {
  const dialog = await openDialog?.();
  const beside = schedule === undefined || 'problem' in schedule ? '' : ', with its times,';
  return /^y(es)?$/i.test((await dialog?.ask(`Save it${beside} as workspace/graphs/${name}.json? [y/N] `)) ?? '');
}

async function graphBuild(call: Call<Options, Data>): Promise<Answer<Data>> {
  const { home, options, json } = call;
  await requireHome(home);
  const intent = call.operands.join(' ').trim();
  if (intent === '') throw new OkaError('usage', 'say what the graph is to do');
  const name = options.as ?? nameFrom(intent);
  const file = fileOfGraph(home, name);
  if (file === null) throw new OkaError('usage', `"${name}" cannot be the name of a graph`);
  const built = await buildUntilSound(call, intent, name).catch((error: unknown) =>
    builtFromTemplate(call, intent, name, error),
  );
  const schedule = timesOf(call, intent, name, built.lowered);
  const drawn = pictureOf(built.graph);
  if (options.picture !== undefined) replaceFile(options.picture, toSvg(drawn));
  const shown = {
    ...built,
    picture: toMermaid(drawn),
    simulation: await simulateGraph(call, built.lowered, undefined),
    file: null,
    ...(schedule === undefined ? {} : { schedule }),
  };
  if (!json) call.emit(shown);
  const isMeant = options.save && built.fallback === undefined; // a template is saved only by somebody who has seen it
  const isAsked = !json && !isMeant && call.openDialog !== null;
  const isSaved = isMeant || (isAsked && (await isConfirmed(call, name, schedule)));
  if (isSaved) await createGraph(call, file, built.graph, 'built');
  const scheduled = isSaved ? await saveTimes(call, name, schedule) : null;
  const saved = { file: isSaved ? shownPath(home, file) : null, ...(scheduled === null ? {} : { scheduled }) };
  const code = built.fallback === undefined ? exits.ok : exits.no;
  return answer(json ? { ...shown, ...saved } : { name, ...saved, isAsked, fallback: built.fallback?.template }, code);
}
