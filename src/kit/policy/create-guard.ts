/** Owns: the guard of a home: the policy's verdict on a call, and how people are asked about it. */
import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Around, describeCall } from '../../core/guard/describe-call.ts';
import { allowedInRun, approvalFor, type GivenState } from '../../core/guard/granted-approvals.ts';
import type { Flow } from '../../core/guard/information-flow.ts';
import { classFor, createDescriber, createJudge, type Described } from '../../core/guard/judge-call.ts';
import { escapeInvisible, escapeInvisibleLine } from '../../core/guard/escape-invisible.ts';
import { messageOf } from '../../core/schema/errors.ts';
import { readBoundContent } from '../../core/guard/bound-content.ts';
import { withReferencedHosts } from '../../core/guard/referenced-hosts.ts';
import type { Classified, Command } from '../../core/schema/command.ts';
import type { Json } from '../../core/schema/json.ts';
import type { ToolRegistry } from '../../core/schema/ports.ts';
import type { ToolCall } from '../../core/schema/tool.ts';
import type { Asked } from '../../core/schema/wait.ts';
import type { ApprovalPorts, Judge } from '../../core/chain/middleware/authorize.ts';
import type { Classifier } from './classifier.ts';
import type { LoadedPolicy } from './policy-file.ts';

export type GuardPorts = {
  tools: Pick<ToolRegistry, 'get' | 'list'>;
  /** The folder in which the calls of a run work. */
  deskOf: (call: Pick<ToolCall, 'desk'>) => string;
  /** Names of the variables that commands see. */
  env: readonly string[];
  policy: () => LoadedPolicy;
  classify: Classifier;
  /** What the ledger says of approvals, up to its latest event. */
  given: () => Promise<GivenState>;
  /** The same as far as it is known at once. */
  known: () => GivenState;
  clock: () => number;
  /** What helps a person to decide about a call; without it, they see the call alone. */
  tellMore?: (call: ToolCall, facts: Described, asked: Asked, tools: GuardPorts['tools']) => Promise<Partial<Asked>>;
  /** What a run has read so far; without it, requests of models are judged by their class alone. */
  flow?: (run: string) => Promise<Flow>;
};

const HOUR_MS = 3_600_000;

export function createGuard(ports: GuardPorts): { judge: Judge; asking: ApprovalPorts } {
  const { policy, given, known, clock } = ports;
  const classified = (call: ToolCall): Classified | null => {
    const command = commandOf(call);
    return command === null ? null : classifyWithHosts(call, command, ports);
  };
  const describe = createDescriber(ports.tools, classified);
  const judge = createJudge({
    policy,
    describe,
    declaresNetwork,
    allowedInRun: (run) => allowedInRun(known(), run),
  });
  return {
    judge: (call) =>
      ports.flow !== undefined && sendsRead(describe(call))
        ? ports.flow(call.run).then((flow) => judge(call, flow))
        : judge(call, null),
    asking: {
      around: (call) => aroundOf(call, ports, classified(call)),
      answered: async (call) => approvalFor(await given(), call.run, call.approval ?? ''),
      expiry: () => new Date(clock() + policy().policy.approvals.expire_hours * HOUR_MS).toISOString(),
      clock,
      show: async (call, why, around) => {
        const facts = describe(call);
        const shown = { ...facts, class: classFor(call, facts, { declaresNetwork }) };
        const asked = await withPreview(describeCall(call, shown, why, around), call, ports.tools);
        if (asked === null || typeof asked === 'string') return asked;
        return { ...asked, ...(await ports.tellMore?.(call, facts, asked, ports.tools)) };
      },
    },
  };
}

/** Nothing of it is left out: what a person does not see, they do not approve. The limits are those of a question. */
const isTooLong = (changes: readonly string[], contents: readonly { text: string }[]): boolean =>
  changes.length > 40 ||
  contents.length > 20 ||
  changes.some((line) => line.length > 2000) ||
  contents.some(({ text }) => text.length > 10_000);

/** What the tool shows of the call, first; why it cannot be shown, which is then not asked about either. */
async function withPreview(
  asked: Asked | null,
  { tool, input, signal }: ToolCall,
  tools: GuardPorts['tools'],
): Promise<Asked | string | null> {
  if (asked === null) return null;
  try {
    const preview = await tools.get(tool)?.preview?.(input, signal);
    if (preview === undefined) return asked;
    const changes = preview.changes.map(escapeInvisibleLine);
    const contents = preview.contents.map((each) => ({ ...each, text: escapeInvisible(each.text) }));
    if (isTooLong(changes, contents)) return 'it is too long for a person to look at as a whole';
    return { ...asked, changes: [...changes, ...asked.changes], contents };
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}

/**
 * The classification of a command, with the hosts that it reaches by reference. An operator's script that needs no
 * network by its words runs without it.
 */
export function classifyWithHosts(
  call: Pick<ToolCall, 'author' | 'input' | 'folders' | 'desk'>,
  command: Command,
  { classify, deskOf }: Pick<GuardPorts, 'classify' | 'deskOf'>,
): Classified {
  const { author, input, folders = [] } = call;
  const desk = deskOf(call);
  const dir = join(desk, dirOf(input));
  const found = classify(command, folders, dir);
  if (author !== 'model' && !found.net) return found;
  return withReferencedHosts(command, found, dir, desk);
}

/** Whether a call addresses another machine although it only reads; what a command may reach, the proxy decides. */
const sendsRead = ({ class: effect, command, hosts, passesTo }: Described): boolean =>
  effect === 'read' && !command && (hosts.length > 0 || passesTo !== undefined);

/** A person who fences a command with `net:` has asked for the network. */
function declaresNetwork({ author, input }: ToolCall): boolean {
  const net = input !== null && typeof input === 'object' && !Array.isArray(input) ? input['net'] : undefined;
  return author === 'operator' && net !== undefined && net !== false;
}

async function aroundOf(call: ToolCall, ports: GuardPorts, classified: Classified | null): Promise<Around> {
  const policy = ports.policy().sha256;
  const command = commandOf(call);
  if (command === null) return { policy, dir: null, env: [], files: [] };
  const desk = ports.deskOf(call);
  const named = join(desk, dirOf(call.input));
  const inside = await realDirOf(desk, named);
  const dir = call.desk === undefined ? inside : join('forks', call.desk, inside);
  const found = classified ?? ports.classify(command, call.folders);
  const { files, unbound, scripts } = await readBoundContent(command, { dir: named, home: desk }, found);
  return { policy, dir, env: ports.env.toSorted(), files, hosts: found.hosts, unbound, scripts };
}

/** Where a folder really is, links followed: a folder swapped for a link is another folder. */
async function realDirOf(desk: string, named: string): Promise<string> {
  try {
    return relative(await realpath(desk), await realpath(named)) || '.';
  } catch {
    return `${relative(desk, named)} (not there)`;
  }
}

/** What a call would run, if it runs a command. */
export function commandOf({ tool, input }: ToolCall): Command | null {
  if (tool !== 'shell' || input === null || typeof input !== 'object' || Array.isArray(input)) return null;
  const { line, argv } = input;
  if (typeof line === 'string') return { line };
  return Array.isArray(argv) ? { argv: argv.map(String) } : null;
}

function dirOf(input: Json): string {
  const dir = input !== null && typeof input === 'object' && !Array.isArray(input) ? input['dir'] : undefined;
  return typeof dir === 'string' ? dir : '.';
}
