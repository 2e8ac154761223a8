/**
 * Reaching people without a worker: a ledger in memory, a clock that is set by hand, and channels that write down what
 * they are given, or real ones.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { AccessRoute } from '../../src/kit/egress/server-access.ts';
import { reachingProjection } from '../../src/rooms/channels/delivery-state.ts';
import type { Reaching } from '../../src/rooms/channels/reaching-state.ts';
import { openReaching, type ReachingPorts } from '../../src/rooms/channels/open-reaching.ts';
import type { ReachingPort } from '../../src/kit/ports/reaching-port.ts';
import { homeAt } from '../../src/kit/settings.ts';
import type {
  ChannelInbox,
  ChannelMessage,
  ChannelQuestion,
  DeliveryOutcome,
} from '../../src/core/schema/channel-port.ts';
import { checkEvent, type Event, type NewEvent } from '../../src/core/schema/event.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { WaitFor } from '../../src/core/schema/wait.ts';
import { temporaryFolder } from './cli.ts';

export type Shown = { channel: string; act: 'announce' | 'ask' | 'close'; message: ChannelMessage | ChannelQuestion };

export type ReachingStory = {
  home: Home;
  events: Event[];
  ledger: ReachingPorts['ledger'];
  projections: ReachingPorts['projections'];
  shown: Shown[];
  log: string[];
  /** Ids of tasks that the ledger has. */
  known: string[];
  state: () => Reaching;
  /** Sets what the channels answer; they accept everything at first. */
  answer: (outcome: (shown: Shown) => DeliveryOutcome | Promise<DeliveryOutcome>) => void;
  append: (...events: readonly NewEvent[]) => Promise<void>;
  /** Moves the clock and polls every step of it. */
  pass: (ms: number, stepMs?: number) => Promise<void>;
  now: () => number;
  inbox: (channel: string) => ChannelInbox;
  press: (channel: string, token: string) => Promise<unknown>;
  /** Ends this process and starts the next one with the same ledger. */
  restart: () => Promise<void>;
  watch: () => void;
  close: () => Promise<void>;
};

export const START = Date.UTC(2026, 0, 5, 12);

/** With a `route` the channels are real ones, and each attempt has ended before the clock goes on. */
export function reachingStory(
  dir: string,
  file: unknown,
  redact = (text: string): string => text,
  route?: AccessRoute,
): ReachingStory {
  const home = homeAt(dir);
  mkdirSync(join(home.oka, 'rules'), { recursive: true });
  mkdirSync(join(home.oka, 'web'), { recursive: true });
  mkdirSync(join(home.oka, 'state'), { recursive: true });
  writeFileSync(join(home.oka, 'rules', 'channels.json'), JSON.stringify(file));
  let clock = START;
  const events: Event[] = [];
  let folded = reachingProjection.initial();
  const shown: Shown[] = [];
  const log: string[] = [];
  const known: string[] = [];
  const inboxes = new Map<string, ChannelInbox>();
  let outcome: (shown: Shown) => DeliveryOutcome | Promise<DeliveryOutcome> = () => ({ status: 'sent', ref: 'r' });
  const append = (given: NewEvent | readonly NewEvent[]): Promise<Event[]> => {
    const staged = (Array.isArray(given) ? (given as NewEvent[]) : [given as NewEvent]).map((event): Event => {
      const at = new Date(clock).toISOString();
      return { ...checkEvent(event), seq: events.length + 1, at, pen: 'run' } as Event;
    });
    for (const event of staged) {
      events.push(event);
      folded = reachingProjection.apply(folded, JSON.parse(JSON.stringify(event)) as Event);
    }
    return Promise.resolve(staged);
  };
  const give =
    (channel: string, act: Shown['act']) =>
    async (message: ChannelMessage): Promise<DeliveryOutcome> => {
      const given = { channel, act, message };
      shown.push(given);
      return outcome(given);
    };
  const writingChannel: NonNullable<ReachingPorts['open']> = (settings, { name }) =>
    Promise.resolve({
      announce: give(name, 'announce'),
      ask: give(name, 'ask'),
      ...(settings.kind === 'ntfy' ? { close: give(name, 'close'), canUpdate: true } : {}),
      receive: (inbox, signal) => {
        inboxes.set(name, inbox);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
  const isSending = (): boolean =>
    route !== undefined && Object.values(folded.channels).some(({ open }) => open !== null && open.retryAt === null);
  const ledger = { append: append as never };
  const projections: ReachingPorts['projections'] = {
    stateOf: ({ name }) => (name === 'reaching' ? folded : { ids: known }) as never,
  };
  const start = (): ReachingPort => {
    const opened = openReaching({
      home,
      ledger,
      projections,
      redact,
      route: route ?? { find: () => Promise.resolve(null), proxyFor: () => Promise.resolve(null) },
      now: () => clock,
      ...(route === undefined ? { open: writingChannel } : {}),
    });
    opened.activate((line) => void log.push(line));
    return opened;
  };
  let opened = start();
  return {
    home,
    events,
    ledger,
    projections,
    shown,
    log,
    known,
    state: () => folded,
    answer: (given) => (outcome = given),
    append: async (...given) => void (await append(given)),
    pass: async (ms, stepMs = 1000) => {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock += stepMs;
        await opened.poll({ isStopped: false });
        while (isSending()) await sleep(5);
        for (let turn = 0; turn < 4; turn += 1) await nextTurn();
      }
    },
    now: () => clock,
    press: (channel, token) => opened.press(channel, token),
    inbox: (channel) => {
      const found = inboxes.get(channel);
      if (found === undefined) throw new Error(`${channel} receives nothing yet`);
      return found;
    },
    restart: async () => {
      await opened.close();
      opened = start();
    },
    watch: () => {
      const file = join(home.oka, 'web', 'presence');
      writeFileSync(file, '');
      utimesSync(file, clock / 1000, clock / 1000);
    },
    close: () => opened.close(),
  };
}

/** Stories that end, with their folders, when `closeStories` is called. */
export function reachingStories(): {
  tell: (file: object, redact?: (text: string) => string, route?: AccessRoute) => ReachingStory;
  closeStories: () => Promise<void>;
} {
  const open: { story: ReachingStory; folder: Disposable }[] = [];
  return {
    tell: (file, redact, route) => {
      const folder = temporaryFolder();
      const story = reachingStory(folder.dir, file, redact, route);
      open.push({ story, folder });
      return story;
    },
    closeStories: async () => {
      for (const { story, folder } of open.splice(0)) {
        await story.close();
        folder[Symbol.dispose]();
      }
    },
  };
}

export const runStarted = (run: string, title = `The task ${run}`): NewEvent => ({
  type: 'run.started',
  run,
  data: { title, graph: { id: 'g', sha256: 'a'.repeat(64) } },
});
export const runEnded = (run: string, status: 'done' | 'failed' = 'done'): NewEvent => ({
  type: 'run.ended',
  run,
  data: { status, reason: `it is ${status}` },
});
export const waitOpened = (run: string, awaited: WaitFor, wait = `${run}.ask.1`): NewEvent => ({
  type: 'wait.opened',
  run,
  data: { wait, node: 'ask', for: awaited },
});
export const waitClosed = (run: string, wait = `${run}.ask.1`): NewEvent => ({
  type: 'wait.closed',
  run,
  data: { wait, node: 'ask', answer: { verdict: 'answered', text: 'blue' } },
});
export const question = (options?: string[]): WaitFor => ({
  kind: 'question',
  text: 'Which colour?',
  ...(options === undefined ? {} : { options }),
});
export const approval = (klass: 'write_local' | 'external_mutation' = 'external_mutation'): WaitFor => ({
  kind: 'approval',
  binding: 'b'.repeat(64),
  text: 'May it?',
  asked: {
    tool: 'shell',
    class: klass,
    author: 'model',
    command: 'curl -X POST https://example.org',
    why: 'it changes something elsewhere',
    env: [],
    values: [],
    changes: [],
    files: [],
    odd: [],
  } as never,
});
