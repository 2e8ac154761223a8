/** Summaries of the context tree, by a model. */
import { OkaError } from '../../../core/schema/errors.ts';
import {
  RegenerationRequest,
  type SynthesisPlan,
  type SynthesisPolicy,
  SynthesisReport,
  SynthesisRequest,
} from '../../../core/schema/synthesis.ts';
import { planRegeneration, planSynthesis } from '../synthesis/synthesis-plan.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { parseRequest } from '../../../kit/cli/option-request.ts';
import { requestContext } from '../request-context.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { scanTree } from '../tree-access.ts';
import { renderPlan, renderReport, sumUpPlan } from '../synthesis-text.ts';
import { validateHomeTree } from '../tree/validate-home-tree.ts';
import { DEFAULT_WORKSPACE } from '../../../core/schema/tree.ts';
import type { TreeReader } from '../model/tree-store.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { flag, number, text } from '../../../kit/cli/options.ts';

const workspace = text('NAME', 'Another workspace of config.json.');

const model = text('PROVIDER:MODEL', 'The model to ask (default: as configured).');

const budget = number('TOKENS', 'What models may cost (default: tree.max_tokens).');

const plan = flag('Only show what would be made, and about what it costs.');

type Options = {
  type: string | undefined;
  from: string | undefined;
  agent: string | undefined;
  policy: string | undefined;
  prompt: string | undefined;
  model: string | undefined;
  force: boolean;
  plan: boolean;
  budget: number | undefined;
  workspace: string | undefined;
};

type SynthesisData = { plan: SynthesisPlan } | { report: SynthesisReport };

const POLICIES = ['summarization', 'concatenation', 'filtering', 'model'];

const synthesisJson = (data: SynthesisData): object[] => ['plan' in data ? data.plan : data.report];

type RegenerateOptions = {
  recursive: boolean;
  force: boolean;
  model: string | undefined;
  plan: boolean;
  budget: number | undefined;
  workspace: string | undefined;
};

type Listed = { path: string; type: string; reason: string };

type ReportData = {
  workspace: string;
  root: string | null;
  scanned_at: string | null;
  files: number;
  folders: number;
  frames: number;
  max_stale: number;
  stale: Listed[];
  /** What `oka context validate` found. */
  broken: string[];
};

const MOST_LINES = 200;

export const commands: Commands = {
  'context synthesize': command({
    summary: 'Make frames for a folder and everything below it',
    operands: '[path]',
    options: {
      type: text('TYPE', 'The type of the frames (default summary; * reads all).'),
      from: text('TYPE', 'The type of child frames a folder is made from.'),
      policy: text('NAME', 'summarization, concatenation, filtering:TEXT or model.'),
      prompt: text('TEXT', 'Let a model write, and say what matters.'),
      agent: text('NAME', 'In whose name (default oka).'),
      model,
      force: flag('Ask a model again, although nothing has changed.'),
      plan,
      budget,
      workspace,
    },
    example: 'oka context synthesize desk/app',
    run: async (call: Call<Options>): Promise<Answer<SynthesisData>> => {
      await requireHome(call.home);
      const { type, from, agent, force, model, workspace } = call.options;
      const isAll = type === '*';
      const input = parseRequest(SynthesisRequest, {
        node: call.operands[0],
        type: isAll ? undefined : type,
        takes: isAll ? '*' : from,
        agent,
        policy: policyOf(call.options),
        force,
        model,
        workspace,
      });
      if (call.options.plan || input.policy.kind === 'model') {
        await scanTree(call, input.workspace, { signal: call.signal });
        const tree = await openTreeForReading(call);
        const plan = await tree.read(input.workspace, (reader) => planSynthesis(reader, input));
        if (call.options.plan) return answer({ plan });
        call.notify(sumUpPlan(plan));
      }
      const made = await requestContext(call, { tool: 'context.synthesize', input, maxTokens: call.options.budget });
      const report = SynthesisReport.parse(made);
      return answer({ report }, report.failed.length > 0 ? exits.no : exits.ok);
    },
    render: renderSynthesis,
    jsonLines: synthesisJson,
  }),
  'context regenerate': command({
    summary: 'Make frames again whose files have changed',
    operands: '[path]',
    options: {
      recursive: flag('Also everything below it.'),
      force: flag('Also frames that are up to date.'),
      model,
      plan,
      budget,
      workspace,
    },
    example: 'oka context regenerate --recursive',
    run: async (call: Call<RegenerateOptions>): Promise<Answer<SynthesisData>> => {
      await requireHome(call.home);
      const { recursive, force, model, workspace } = call.options;
      const input = parseRequest(RegenerationRequest, { node: call.operands[0], recursive, force, model, workspace });
      await scanTree(call, input.workspace, { signal: call.signal });
      const tree = await openTreeForReading(call);
      const plan = await tree.read(input.workspace, (reader) => planRegeneration(reader, input));
      if (call.options.plan) return answer({ plan });
      if (plan.model_calls > 0) call.notify(sumUpPlan(plan));
      const made = await requestContext(call, { tool: 'context.regenerate', input, maxTokens: call.options.budget });
      const report = SynthesisReport.parse(made);
      return answer({ report }, report.failed.length > 0 ? exits.no : exits.ok);
    },
    render: renderSynthesis,
    jsonLines: synthesisJson,
  }),
  'context report': command({
    summary: 'Report on the context tree, as markdown; exits 1 when something is stale',
    options: { 'max-stale': number('N', 'So many stale frames are fine (default 0).'), workspace },
    example: 'oka context report --max-stale 5 > context.md',
    run: async (call) => {
      await requireHome(call.home);
      const { maxStale = 0, workspace = DEFAULT_WORKSPACE } = call.options;
      await scanTree(call, workspace, { signal: call.signal });
      const tree = await openTreeForReading(call);
      const found = await tree.read(workspace, describeTree);
      const { problems } = await validateHomeTree(call.home, workspace);
      const broken = problems.map(({ what, name, problem }) => `${what} ${name}: ${problem}`);
      const data = { workspace, ...found, max_stale: maxStale, broken };
      const isBad = data.root === null || data.stale.length > maxStale || broken.length > 0;
      return answer(data, isBad ? exits.no : exits.ok);
    },
    render: (data) => {
      const { workspace, root, scanned_at: at, files, folders, frames, stale, max_stale: most, broken } = data;
      const title = `# Context of ${plainText(workspace)}\n\n`;
      if (root === null) return `${title}It has not been scanned yet: oka context scan\n`;
      const state =
        stale.length === 0 ? 'Everything is up to date.' : `${stale.length} stale (at most ${most} allowed).`;
      const lines = stale
        .slice(0, MOST_LINES)
        .map(({ path, type, reason }) => `| ${cell(path)} | ${type} | ${cell(reason)} |`);
      const more = stale.length > MOST_LINES ? `\n… and ${stale.length - MOST_LINES} more\n` : '';
      const table = stale.length === 0 ? '' : `\n| path | type | why |\n|---|---|---|\n${lines.join('\n')}\n${more}`;
      const problems = broken.slice(0, MOST_LINES).map((problem) => `- ${plainText(problem)}\n`);
      const damage =
        broken.length === 0 ? '' : `\n## Broken\n\n${problems.join('')}\nMake the index again: oka rebuild\n`;
      return `${title}Root \`${root.slice(0, 12)}\`, scanned ${at}: ${files} files, ${folders} folders, ${frames} frames. ${state}\n${table}${damage}`;
    },
  }),
};

/** A prompt means that a model writes; custom:NAME is a function of a program. */
function policyOf({ policy, prompt }: Options): SynthesisPolicy | undefined {
  if (prompt !== undefined) return { kind: 'model', prompt };
  if (policy === undefined) return undefined;
  if (policy.startsWith('custom:')) return { kind: 'custom', name: policy.slice('custom:'.length) };
  if (policy.startsWith('filtering:')) return { kind: 'filtering', contains: policy.slice('filtering:'.length) };
  if (policy === 'summarization' || policy === 'concatenation' || policy === 'model') return { kind: policy };
  throw new OkaError('usage', `there is no policy "${policy}"`, {
    fix: `There is ${POLICIES.join(', ')}; filtering:TEXT and custom:NAME take a word.`,
  });
}

function renderSynthesis(data: SynthesisData, terminal: Terminal): string {
  return 'plan' in data ? renderPlan(data.plan, terminal) : renderReport(data.report, terminal);
}

function describeTree(reader: TreeReader): Omit<ReportData, 'workspace' | 'max_stale' | 'broken'> {
  const summary = reader.summary();
  let frames = 0;
  for (const [path, { left }] of reader.places()) if (left === undefined) frames += reader.heads(path).length;
  return {
    root: summary?.root ?? null,
    scanned_at: summary?.scanned_at ?? null,
    files: summary?.files ?? 0,
    folders: summary?.folders ?? 0,
    frames,
    stale: reader.stale().map(({ path, type, reason }) => ({ path, type, reason })),
  };
}

const cell = (text: string): string => plainText(text === '' ? '.' : text).replaceAll('|', '\\|');
