/** Every seam of the system: what a floor needs from outside, and what is swapped in tests, benches and other products. */
import type { Decision } from './decision.ts';
import type { Event, EventType, NewEvent } from './event.ts';
import type { StateEntry } from './state-entry.ts';
import type { Graph } from './graph.ts';
import type { Json } from './json.ts';
import type { ModelSampling } from './model.ts';
import type { PromptPicture } from './picture.ts';
import type { Budgets, Mode, RunLink, RunStatus } from './run.ts';
import type { SideEffectClass, Usage } from './effect.ts';
import type { Act, ArtifactRef, Outcome, Tool, ToolCall } from './tool.ts';
import type { TimerWait } from './wait.ts';

/** Removes secrets from text. Applied at the single point where text enters the ledger and the artifacts. */
export type Redact = (text: string) => string;

/** In a fleet: whether nobody else can go on with a run by now, so that what is done for it may still reach the outside. */
export type ClaimCheck = {
  isSure(run: string | null): boolean;
  /** Null once that is known again; else why nothing of the run goes out here any more. */
  makeSure(run: string | null, signal: AbortSignal): Promise<string | null>;
};

/** Milliseconds since 1970. */
export type Clock = () => number;

/** Makes written bytes durable. A throw or rejection is fatal for the ledger: the kernel may have dropped the pages. */
export type Flush = {
  now(fd: number): void;
  later(fd: number): Promise<void>;
};

export type WriteOptions = {
  /** Flushes the file and its folder, so that the content survives a power cut. */
  durable?: boolean;
  /** The permissions, less what the umask takes away; 0o644 unless given. */
  mode?: number;
  /** Sets `mode` exactly, whatever the umask is. */
  exactMode?: boolean;
  /** When the content was last modified; now, unless given. */
  mtimeMs?: number | undefined;
};

/** Writes complete files: a reader, also after a crash, finds the old content or the new, never a part. */
export type FileWriter = {
  replace(file: string, content: Uint8Array, options: WriteOptions): void;
  /** Fails with EEXIST when there is a file already. Creates the folder if needed. */
  create(file: string, content: Uint8Array, options: WriteOptions & { folderMode?: number }): void;
};

/** A named fold over the ledger; everything that people are shown is one. */
export type Projection<State> = {
  readonly name: string;
  /** Raised whenever apply or render change their result, so that older snapshots are rebuilt. */
  readonly version: number;
  /** A snapshot of its own, relative to .oka, for a projection that other programs read; the others share a file. */
  readonly file?: string;
  /** The events that it handles; all when left out. Other events cost nothing. */
  readonly types?: readonly EventType[];
  initial(): State;
  /** Pure; may change and return the state it is given. */
  apply(state: State, event: Event): State;
  /** Further text files made from the state, relative to .oka. */
  render?(state: State): ReadonlyMap<string, string>;
};

export type ArtifactStore = {
  put(body: string | Uint8Array, about?: { media?: string; name?: string }): Promise<ArtifactRef>;
  get(ref: Pick<ArtifactRef, 'sha256'>): Promise<Buffer>;
};

/**
 * Where events are stored. `stage` numbers an event; it is durable once a `flush` after it has resolved.
 */
export type EventStore = {
  stage(event: NewEvent): Event;
  flush(mine?: readonly Event[]): Promise<void>;
  read(filter: { run: string; from?: number }): AsyncIterable<Event> | Iterable<Event>;
};

/** Snapshots of run states, so that a long run is not folded from its first event again. */
export type RunStore = {
  save(run: string, snapshot: { seq: number; state: Json }): Promise<void>;
  load(run: string): Promise<{ seq: number; state: Json } | null>;
};

/** What graphs remember, by namespace and key. */
export type StateStore = {
  /** The current value, also one that was staged and is not durable yet. */
  get(namespace: string, key: string): StateEntry | undefined;
  /** Called with every event that changes state, right after it was staged. */
  note(event: Event): void;
};

/** Runs that take turns. */
export type TurnStore = {
  /** The runs with this key that are not over, in the order in which they began. */
  open(key: string): readonly string[];
};

/** Outcomes of cacheable calls, by the hash of the call. */
export type Cache = {
  get(key: string): Promise<Json | null>;
  set(key: string, value: Json): Promise<void>;
};

/** The memory that can be searched. */
export type MemoryStore = {
  search(query: string, limit: number): Promise<{ id: string; text: string; score: number }[]>;
};

/** The tools that are available now; servers that provide some come and go. */
export type ToolRegistry = {
  get(name: string): Tool | undefined;
  list(): readonly Tool[];
  /** Hash of names, annotations and input schemas; changes with the list. */
  version(): string;
};

/** All of them optional: without any the engine runs in memory. */
export type Stores = {
  events?: EventStore;
  runs?: RunStore;
  artifacts?: ArtifactStore;
  cache?: Cache;
  memory?: MemoryStore;
  state?: StateStore;
  turns?: TurnStore;
};

/** The input of a planner when it decides what to do next. */
export type PlannerInput = {
  run: string;
  node: string;
  turn: number;
  goal: string;
  /** The state of the agent, such as explore. */
  state: string;
  /** States it may move to. */
  next: readonly string[];
  evidence: readonly Evidence[];
  tools: readonly Pick<Tool, 'name' | 'about' | 'annotations' | 'input'>[];
  /** Whether the step names its tools: then all of them are offered, and else a choice. */
  hasNamedTools?: true;
  /** What is left. */
  budgets: Budgets;
  /** Why the answer before this one was not accepted. */
  problem: string | null;
  /** What the operator wrote while the work was in progress, the latest last. */
  notes?: readonly string[];
};

/** One action of an agent and its outcome. */
export type Evidence = {
  turn: number;
  decision: Decision;
  outcome: Outcome['status'] | null;
  output: Json;
  error: string | null;
};

/** Work for a backend: a new run of a graph, one that is made from an earlier run, or one that goes on where it stopped. */
export type Execution =
  | {
      kind: 'start';
      run: string;
      graph: Graph;
      title?: string;
      input?: Json;
      budgets?: Budgets;
      state?: string;
      loosenedFrom?: Mode;
    }
  | { kind: 'linked'; run: string; link: RunLink; graph?: Graph }
  | { kind: 'resume'; run: string; reason: string };

/**
 * What can be done to a run from outside. After `stop` it goes on when it is resumed, as after the end of a process;
 * `pause` and `cancel` are recorded. `isGentle`: calls in progress may end first, and only nothing new begins.
 */
export type RunSignal = { kind: 'stop' | 'pause' | 'cancel'; reason: string; isGentle?: boolean };

/** The status of a run when nobody executes it: over, blocked, paused or stopped. */
export type SettledRun = { run: string; status: RunStatus; reason: string };

type BackendCapabilities = {
  /** How many runs it executes at once. */
  slots: number;
  /** How many of them are taken now; more than there are, when answers have continued runs. */
  busy: number;
};

/** Where runs are executed. The local one drives them in this process (kit/house/local-backend.ts). */
export type ExecutionBackend = {
  /** Such as local. */
  readonly name: string;
  capabilities(): BackendCapabilities;
  /** Resolves, when the run has begun, with its id; a failed run that is resumed goes on under another one. */
  start(execution: Execution): Promise<string>;
  /** Resolves when the run is no longer executed. Throws for a run that is over or not there. */
  signal(run: string, signal: RunSignal): Promise<SettledRun>;
  /** Resolves when the run is no longer executed; rejects when executing it failed, as on a full disk. */
  wait(run: string): Promise<SettledRun>;
};

/** Decides without side effects. What it has to ask, such as a model, it asks through `act`. */
export type Planner = {
  decide(input: PlannerInput, act: Act): Promise<Decision | NoDecision> | Decision | NoDecision;
};

/**
 * No decision: the planner is asked again with the problem, after a while, or when something has come; `failed`: asking
 * again would not help.
 */
export type NoDecision =
  | { problem: string }
  | { later: number; reason: string }
  | { wait: TimerWait }
  | { failed: string };

/** Steps between the engine and the world, outermost first. Each part is optional. */
export type Middleware = {
  readonly name: string;
  /** Whether calls of a tool, of a class, go through its `call`; asked once for both. All do when left out. */
  appliesTo?(tool: Tool, effect: SideEffectClass): boolean;
  call?(call: ToolCall, next: (call: ToolCall) => Promise<Outcome>): Promise<Outcome>;
  /** Sees what a planner decided; may replace it. */
  decision?(input: PlannerInput, next: () => Promise<Decision>): Promise<Decision>;
  /** Returns why an agent may not go from one state to another, or null. */
  transition?(move: { run: string; node: string; from: string; to: string }, next: () => string | null): string | null;
};

/** A secret with its value, and where it may go. */
export type Credential = {
  value: string;
  /** Counts the values that it has had; 1 where its source does not count them. */
  version: number;
  tools: readonly string[];
  hosts: readonly string[];
  /** Commands of a model that may have it. */
  commands: readonly string[];
  /** The header in which the proxy adds it for a command; null when the command gets the value itself. */
  header?: string | null;
  /** A keyed hash of the value. */
  fingerprint: string;
};

/**
 * Where secrets come from. Each one passes the tests of test/support/credential-contract.ts.
 *
 * The value is the current one. A source that cannot be read, or a value that redaction could not remove from texts, is
 * an OkaError with a fix; no error quotes a value, nor anything that the source has printed.
 */
export type CredentialProvider = {
  /** Such as vault. */
  readonly name: string;
  /** Null when it has no secret of this name. */
  find(name: string): Promise<Credential | null>;
};

/** One turn of a conversation with a model. */
export type ModelMessage = {
  role: 'user' | 'assistant';
  text: string;
  /** Where parts of the text end that later requests of the same work begin with, too. */
  stable?: readonly number[];
  /** Behind the text. A role names pictures; their bytes are read when the model is asked. */
  pictures?: readonly (PromptPicture & { data?: Uint8Array })[];
};

/** Something a model may answer with; `input` is a JSON schema. */
export type ModelTool = { name: string; about: string; input: Json };

export type ModelRequest = {
  /** The role that asks; settings may name another model for each. */
  role: 'planner' | 'executor' | 'critic';
  system: string;
  messages: readonly ModelMessage[];
  /** With any, the answer is one call of one of them, or several if `parallel` is set. */
  tools: readonly ModelTool[];
  /** Whether the answer may have several calls. */
  parallel?: boolean;
  /** Whether the answer may be text instead of a call. */
  mayAnswer?: boolean;
  maxTokens: number | null;
  /** How this one answer is sampled, whatever is configured for the model. */
  sampling?: ModelSampling;
};

export type ModelAnswer = {
  text: string;
  call: { name: string; input: Json } | null;
  /** The calls after the first, where several were allowed. */
  more?: readonly { name: string; input: Json }[];
  usage: Usage;
  /** provider:model, as it answered. */
  model: string;
};

/** A language model. Failures are thrown as OkaError, with a fix. */
export type Model = {
  /** provider:model. */
  readonly id: string;
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /**
   * The same, streaming the text as it arrives; thoughts and calls go to `onHidden`. Only the resolved answer is final.
   */
  stream(
    request: ModelRequest,
    signal: AbortSignal,
    onText: (text: string) => void,
    onHidden?: (text: string) => void,
  ): Promise<ModelAnswer>;
};
