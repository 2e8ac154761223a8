/** Owns: the tool `shell`. Does not own: how a command is run and stopped (kit/sandbox/launch.ts), what it may do (guard). */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Command } from '../../../core/schema/command.ts';
import type { OpenFolder } from '../../../core/schema/folder.ts';
import type { ArtifactStore } from '../../../core/schema/ports.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { LiveSteps } from '../../../core/schema/live-port.ts';
import type { SideEffectClass } from '../../../core/schema/effect.ts';
import { ArtifactRef, type Author, type Outcome, type Tool, type ToolCall } from '../../../core/schema/tool.ts';
import type { CommandSandbox, SandboxRequest, StepTerms } from '../../../kit/sandbox/command-sandbox.ts';
import { watchFrozenTime } from '../../../core/chain/frozen-time.ts';
import { type Captured, launch, type Launched } from '../../../kit/sandbox/launch.ts';
import { countMemoryKills } from '../../../kit/sandbox/memory-kills.ts';
import { artifactsOf, type BodyText, toBodyText } from '../../../kit/text/body-text.ts';
import { IDEMPOTENCY_KEY } from '../../../kit/text/fence-info.ts';
import { ok, defineTool } from '../../../kit/define-tool.ts';
import { provideSecrets, Secrets } from './command-secrets.ts';
import { withFolder, Path } from './desk-place.ts';
import { trialFolder } from './trial-desk.ts';

export type ShellOptions = {
  /** The folder below which commands start. */
  desk: string;
  /** The complete environment of a command. */
  env: Readonly<Record<string, string>>;
  /** By which rights a command runs. */
  classify?: (command: Command, author: Author, step: StepTerms) => SideEffectClass;
  /** What its words say that it does. */
  judge?: (command: Command, step: Omit<StepTerms, 'hasNet'>) => SideEffectClass;
  /** Provides the sandbox of a command; without it commands run unrestricted. */
  sandbox?: (call: ToolCall, command: Command, request: SandboxRequest) => Promise<CommandSandbox>;
  artifacts?: ArtifactStore;
  /** Is shown what a command writes while it runs. */
  live?: Pick<LiveSteps, 'output' | 'end'>;
  /** Maximum bytes stored of each of stdout and stderr. */
  limitBytes?: number;
  /** After how long a stand-still of this process the failure of a command with network access is in doubt. */
  frozenMs?: number;
};

const LIMIT_BYTES = 4_194_304;
/** Shorter than any time limit of the egress proxy. */
const FROZEN_MS = 5000;
/** Most of a stream that an error quotes. */
const QUOTED_BYTES = 2000;
/** Most refusals of the egress proxy that an error quotes. */
const QUOTED_REFUSALS = 3;

const Input = z
  .strictObject({
    argv: z.array(z.string().max(100_000)).min(1).max(1000).optional().describe('A program and its arguments.'),
    line: z.string().min(1).max(100_000).optional().describe('A line for the shell (bash), instead of argv.'),
    dir: Path.default('.').describe('The folder to start in, below the desk.'),
    timeout_seconds: z.number().positive().max(86_400).default(600).describe('After this time it is stopped.'),
    net: z
      .union([z.boolean(), z.array(z.string().max(253)).max(100)])
      .default(false)
      .describe('Whether it needs the network; a list names the hosts.'),
    net_refused: z
      .literal('ok')
      .optional()
      .describe('A request that the egress proxy refuses fails the command, unless this is "ok".'),
    key: z
      .string()
      .regex(IDEMPOTENCY_KEY)
      .optional()
      .describe('The idempotency key of what it sends; "yes" for one that stays the same when it is repeated.'),
    offline: z.literal(true).optional().describe('No network.'),
    secrets: Secrets,
  })
  .refine(({ argv, line }) => (argv === undefined) !== (line === undefined), 'give either argv or line');

const Output = z.strictObject({
  exit: z.int().nullable().describe('Exit status.'),
  signal: z.string().nullable().describe('The signal that ended it.'),
  stdout: z.string().describe('What it wrote; when long, head and tail.'),
  stderr: z.string().describe('What it wrote to stderr; when long, head and tail.'),
  stdout_artifact: ArtifactRef.optional().describe('All of stdout, when it is long or not text.'),
  stderr_artifact: ArtifactRef.optional().describe('All of stderr, when it is long or not text.'),
  failed_inside: z.array(z.string()).optional().describe('What failed inside the line, hidden by a pipe or a list.'),
});

export function shellTool(options: ShellOptions): Tool {
  const { desk, env, judge, sandbox, artifacts, live, limitBytes = LIMIT_BYTES, frozenMs = FROZEN_MS } = options;
  return defineTool({
    name: 'shell',
    about: 'Runs a command in the desk and gives what it wrote. A status other than 0 is a failure.',
    input: Input,
    output: Output,
    annotations: { destructive: true, risk: 'high' },
    targets: ['argv', 'line', 'dir'],
    parallel: true,
    class: (input, author, folders) => rightsOf(options, input, author, folders),
    judgedClass: (input, author, folders) =>
      judge?.(toCommand(input), { dir: input.dir, folders }) ?? rightsOf(options, input, author, folders),
    act: async (input, call) => {
      const cwd = await withFolder(desk, input.dir, async (folder) => folder.real);
      await using handed = await provideSecrets(input.secrets);
      const command = toCommand(input);
      const readable = handed.folder === null ? [] : [handed.folder];
      const timeoutMs = input.timeout_seconds * 1000;
      const idempotencyKey = input.key === 'yes' ? ownKey(call) : input.key;
      const isOffline = input.offline === true;
      const request = { net: input.net, isOffline, readable, timeoutMs, idempotencyKey };
      const provided = (await sandbox?.(call, command, request)) ?? (isOffline ? unconfined : unrestricted);
      if (provided.kind === 'refused') return { status: 'denied', error: provided.reason };
      await using _ = provided;
      const trial = await trialFolder(call, { desk, cwd, scratch: provided.scratch });
      using frozen = watchFrozenTime();
      const killedBefore = countMemoryKills();
      const launched = await launch(command, {
        cwd: trial?.cwd ?? cwd,
        env: { ...env, ...provided.env, ...trial?.env, ...handed.env, ...keyVariable(idempotencyKey) },
        signal: call.signal,
        timeoutMs,
        outputLimitBytes: limitBytes,
        ...(provided.scratch === undefined ? {} : { scratch: provided.scratch }),
        ...(provided.launch === undefined ? {} : { sandbox: provided.launch }),
        ...(live === undefined ? {} : { onOutput: (chunk) => live.output(call, chunk) }),
      });
      live?.end(call);
      const done = countMemoryKills() === killedBefore ? launched : namingMemory(launched);
      const outcome = await toOutcome(done, input, call.class, artifacts, (await provided.refused?.()) ?? []);
      const isDoubtful = outcome.status === 'failed' && input.net !== false && frozen.longestMs() >= frozenMs;
      return isDoubtful ? unseen(outcome.error, frozen.longestMs()) : outcome;
    },
  });
}

function rightsOf(
  { classify }: ShellOptions,
  input: z.output<typeof Input>,
  author: Author,
  folders: readonly OpenFolder[],
): SideEffectClass {
  const terms = { hasNet: input.net !== false, dir: input.dir, folders };
  return classify?.(toCommand(input), author, terms) ?? 'external_mutation';
}

/** The kernel has killed something for want of memory meanwhile: a command that was killed, or the shell of one, says so. */
function namingMemory(done: Launched): Launched {
  const isKilled = done.ended.how === 'itself' && (done.signal === 'SIGKILL' || done.exit === 137);
  return isKilled ? { ...done, ended: { how: 'exceeded', limit: 'memory' } } : done;
}

/** The egress proxy stood still with this process: the command may have failed for want of it, before or after it acted. */
const unseen = (error: string, ms: number): Outcome => ({
  status: 'cancelled',
  error: `the worker stood still for ${Math.round(ms / 1000)} s while it ran, which may be why it failed: ${error}`,
  unseen: true,
});

/** The same for every attempt of the call, also at another member of a fleet; another one for any other call. */
const ownKey = ({ call }: ToolCall): string => hash('sha256', call.replace(/\.\d+$/, '')).slice(0, 32);

const keyVariable = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { OKA_IDEMPOTENCY_KEY: key };

const unrestricted: CommandSandbox = { kind: 'ready', env: {}, [Symbol.asyncDispose]: () => Promise.resolve() };

const unconfined: CommandSandbox = { kind: 'refused', reason: 'without a sandbox it would have the network' };

/** The outcome of a call of this tool, from what its witness recorded. */
export function outcomeFromWitness(
  done: Launched,
  given: Json,
  effect: SideEffectClass,
  artifacts?: ArtifactStore,
  refused: readonly string[] = [],
): Promise<Outcome> {
  return toOutcome(done, Input.parse(given), effect, artifacts, refused);
}

async function toOutcome(
  done: Launched,
  input: z.output<typeof Input>,
  effect: SideEffectClass,
  artifacts: ArtifactStore | undefined,
  refused: readonly string[],
): Promise<Outcome> {
  const problem = withRefusals(describeEnd(done, input), input, refused);
  const inline = problem === null ? {} : { inline: QUOTED_BYTES };
  const stdout = await toBodyText(done.stdout, { artifacts, name: 'stdout', ...inline });
  const stderr = await toBodyText(done.stderr, { artifacts, name: 'stderr', ...inline });
  const outcome = buildOutcome(done, problem, stdout, stderr);
  return outcome.status === 'failed' && done.denied && effect === 'read'
    ? { ...outcome, overstepped: 'a command that was classified as a read tried to do more, and the kernel stopped it' }
    : outcome;
}

function toCommand({ argv, line }: z.output<typeof Input>): Command {
  return argv === undefined ? { line: line ?? '' } : { argv };
}

function buildOutcome(done: Launched, problem: string | null, stdout: BodyText, stderr: BodyText): Outcome {
  if (done.ended.how === 'not-begun') return { status: 'cancelled', error: 'stopped before it began', begun: false };
  if (done.ended.how === 'unseen')
    return { status: 'cancelled', error: `nobody saw how the command ended: ${done.ended.problem}`, unseen: true };
  if (done.ended.how === 'aborted') return { status: 'cancelled', error: 'the command was stopped' };
  const usage = { ms: done.ms, output_bytes: capturedSize(done.stdout) + capturedSize(done.stderr) };
  if (problem !== null)
    return {
      status: 'failed',
      error: `${problem}${quoteOutput(stdout, stderr)}`,
      ...(done.ended.how === 'itself' ? ({ temporary: false, isAnswer: true } as const) : {}),
      ...artifactsOf(stdout, stderr),
      usage,
    };
  const output = {
    exit: done.exit,
    signal: done.signal,
    stdout: stdout.text,
    stderr: stderr.text,
    ...(stdout.artifact ? { stdout_artifact: stdout.artifact } : {}),
    ...(stderr.artifact ? { stderr_artifact: stderr.artifact } : {}),
    ...(done.hidden === undefined || done.hidden.length === 0 ? {} : { failed_inside: [...done.hidden] }),
  };
  return { ...ok(output, stdout, stderr), usage };
}

/** Null when the command did what it was asked to. */
function describeEnd({ ended, exit, signal }: Launched, input: z.output<typeof Input>): string | null {
  switch (ended.how) {
    case 'itself':
      if (signal !== null) return `it was ended by ${signal}`;
      return exit === 0 ? null : `exit ${exit}`;
    case 'timed-out':
      return `it was stopped after ${input.timeout_seconds} s`;
    case 'exceeded':
      return ended.limit === 'memory'
        ? 'it was stopped because it used too much memory'
        : 'it was stopped because it started too many processes';
    case 'aborted':
    case 'not-begun':
      return 'it was stopped';
    case 'unseen':
      return ended.problem;
    case 'unstarted': {
      const what = ended.problem === 'ENOENT' ? 'command not found' : `cannot be started (${ended.problem})`;
      return `${input.argv?.[0]?.slice(0, 200) ?? 'the shell'}: ${what}`;
    }
  }
}

/** A program may take the answer of the proxy for that of the server, and end well without having got anything. */
function withRefusals(
  problem: string | null,
  { net_refused }: z.output<typeof Input>,
  refused: readonly string[],
): string | null {
  if (refused.length === 0 || (problem === null && net_refused === 'ok')) return problem;
  const first = refused.slice(0, QUOTED_REFUSALS).join('; ');
  const more = refused.length > QUOTED_REFUSALS ? ` and ${refused.length - QUOTED_REFUSALS} more` : '';
  const fix = 'Allow the host in .oka/rules/POLICY.md, or mark the step net_refused:ok if it can do without';
  return `${problem === null ? '' : `${problem}; `}the egress proxy refused a request: ${first}${more}. ${fix}`;
}

function quoteOutput(stdout: BodyText, stderr: BodyText): string {
  const streams = [['stderr', stderr] as const, ['stdout', stdout] as const].flatMap(([name, { text }]) =>
    text.trim() === '' ? [] : [`t wrote to ${name}:\n${text.trim()}`],
  );
  return streams.length === 0 ? ' without any output' : `. I${streams.join('\nI')}`;
}

const capturedSize = ({ head, tail, omitted }: Captured): number => head.length + tail.length + omitted;
