/** What MCP servers offer. */
import { type Inspection, inspectServer, requireServer } from '../inspect-server.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { mcpClass } from '../../../core/guard/mcp-class.ts';
import { lineClassifierOf } from '../../../kit/policy/classifier.ts';
import { loadPolicy } from '../../../kit/policy/policy-file.ts';
import { writePins } from '../mcp-pins.ts';
import { escapeInvisible } from '../../../core/guard/escape-invisible.ts';
import type { McpPins, ToolDefinition } from '../../../core/schema/mcp.ts';
import { looksReadOnly, shownDescription, type ToolChange } from '../client/compare-tools.ts';
import { mcpToolName } from '../client/mcp-tool.ts';
import { canonicalText } from '../client/read-definitions.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { flag, text } from '../../../kit/cli/options.ts';

type TestData = { server: string } & (
  | { answered: true; says: string; era: string; ms: number; tools: number; refused: { name: string; why: string }[] }
  | { answered: false; problem: string; fix: string | null }
);

type Shown = {
  name: string;
  change: ToolChange['kind'];
  class: string;
  /** Whether it looks as if it only reads, and nobody has said so yet. */
  offered: boolean;
  /** Who answered "always for this tool"; null when nobody did. */
  allowed: string | null;
  about: string;
  claims: string;
  details: string[];
};

type ToolsData = {
  server: string;
  tools: Shown[];
  refused: { name: string; why: string }[];
  /** Why nothing that was accepted before counts; null when it does. */
  closed: string | null;
  pending: number;
  accepted: boolean;
  /** Those that tasks may call without a question, once accepted. */
  reads: readonly string[];
};

const MOST_DETAIL = 2000;

export const commands: Commands = {
  'mcp test': command({
    summary: 'Start or reach an MCP server and say what it answers; exit 1 without an answer',
    operands: '<name>',
    example: 'oka mcp test notes',
    run: async (call: Call): Promise<Answer<TestData>> => {
      const { home, signal, rooms } = call;
      const server = onlyOperand(call, 'server');
      await requireHome(home);
      requireServer(home, server);
      try {
        const { says, era, ms, tools, refused } = await inspectServer(home, server, { signal, rooms });
        return answer({ server, answered: true, says, era, ms, tools: tools.length, refused });
      } catch (error) {
        if (!(error instanceof OkaError)) throw error;
        return answer({ server, answered: false, problem: error.message, fix: error.fix ?? null }, exits.no);
      }
    },
    render: (data: TestData, { green, red }: Terminal): string => {
      if (!data.answered)
        return `${red('no answer')} from ${data.server}: ${plainText(data.problem)}\n${data.fix === null ? '' : `${plainText(data.fix)}\n`}`;
      const { server, says, era, ms, tools, refused } = data;
      const protocol = era === 'modern' ? 'the protocol of 2026' : 'the protocol of 2025';
      const lines = refused.map(({ name, why }) => `  cannot be used: ${plainText(name)}: ${plainText(why)}\n`);
      return `${green('ok')} ${server} answers as ${plainText(says)} in ${protocol}, with ${tools} tools, after ${ms} ms\n${lines.join('')}`;
    },
  }),
  'mcp tools': command({
    summary: 'List the tools of an MCP server and what has changed; --accept lets tasks use them as they are now',
    operands: '<name>',
    options: {
      accept: flag('Accept its tools as they are now.'),
      yes: flag('Do not ask.'),
      read: text(
        'TOOLS',
        'Tools that only read, and so are called without a question: names with commas, or "offered".',
      ),
      ask: text('TOOLS', 'Tools of which every call is asked about again.'),
    },
    example: 'oka mcp tools notes --accept --read search,list_notes',
    run: async (call) => {
      const { home, signal, rooms, options } = call;
      const server = onlyOperand(call, 'server');
      await requireHome(home);
      const found = await inspectServer(home, server, { signal, rooms });
      const { policy } = loadPolicy(home.policy, lineClassifierOf(home));
      const before = readsBefore(found);
      const data = toData(found, (reads) => (tool) => mcpClass(policy, mcpToolName(server, tool), reads), before);
      if (!options.accept && (options.read !== undefined || options.ask !== undefined))
        throw new OkaError('usage', '--read and --ask say what is accepted', { fix: 'Add --accept.' });
      if (!options.accept) return answer(data, data.pending > 0 || data.closed !== null ? exits.no : exits.ok);
      if (!(await isConfirmed(call, data))) return answer(data, exits.no);
      const { identity, tools } = found;
      const reads = await chooseReads(call, found, before);
      const allowed = allowedStill(found, options.ask);
      writePins(home, server, { identity, by: operatorName(), at: new Date().toISOString(), tools, reads, allowed });
      return answer({ ...data, accepted: true, reads });
    },
    render: ({ server, tools, refused, closed, pending, accepted, reads }, terminal) => {
      const { bold, dim, yellow, green } = terminal;
      const lines = tools.flatMap(({ name, change, class: effect, offered, allowed, about, claims, details }) => [
        `${bold(name)}  ${change === 'same' ? dim('accepted') : yellow(change)}  ${effect}${offered ? dim(', may be read') : ''}${allowed === null ? '' : dim(`, always allowed by ${plainText(allowed)}`)}${claims === '' ? '' : dim(`  (says: ${claims})`)}`,
        indentWrapped(about, '  ', terminal),
        ...details.map((line) => indentWrapped(line, '    ', terminal)),
      ]);
      const odd = refused.map(({ name, why }) => yellow(`${name} cannot be used: ${why}`));
      const end = accepted
        ? `${green(`Accepted: tasks can use the tools of ${server} as they are now.`)}\n${readsText(reads)}`
        : closed !== null
          ? `${closed}. Accept it as it is now: oka mcp tools ${server} --accept`
          : pending > 0
            ? `${pending} wait for you. Accept them as they are: oka mcp tools ${server} --accept`
            : 'All are as you accepted them.';
      return `${[...lines, ...odd, end].join('\n')}\n`;
    },
  }),
};

function toData(
  { server, changes, refused, accepted, isOther }: Inspection,
  classOf: (reads: ReadonlySet<string>) => (tool: string) => string,
  reads: readonly string[],
): ToolsData {
  const closed =
    accepted.kind === 'unreadable'
      ? accepted.problem
      : isOther
        ? 'its command, package or address has changed since its tools were accepted'
        : null;
  const { allowed = [] } = accepted.kind === 'accepted' && !isOther ? accepted.pins : {};
  const allowedBy = ({ kind, tool }: ToolChange): string | null =>
    kind === 'same' ? (allowed.find((each) => each.tool === tool.name)?.by ?? null) : null;
  return {
    server,
    tools: changes.map((change) =>
      toShown(server, change, classOf(new Set(reads.map((name) => mcpToolName(server, name)))), allowedBy(change)),
    ),
    refused,
    closed,
    pending: changes.filter(({ kind }) => kind !== 'same').length,
    accepted: false,
    reads,
  };
}

/** What a person said before of tools that are as they were then. */
function readsBefore({ accepted, isOther, changes }: Inspection): string[] {
  const reads = accepted.kind === 'accepted' && !isOther ? (accepted.pins.reads ?? []) : [];
  return changes.flatMap(({ kind, tool }) => (kind === 'same' && reads.includes(tool.name) ? [tool.name] : []));
}

/** What a person answered for good of tools that are as they were then, unless it is taken back now. */
function allowedStill({ accepted, isOther, changes }: Inspection, ask: string | undefined): McpPins['allowed'] {
  const allowed = accepted.kind === 'accepted' && !isOther ? (accepted.pins.allowed ?? []) : [];
  const back = (ask ?? '').split(',').map((name) => name.trim());
  const isSame = (name: string): boolean => changes.some(({ kind, tool }) => kind === 'same' && tool.name === name);
  return allowed.filter(({ tool }) => isSame(tool) && !back.includes(tool));
}

const readsText = (reads: readonly string[]): string =>
  reads.length === 0
    ? 'Every call of them is asked about, unless your policy says otherwise.'
    : `Called without a question, as only reading: ${reads.map(plainText).join(', ')}. All others are asked about, unless your policy says otherwise.`;

type AcceptOptions = { accept: boolean; yes: boolean; read: string | undefined; ask: string | undefined };

/** The tools that tasks may call without a question: as options say, or as the person answers. */
async function chooseReads(
  { options, openDialog, json }: Call<AcceptOptions, ToolsData>,
  { tools, server }: Inspection,
  before: readonly string[],
): Promise<string[]> {
  const offered = tools.filter(looksReadOnly).map(({ name }) => name);
  const named = (given: string | undefined): string[] =>
    (given === 'offered' ? offered : (given ?? '').split(',')).map((name) => name.trim()).filter((name) => name !== '');
  const unknown = [...named(options.read), ...named(options.ask)].find((name) =>
    tools.every((each) => each.name !== name),
  );
  if (unknown !== undefined) throw new OkaError('usage', `${server} has no tool "${unknown}"`);
  const wanted = offered.filter((name) => !before.includes(name) && !named(options.ask).includes(name));
  const canAsk = options.read === undefined && options.ask === undefined && !options.yes && !json;
  const isGiven = canAsk && wanted.length > 0 && openDialog !== null && (await isAllowed(openDialog, wanted));
  const reads = new Set([...before, ...named(options.read), ...(isGiven ? wanted : [])]);
  return [...reads].filter((name) => !named(options.ask).includes(name)).toSorted();
}

async function isAllowed(openDialog: NonNullable<Call['openDialog']>, wanted: readonly string[]): Promise<boolean> {
  const question = `The server says of these that they only read, and their arguments look like it: ${wanted.map(plainText).join(', ')}.\nMay tasks call them without asking you? [y/N] `;
  return /^y(?:es)?$/i.test(await (await openDialog()).ask(question));
}

function toShown(server: string, change: ToolChange, classOf: (tool: string) => string, allowed: string | null): Shown {
  const { tool, kind } = change;
  const name = mcpToolName(server, tool.name);
  return {
    name,
    change: kind,
    class: classOf(tool.name),
    offered: classOf(tool.name) === 'external_mutation' && looksReadOnly(tool),
    allowed,
    about: shownDescription(tool),
    claims: Object.entries(tool.annotations ?? {})
      .flatMap(([claim, value]) => (value === true ? [escapeInvisible(claim)] : []))
      .join(', '),
    details: change.kind === 'changed' ? change.fields.flatMap((field) => describeChange(change, field)) : [],
  };
}

function describeChange({ before, tool }: Extract<ToolChange, { kind: 'changed' }>, field: string): string[] {
  const show = (definition: ToolDefinition): string =>
    escapeInvisible(canonicalText(definition[field as keyof ToolDefinition] ?? null)).slice(0, MOST_DETAIL);
  return [`${field} was ${show(before)}`, `${field} is  ${show(tool)}`];
}

/** At a terminal the person sees the list before the question. */
async function isConfirmed(call: Call<AcceptOptions, ToolsData>, data: ToolsData): Promise<boolean> {
  if (call.options.yes || call.json || call.openDialog === null) return true;
  call.emit(data);
  const dialog = await call.openDialog();
  return /^y(?:es)?$/i.test(await dialog.ask('Let tasks use these tools as they are now? [y/N] '));
}
