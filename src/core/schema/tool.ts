import { z } from 'zod';
import type { SideEffectClass, Usage } from './effect.ts';
import type { OpenFolder } from './folder.ts';
import type { StateWrite } from './state-entry.ts';
import type { Json } from './json.ts';
import { Sha256 } from './names.ts';
import type { Retry } from './retry-rule.ts';
import type { FilesAside, WaitFor } from './wait.ts';

export const ToolAnnotations = z
  .strictObject({
    read_only: z.boolean().default(false).describe('Changes nothing anywhere.'),
    destructive: z.boolean().default(false).describe('May remove or overwrite something that cannot be recreated.'),
    idempotent: z.boolean().default(false).describe('Doing it twice has the effect of doing it once.'),
    cacheable: z
      .boolean()
      .default(false)
      .describe('The same input gives the same output while its sources are unchanged.'),
    risk: z.enum(['low', 'medium', 'high']).default('medium').describe('How much harm a wrong call can do.'),
  })
  .describe('What is known about a tool before it is called; ranks tools and can be matched in the policy.');
export type ToolAnnotations = z.infer<typeof ToolAnnotations>;

export const ArtifactRef = z
  .strictObject({
    sha256: Sha256.describe('Hash of the stored bytes, and their address.'),
    bytes: z.int().nonnegative().describe('Size of the stored bytes.'),
    media: z.string().max(200).default('text/plain').describe('Media type.'),
    name: z.string().max(255).optional().describe('What to call it in front of a person.'),
  })
  .describe('A pointer to a large body stored in .oka/artifacts.');
export type ArtifactRef = z.infer<typeof ArtifactRef>;

export const OutcomeStatus = z
  .enum(['ok', 'failed', 'denied', 'waiting', 'cancelled'])
  .describe('How a call ended. Failures of the world are outcomes, never exceptions.');
export type OutcomeStatus = z.infer<typeof OutcomeStatus>;

/** The outcome of a call. */
export type Outcome =
  | {
      status: 'ok';
      output: Json;
      artifacts?: ArtifactRef[];
      usage?: Usage;
      /** The state of a graph that changes when this outcome is recorded. */
      state?: StateWrite;
      /** Nodes behind it need the whole output: it stays in the event up to 256 KB, where others become artifacts sooner. */
      isInline?: true;
    }
  | {
      status: 'failed';
      error: string;
      /** Whether the same call may succeed later; false: it would fail again. Left out where the tool cannot know. */
      temporary?: boolean;
      /** A program ended and this is what it said: `temporary` is false, and only a node that names it repeats a read. */
      isAnswer?: true;
      /** Nobody saw whether it has acted: unless it may be repeated, that is doubt and no failure (repeat-rule.ts). */
      unseen?: true;
      /** What the kernel denied, because it was beyond the class of the call. */
      overstepped?: string;
      artifacts?: ArtifactRef[];
      usage?: Usage;
    }
  | { status: 'denied'; error: string }
  | { status: 'waiting'; for: WaitFor }
  /**
   * `begun` is false when it was stopped before it acted: then nothing is in doubt. `unseen`: nobody stopped it, and
   * whether it has acted is in doubt all the same. `elsewhere`: on another machine, whose files are not here.
   */
  | { status: 'cancelled'; error: string; begun?: false; unseen?: true; elsewhere?: true };

/** Who wrote what a call does: the person who gave the task, or a model. */
export type Author = 'operator' | 'model';

/** Where the value of an argument came from. What a tool gave is never trusted to say what is acted on. */
export type Origin = 'operator' | 'task' | 'model' | 'memory' | 'tool';

/** The call of a run that left a file of the desk as it is. */
export type FileOrigin = { run: string; call: string };

/** An attempt: which call, which attempt of it, with which input. */
export type Attempt = {
  call: string;
  attempt: number;
  tool: string;
  class: SideEffectClass;
  /** What it was judged to do, where that is not what its class says. */
  judged?: SideEffectClass;
  /** It changes something, and doing it twice is not doing it once: it is not made again by itself. */
  once?: true;
  /** It repeats the attempt before it. */
  repeats?: true;
  input: Json;
  /** Idempotency key. */
  key: string | null;
};

/** A header that the egress proxy adds to requests to these hosts; the process that asks never has its value. */
export type ProxyHeader = { name: string; value: string; hosts: readonly string[] };

/** One attempt at a tool, as every middleware and the tool itself see it. */
export type ToolCall = Attempt & {
  run: string;
  node: string | null;
  author: Author;
  /** Where the values of the tool's targets came from, by the name of the field. */
  origins: () => Readonly<Record<string, Origin>>;
  signal: AbortSignal;
  /** Whether the mode of the run is strict: then models answer as steadily as they can. */
  isStrict?: boolean;
  bounds: CallBounds;
  /** What the run may still spend, less everything that other calls in progress have reserved. */
  left: () => Left;
  /** Stops its time limit, and that of its run, while it waits for its turn, until what is given back is called. */
  pauseClock?: () => () => void;
  /** The binding of the approval a person gave; valid for this one attempt. */
  approval: string | null;
  /** Whether an answer for the whole run allowed it, and with it the hosts that it names or refers to. */
  isAllowedForRun?: boolean;
  /** Hosts that a person named with the approval of this call, or in a rule that allows it. */
  approvedHosts?: readonly string[];
  /** Why this call may not follow a redirect to an address; null when it may. Absent where nothing is judged. */
  whyNotFollow?: (address: string) => Promise<string | null>;
  /** The input of the call that a server redirects, when this is the request that it leads to. */
  redirectedFrom?: Json;
  /** A person approved these files, which the attempt before has written: they are put in place, and nothing runs. */
  aside?: FilesAside;
  /** Folders outside the desk that the plan names; what is really open is decided when the tool acts. */
  folders?: readonly OpenFolder[];
  /** The copy of the desk that it works in (workspace/forks); the desk when left out. */
  desk?: string;
  /** It is a check: nothing that it writes stays. */
  trial?: true;
  /** The only hosts that the network of this call reaches, because it has been given a secret; absent without one. */
  onlyHosts?: readonly string[];
  /** Headers with secrets that the egress proxy adds for this call. */
  proxyHeaders?: readonly ProxyHeader[];
  /** How the attempt before this one ended, when this is a retry. */
  previous: Outcome | null;
  /** Records a further attempt before it acts. */
  intend: (call: ToolCall) => Promise<void>;
  /** Calls another tool on behalf of this call. */
  act: Act;
};

/** A call within a call, or within a thought: guarded, paid for and written down like every call. */
export type Act = (
  tool: string,
  input: Json,
  by?: { author?: Author; trial?: true; pauseClock?: () => () => void },
) => Promise<Outcome>;

export type Left = Readonly<Record<'tokens' | 'usd' | 'tool_calls' | 'retries' | 'output_bytes' | 'seconds', number>>;

/** What the node and its state allow. */
export type CallBounds = {
  timeoutMs: number | null;
  retries: number;
  /** The pauses between attempts, and the failures that are tried again; absent = as usual. */
  retry?: Pick<Retry, 'backoff' | 'on'>;
  /** Names of tools that are eligible; null = all. */
  tools: readonly string[] | null;
  classes: readonly SideEffectClass[] | null;
  /** Ask a person whatever the policy says. */
  ask: boolean;
};

/** Tools of servers are called mcp.<server>.<tool>; of these a prompt has few, and the others are found by a search. */
export const isServerTool = (name: string): boolean => name.startsWith('mcp.');

/** Whether calls of a tool arrive at something that other homes call, too: a model, a host, a server. */
export const reachesOutside = (name: string): boolean => isServerTool(name) || /^(model|http|web)\./.test(name);

/** The tool that finds tools of servers; an agent may call what it has found. */
export const TOOL_SEARCH = 'tools.search';

/** Whether a tool runs a program on the desk through the launcher. */
export const runsCommand = (name: string): boolean => name === 'shell' || name === 'skill.run';

/** `changes` are sentences; `contents` are texts that others would get, each whole. */
export type CallPreview = { changes: string[]; contents: { path: string; why: string; text: string }[] };
export type Undoing = { what: string; how: 'restored' | 'removed' } | { what: string; how: 'left'; why: string };

/** Something that can be done. The schemas are enforced before and after `invoke`; a throw in it becomes a failed outcome. */
export type Tool = {
  /** Stable; events, graphs and policies name it. */
  readonly name: string;
  /** One or two sentences, shown to people and to models. */
  readonly about: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly annotations: ToolAnnotations;
  /** A planner is not offered it: oka itself calls it, or a graph that a person wrote. */
  readonly internal?: true;
  /** Its reads may be made together with others of their turn; left out where a verdict depends on earlier calls. */
  readonly parallel?: true;
  /** Names of the input's fields that say what is acted on: paths, hosts, recipients. */
  readonly targets: readonly string[];
  /** The name of a server that gets every argument of a call and can pass it on; absent when nobody outside does. */
  readonly passesTo?: string;
  /** Who has allowed every call of it, for as long as no rule of the policy says otherwise. */
  readonly allowedBy?: string;
  /** Every call is asked about by itself: no rule and no earlier answer allows it. */
  readonly asksEachTime?: true;
  /** What a person sees before they allow a call, besides its input. Throws where it cannot be shown. */
  preview?(input: Json, signal: AbortSignal): Promise<CallPreview>;
  /** How a call ended that was in progress when its process died; null when that is not to be seen anywhere. */
  witness?(call: { run: string; call: string; input: Json }): Promise<Outcome | null>;
  /** Undoes what a call has done outside, where it still is as the call has left it. */
  undo?(done: { run: string; input: Json; output: Json }, isDry: boolean): Promise<Undoing>;
  /** What a call may change; what a person wrote is restricted less than what a model wrote. */
  classOf(input: Json, author?: Author, folders?: readonly OpenFolder[]): SideEffectClass;
  /**
   * What a call would do, judged by its words alone; where `classOf` says by which rights it runs. Left out where both are
   * the same.
   */
  judgedClassOf?(input: Json, author?: Author, folders?: readonly OpenFolder[]): SideEffectClass;
  /** Whether doing just this twice has the effect of doing it once; without it, the annotations decide. */
  idempotent?(input: Json): boolean;
  /** The state of what a call reads, such as the time a file was changed; a cached result is good while it stays. */
  fingerprint?(input: Json, call?: Pick<ToolCall, 'desk'>): Promise<string>;
  /** The most a call may cost; reserved before it starts. */
  estimate?(input: Json): Usage;
  invoke(input: Json, call: ToolCall): Promise<Outcome>;
};
