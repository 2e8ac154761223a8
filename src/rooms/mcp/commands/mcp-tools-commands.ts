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
import type { ToolDefinition } from '../../../core/schema/mcp.ts';
import { shownDescription, type ToolChange } from '../client/compare-tools.ts';
import { mcpToolName } from '../client/mcp-tool.ts';
import { canonicalText } from '../client/read-definitions.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { flag } from '../../../kit/cli/options.ts';

type TestData = { server: string } & (
  | { answered: true; says: string; era: string; ms: number; tools: number; refused: { name: string; why: string }[] }
  | { answered: false; problem: string; fix: string | null }
);

type Shown = {
  name: string;
  change: ToolChange['kind'];
  class: string;
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
    },
    example: 'oka mcp tools notes --accept',
    run: async (call) => {
      const { home, signal, rooms, options } = call;
      const server = onlyOperand(call, 'server');
      await requireHome(home);
      const found = await inspectServer(home, server, { signal, rooms });
      const { policy } = loadPolicy(home.policy, lineClassifierOf(home));
      const data = toData(found, (tool) => mcpClass(policy, tool));
      if (!options.accept) return answer(data, data.pending > 0 || data.closed !== null ? exits.no : exits.ok);
      if (!(await isConfirmed(call, data))) return answer(data, exits.no);
      const { identity, tools } = found;
      writePins(home, server, { identity, by: operatorName(), at: new Date().toISOString(), tools });
      return answer({ ...data, accepted: true });
    },
    render: ({ server, tools, refused, closed, pending, accepted }, terminal) => {
      const { bold, dim, yellow, green } = terminal;
      const lines = tools.flatMap(({ name, change, class: effect, about, claims, details }) => [
        `${bold(name)}  ${change === 'same' ? dim('accepted') : yellow(change)}  ${effect}${claims === '' ? '' : dim(`  (says: ${claims})`)}`,
        indentWrapped(about, '  ', terminal),
        ...details.map((line) => indentWrapped(line, '    ', terminal)),
      ]);
      const odd = refused.map(({ name, why }) => yellow(`${name} cannot be used: ${why}`));
      const end = accepted
        ? green(`Accepted: tasks can use the tools of ${server} as they are now.`)
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
  classOf: (tool: string) => string,
): ToolsData {
  const closed =
    accepted.kind === 'unreadable'
      ? accepted.problem
      : isOther
        ? 'its command, package or address has changed since its tools were accepted'
        : null;
  return {
    server,
    tools: changes.map((change) => toShown(server, change, classOf)),
    refused,
    closed,
    pending: changes.filter(({ kind }) => kind !== 'same').length,
    accepted: false,
  };
}

function toShown(server: string, change: ToolChange, classOf: (tool: string) => string): Shown {
  const { tool, kind } = change;
  const name = mcpToolName(server, tool.name);
  return {
    name,
    change: kind,
    class: classOf(name),
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
async function isConfirmed(
  call: Call<{ accept: boolean; yes: boolean }, ToolsData>,
  data: ToolsData,
): Promise<boolean> {
  if (call.options.yes || call.json || call.openDialog === null) return true;
  call.emit(data);
  const dialog = await call.openDialog();
  return /^y(?:es)?$/i.test(await dialog.ask('Let tasks use these tools as they are now? [y/N] '));
}
