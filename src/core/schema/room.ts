/**
 * A room: one capability of the house, and everything it contributes, in the one object that its `room.ts` exports.
 * `app/rooms.ts` is the list of them; the worker, `oka doctor`, tidying and the command line are loops over that list.
 *
 * R1 Declaring does nothing. What costs time to load is imported inside the functions, so that `oka --help` starts fast.
 * R2 A room gets the ports that it names in `needs`, typed, and nothing else.
 * R3 A room is opened after the rooms that give what it needs, and closed before them.
 * R4 A room never prints and never serves: its commands return data and say how it reads, `kit/cli/printer.ts` prints it.
 */
import type { z } from 'zod';
import type { Config } from './config.ts';
import type { EventType } from './event.ts';
import type { Finding } from './finding.ts';
import type { Sharing } from './sharing.ts';
import type { Home } from './home.ts';
import type { Intake } from './intake.ts';
import type { Json } from './json.ts';
import type { Part } from './learning-part.ts';
import type { MaintenanceConfig } from './maintenance.ts';
import type { ProviderDefinition } from './model-provider.ts';
import type { NodeKind } from './node-kind.ts';
import type { ArtifactStore, Projection } from './ports.ts';
import type { Tool } from './tool.ts';
import type { View } from './view.ts';
import type { WaitAnswer, WaitFor } from './wait.ts';

/** The name of something that one room gives and others need, with its type. */
export type Port<T> = { readonly name: string; readonly type?: T };

export const port = <T>(name: string): Port<T> => ({ name });

/** The port of a part of config.json that a room contributes; the host gives its checked value. */
export const configPort = <T>(key: string): Port<T> => port(`config.${key}`);

// oxlint-disable-next-line typescript/no-explicit-any -- a list of ports has ports of every type
export type Ports = Readonly<Record<string, Port<any>>>;
export type PortValues<P extends Ports> = { readonly [K in keyof P]: P[K] extends Port<infer T> ? T : never };

/** Schemas by name. */
export type Schemas = Readonly<Record<string, z.ZodType>>;

/** What a room contributes. `Run` is the state of a run, as whoever opens the rooms knows it. */
export type Room<Run = unknown> = {
  /** Its folder below src. */
  readonly name: string;
  /** Types of the events that it writes; their schemas are in core/schema/event.ts. */
  readonly events?: readonly EventType[];
  /** Named folds over the run ledger that the worker keeps up to date. */
  readonly projections?: () => Promise<readonly Projection<unknown>[]>;
  /** Folds over both ledgers that people query. */
  readonly views?: () => Promise<readonly View[]>;
  /** Node kinds that people may write in graphs. */
  readonly nodes?: () => Promise<readonly NodeKind[]>;
  /** Names of the tools that `open` returns, for whoever checks a graph without opening anything. */
  readonly tools?: readonly string[];
  /** Names of further tools that it has in a home, because of what people configured there. */
  readonly homeTools?: (home: Home) => Promise<readonly string[]>;
  /** Its tools for a simulation or a replay, where no room is open. */
  readonly detachedTools?: (place: DetachedPlace) => Promise<readonly Tool[]>;
  /** Providers of models. */
  readonly providers?: () => Promise<readonly ProviderDefinition[]>;
  /** Parts of .oka/rules/config.json that only this room reads, by key. Every field needs a default. */
  readonly config?: () => Promise<Schemas>;
  /** Further schemas that `oka schema` prints, by name. */
  readonly schemas?: () => Promise<Schemas>;
  /** What maintenance learns from both ledgers, in this order: later parts read the rows of earlier ones. */
  readonly learning?: (settings: MaintenanceConfig) => Promise<readonly Part[]>;
  /** What the process of maintenance does for it besides learning. */
  readonly maintained?: () => Promise<Maintained>;
  /** What this home lets others know, and follows of what they do. */
  readonly sharing?: () => Promise<Sharing>;
  /** Throws when the home cannot be worked in; asked before the pen is taken and anything is written. */
  readonly check?: (home: Home) => Promise<void>;
  /**
   * Lines of `oka doctor`. Changes nothing, and works without the worker. `loadConfig` throws when config.json is not
   * valid, with the parts of all rooms; `loadProviders` returns the providers of models of all rooms. `isDeep` allows checks that take time with the size of the home.
   */
  readonly findings?: (home: Home, examination: Examination) => Promise<readonly Finding[]>;
  /** Makes again what it derives from the ledgers besides projections and views. */
  readonly rebuild?: (home: Home) => Promise<void>;
  /** The last record of the run ledger that it knows of from elsewhere: a ledger without it has lost something. */
  readonly lastRecord?: (home: Home, config: Config) => Promise<LastRecord | null>;
  /** Removes what is old. */
  readonly tidy?: (tidying: Tidying) => Promise<Partial<Tidied>>;
  /** Commands by name, such as `tools list`, of a room that is not in this repository: others are found by their folder. */
  readonly commands?: () => Promise<Readonly<Record<string, RoomCommand>>>;
  readonly needs: Ports;
  readonly gives: Ports;
  /** Starts what the room does while a process owns the pen. */
  readonly open?: (ports: never) => OpenedRoom<Run> | Promise<OpenedRoom<Run>>;
};

type Maintained = {
  /** Works beside the passes until the signal; nobody waits for it. */
  beside: (home: Home, config: Config, signal: AbortSignal, log: (line: string) => void) => Promise<void>;
  /** Done behind a single pass that a person asked for; a sentence about it, or null. */
  after: (home: Home, config: Config, signal: AbortSignal) => Promise<string | null>;
};

export type LastRecord = { seq: number; offset: number; hash: string; source: string };

type Examination = {
  loadConfig: () => Promise<unknown>;
  loadProviders: () => Promise<readonly ProviderDefinition[]>;
  isDeep: boolean;
  /** False for a process that must not have secrets in its memory. */
  mayOpenVault: boolean;
};

/** What an open room does for the worker. */
export type OpenedRoom<Run = unknown, Gives extends Ports = Ports> = {
  /** The values of the ports that it gives. */
  gives?: PortValues<Gives>;
  tools?: readonly Tool[];
  /** Does what a request from another process asks for. */
  intakes?: IntakeHandlers;
  /** Provides what a run waits for; null, or a rejection, when only a person can. */
  provide?: (run: Run, wait: ProvidedWait) => Promise<WaitAnswer> | null;
  /** Called when a run settles: over, blocked, paused or stopped. */
  runSettled?: (run: Run) => Promise<void>;
  /** Reads again what people may have changed; called before each round of requests. */
  refresh?: () => Promise<void>;
  /** Called several times a second, after the requests. */
  poll?: (state: { isStopped: boolean }) => Promise<void>;
  close?: () => PromiseLike<void> | void;
};

/** A wait that somebody may provide for. */
type ProvidedWait = { readonly wait: string; readonly node: string | null; readonly for: WaitFor };

/** A run that was set going, or that waits as it did before: then `unchanged` says so. */
export type RunHandle = {
  readonly run: { readonly id: string };
  readonly done: Promise<unknown>;
  readonly unchanged?: string;
};

/** The answer to a request that has to wait for its turn; other requests are read meanwhile. */
export type LateAnswer = { readonly answer: Promise<Json> };

export type IntakeHandlers = {
  readonly [Kind in Intake['kind']]?: (intake: Extract<Intake, { kind: Kind }>) => Promise<Handled>;
};

/** What a request has set going, if anything. */
export type Handled = RunHandle | LateAnswer | null;

/** The run that a request has set going; null when it was something else. */
export const startedRun = (handled: Handled): RunHandle | null =>
  handled !== null && 'run' in handled ? handled : null;

/** What is answered: the name of the run that was set going, or what comes when a request that takes time is done. */
export async function answerOf(handled: Handled): Promise<Json> {
  if (handled === null) return null;
  if ('answer' in handled) return handled.answer;
  const { run, unchanged } = handled;
  return { run: run.id, ...(unchanged === undefined ? {} : { unchanged }) };
}

/** Where a request finds that it is so already, nothing is recorded, and whoever asked is told in these words. */
export const isSoAlready = (unchanged: string): LateAnswer => ({ answer: Promise.resolve({ unchanged }) });

/** What an answer says about a request that changed nothing; null where something was done. */
export function unchangedIn(answer: unknown): string | null {
  const isObject = typeof answer === 'object' && answer !== null && 'unchanged' in answer;
  return isObject && typeof answer.unchanged === 'string' ? answer.unchanged : null;
}

export type Tidying = {
  home: Home;
  limits: Pick<Extract<Intake, { kind: 'tidy' }>, 'before' | 'outbox_mb'>;
  /** Whether a run has begun and not ended. */
  isActive: (run: string) => boolean;
  isDry: boolean;
  signal: AbortSignal;
};
export type Tidied = { artifacts: number; outbox: string[]; tools: string[]; bytes: number };

/** What every command has; `kit/cli/command-module.ts` says the rest. */
type RoomCommand = { summary: string; example: string; run: (call: never) => Promise<unknown> };

/** Where tools of a simulation or a replay work: a desk that may be a copy, without the pen. They start no run. */
export type DetachedPlace = {
  home: Home;
  desk: string;
  artifacts: ArtifactStore;
  /** A simulation invokes no tool; a replay invokes idempotent ones and compares what they return with the record. */
  purpose: 'simulation' | 'replay';
};

/**
 * Declares a room; the ports that `open` gets and gives follow from `needs` and `gives`.
 *
 *     export const upper = defineRoom({
 *       name: 'rooms/upper',
 *       tools: ['text.upper'],
 *       nodes: () => Promise.resolve([upperNode]),
 *       findings: (home) => Promise.resolve([{ state: 'good', what: 'upper', found: `capitals for ${home.dir}` }]),
 *       needs: { home: ports.home },
 *       open: ({ home }) => ({ tools: [upperTool], close: () => rmSync(join(home.oka, 'upper'), { force: true }) }),
 *     });
 */
export function defineRoom<Run, N extends Ports = Ports, G extends Ports = Ports>(
  room: Omit<Room<Run>, 'needs' | 'gives' | 'open'> & {
    needs?: N;
    gives?: G;
    open?: (ports: PortValues<N>) => OpenedRoom<Run, G> | Promise<OpenedRoom<Run, G>>;
  },
): Room<Run> {
  return { ...room, needs: room.needs ?? {}, gives: room.gives ?? {} };
}
