/**
 * The commands that change what only the process with the pen may change: a row says how to run one, and how what it did is
 * counted from outside. `test/adversarial/writing-commands.test.ts` runs the rows; the other commands are in
 * other-commands.ts, and `test/app/cli/writing-commands.test.ts` compares both lists with the commands there are.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Event } from '../../src/core/schema/event.ts';

/** What was done, as somebody sees it who looks at the files and the ledger. */
export type Outside = { events: readonly Event[]; text: (path: string) => string | null };

export type Row = {
  /** Commands that make what it is about, where `prepare` does not. */
  before?: (n: number) => string[][];
  /** The words of the command; `n` names what it is about, so that several do not mean the same. */
  words: (n: number) => string[];
  input?: string;
  /** How long what `before` has made has to be there, until there is something to do. */
  afterMs?: number;
  /** Its exit code, where that is not 0: 4 for a run that waits for an answer. */
  exit?: number;
  /** How often it has been done. */
  times: (outside: Outside, n: number) => number;
};

const lines = ({ text }: Outside, path: string): number => (text(path) ?? '').split('\n').filter(Boolean).length;
/** Recorded events of a type that name something. */
const recorded =
  (type: Event['type'], named: (n: number) => string) =>
  ({ events }: Outside, n: number): number =>
    events.filter((event) => event.type === type && JSON.stringify([event.run, event.data]).includes(`"${named(n)}"`))
      .length;
/** Recorded events of a type, whose data is as it has to be, about a conversation by its name. */
const ofChat =
  (type: Event['type'], named: (n: number) => string, data: object = {}) =>
  ({ events }: Outside, n: number): number => {
    const opened = events.find((event) => event.type === 'chat.opened' && event.data.name === named(n));
    const wanted = { ...data, conversation: (opened?.data as { conversation?: string } | undefined)?.conversation };
    return events.filter((event) => event.type === type && has(event.data, wanted)).length;
  };
/** Marks of a run by a person. */
const marked =
  (named: (n: number) => string, mark: object) =>
  ({ events }: Outside, n: number): number =>
    events.filter(({ type, data }) => type === 'runs.marked' && has(data, { runs: [named(n)], ...mark })).length;
const has = (data: object, wanted: object): boolean =>
  Object.entries(wanted).every(([key, value]) => isDeepStrictEqual((data as Record<string, unknown>)[key], value));
/** What all of these commands ask for together is done once; `before` of them were there. */
const once =
  (type: Event['type'], before = 0) =>
  ({ events }: Outside): number =>
    events.filter((event) => event.type === type).length - before;
/** Versions of a graph that were saved for this reason. */
const saved =
  (named: (n: number) => string, cause: string) =>
  ({ events }: Outside, n: number): number =>
    events.filter(({ type, data }) => type === 'graph.saved' && has(data, { graph: named(n), cause })).length;
const chat = (name: string) => (n: number) => [['chat', 'new', `${name}${n}`]];
const begun = (name: string) => (n: number) => [['graph', 'run', 'question', '--id', `${name}${n}`]];
export const runbook = (line: string): string => `\`\`\`bash\n${line}\n\`\`\``;

/** Of commands that write through whoever has the pen. */
export const ROWS: Readonly<Record<string, Row>> = {
  run: { words: (n) => [runbook(`echo x >> run${n}.txt`)], times: (outside, n) => lines(outside, `desk/run${n}.txt`) },
  'graph run': { words: (n) => [`work${n}`], times: (outside, n) => lines(outside, `desk/work${n}.txt`) },
  'graph replay': { words: (n) => [`base${n}`], times: (outside, n) => lines(outside, `desk/base${n}.txt`) - 1 },
  'graph resume': { words: (n) => [`bad${n}`], times: (outside, n) => lines(outside, `desk/bad${n}.txt`) },
  'graph fork': {
    words: (n) => [`base${n}`, 'a', '--id', `fork${n}`],
    times: recorded('run.started', (n) => `fork${n}`),
  },
  'graph new': { words: (n) => ['page-watch', '--as', `fresh${n}`], times: saved((n) => `fresh${n}`, 'created') },
  'graph patch': {
    words: (n) => [`patched${n}`, 'a', 'timeout_seconds', '30'],
    times: saved((n) => `patched${n}`, 'patched'),
  },
  'graph pin': { words: (n) => [`pinned${n}`, 'a', '{"exit":0}'], times: saved((n) => `pinned${n}`, 'patched') },
  'graph rollback': {
    before: (n) => [['graph', 'patch', `rolled${n}`, 'a', 'timeout_seconds', '30']],
    words: (n) => [`rolled${n}`],
    times: saved((n) => `rolled${n}`, 'rolled_back'),
  },
  'graph delete': { words: (n) => [`dropped${n}`, '--yes'], times: saved((n) => `dropped${n}`, 'deleted') },
  'graph state delete': {
    before: (n) => [['graph', 'state', 'set', 'work0', `d${n}`, '1']],
    words: (n) => ['work0', `d${n}`],
    times: ({ events }, n) =>
      events.filter(({ type, data }) => type === 'state.written' && has(data, { key: `d${n}`, deleted: true })).length,
  },
  'graph state set': { words: (n) => ['work0', `k${n}`, '1'], times: recorded('state.written', (n) => `k${n}`) },
  undo: {
    words: (n) => [`lost${n}`],
    times: (outside, n) =>
      outside.text(`desk/lost${n}.txt`) === null ? recorded('run.undone', () => `lost${n}`)(outside, n) : 0,
  },
  'runs pin': { words: (n) => [`base${n}`], times: recorded('runs.marked', (n) => `base${n}`) },
  'runs archive': { words: (n) => [`lost${n}`], times: recorded('runs.marked', (n) => `lost${n}`) },
  answer: { words: (n) => [`ask${n}`, 'yes'], times: recorded('wait.closed', (n) => `ask${n}`) },
  approve: {
    before: (n) => [['graph', 'run', `sure${n}`, '--id', `sure${n}`]],
    words: (n) => [`sure${n}`],
    times: (outside, n) => lines(outside, `desk/sure${n}.txt`),
  },
  deny: {
    before: (n) => [['graph', 'run', `never${n}`, '--id', `never${n}`]],
    words: (n) => [`never${n}`],
    times: (outside, n) =>
      lines(outside, `desk/never${n}.txt`) === 0 ? recorded('wait.closed', () => `never${n}`)(outside, n) : 2,
  },
  'runs unpin': {
    before: (n) => [...begun('loose')(n), ['runs', 'pin', `loose${n}`]],
    words: (n) => [`loose${n}`],
    times: marked((n) => `loose${n}`, { pinned: false }),
  },
  'runs unarchive': {
    before: (n) => [
      ['graph', 'run', 'work', '--id', `back${n}`],
      ['runs', 'archive', `back${n}`],
    ],
    words: (n) => [`back${n}`],
    times: marked((n) => `back${n}`, { archived: false }),
  },
  'runs pause': {
    before: begun('rests'),
    words: (n) => [`rests${n}`],
    times: recorded('run.paused', (n) => `rests${n}`),
  },
  'runs resume': {
    before: (n) => [...begun('goes')(n), ['pause', `goes${n}`]],
    words: (n) => [`goes${n}`],
    times: recorded('run.resumed', (n) => `goes${n}`),
  },
  'runs cancel': {
    before: begun('ends'),
    words: (n) => [`ends${n}`, '--yes'],
    times: recorded('run.ended', (n) => `ends${n}`),
  },
  'runs undo': {
    before: (n) => [['graph', 'run', 'work', '--id', `taken${n}`]],
    words: (n) => [`taken${n}`, '--yes'],
    times: recorded('run.undone', (n) => `taken${n}`),
  },
  fork: {
    words: (n) => [`base${n}`, '--from', 'a', '--id', `split${n}`],
    times: recorded('run.started', (n) => `split${n}`),
  },
  resume: {
    before: (n) => [...begun('on')(n), ['pause', `on${n}`]],
    words: (n) => [`on${n}`],
    exit: 4,
    times: recorded('run.resumed', (n) => `on${n}`),
  },
  pause: { words: (n) => [`halt${n}`], times: recorded('run.paused', (n) => `halt${n}`) },
  cancel: { words: (n) => [`stop${n}`], times: recorded('run.ended', (n) => `stop${n}`) },
  note: { words: (n) => [`noted${n}`, 'hello'], times: recorded('note.received', (n) => `noted${n}`) },
  'memory fact add': {
    words: (n) => [`The dentist number ${n} is in Mill Lane.`, '--id', `fact${n}`],
    times: recorded('fact.kept', (n) => `fact${n}`),
  },
  'memory fact delete': { words: (n) => [`old${n}`], times: recorded('fact.forgotten', (n) => `old${n}`) },
  'memory fact prune': {
    before: (n) => [['memory', 'fact', 'add', `Short ${n}.`, '--id', `short${n}`, '--ttl', '1s']],
    afterMs: 1100,
    words: () => [],
    times: recorded('fact.forgotten', (n) => `short${n}`),
  },
  'memory import': { words: (n) => [`FILE said${n}.jsonl`], times: recorded('episode.imported', (n) => `said${n}`) },
  'memory forget': { words: (n) => [`dim${n}`], times: recorded('fact.forgotten', (n) => `dim${n}`) },
  'context put-frame': {
    words: (n) => [`desk/about${n}.txt`, 'FILE frame.md'],
    times: ({ events }, n) =>
      events.filter(({ type, data }) => type === 'frame.put' && JSON.stringify(data).includes(`about${n}.txt`)).length,
  },
  'context restore': {
    words: (n) => [`desk/moved${n}.txt`, `desk/about${n}.txt`],
    times: ({ events }, n) =>
      events.filter(({ type, data }) => type === 'tree.restored' && JSON.stringify(data).includes(`moved${n}.txt`))
        .length,
  },
  'context scan': { words: () => [], times: once('tree.scanned', 2) },
  'secrets set': {
    words: (n) => [`SECRET_${n}`],
    input: 'a-value',
    times: recorded('secret.changed', (n) => `SECRET_${n}`),
  },
  'secrets rotate': {
    words: (n) => [`TURNED_${n}`],
    input: 'another-value',
    times: (outside, n) => recorded('secret.changed', () => `TURNED_${n}`)(outside, n) - 1,
  },
  'secrets rm': {
    words: (n) => [`OLD_${n}`],
    times: (outside, n) => recorded('secret.changed', () => `OLD_${n}`)(outside, n) - 1,
  },
  'schedule off': {
    words: (n) => [`plan${n}`],
    times: ({ events }, n) =>
      events.filter(
        ({ type, data }) => type === 'schedule.changed' && data.schedule === `plan${n}` && data.change === 'off',
      ).length,
  },
  'schedule on': {
    before: (n) => [['schedule', 'off', `rest${n}`]],
    words: (n) => [`rest${n}`],
    times: ({ events }, n) =>
      events.filter(
        ({ type, data }) => type === 'schedule.changed' && has(data, { schedule: `rest${n}`, change: 'on' }),
      ).length,
  },
  'schedule delete': {
    words: (n) => [`gone${n}`],
    times: (outside, n) => (outside.text(`schedules/gone${n}.md`) === null ? 1 : 0),
  },
  'schedule backfill': {
    words: (n) => [`late${n}`, '2026-11-01', '2026-11-07', '--yes'],
    times: (outside, n) => lines(outside, `desk/late${n}.txt`),
  },
  'schedule trigger': { words: (n) => [`due${n}`], times: (outside, n) => lines(outside, `desk/due${n}.txt`) },
  'chat new': { words: (n) => [`talk${n}`], times: recorded('chat.opened', (n) => `talk${n}`) },
  'chat pause': {
    before: chat('quiet'),
    words: (n) => [`quiet${n}`],
    times: ofChat('chat.paused', (n) => `quiet${n}`),
  },
  'chat resume': {
    before: (n) => [...chat('heard')(n), ['chat', 'pause', `heard${n}`]],
    words: (n) => [`heard${n}`],
    times: ofChat('chat.resumed', (n) => `heard${n}`),
  },
  'chat pin': {
    before: chat('top'),
    words: (n) => [`top${n}`],
    times: ofChat('chat.changed', (n) => `top${n}`, { pinned: true }),
  },
  'chat unpin': {
    before: (n) => [...chat('low')(n), ['chat', 'pin', `low${n}`]],
    words: (n) => [`low${n}`],
    times: ofChat('chat.changed', (n) => `low${n}`, { pinned: false }),
  },
  'chat ttl': {
    before: chat('brief'),
    words: (n) => [`brief${n}`, '30d'],
    times: ofChat('chat.changed', (n) => `brief${n}`, { ttl: 2_592_000 }),
  },
  'chat memory': {
    before: chat('private'),
    words: (n) => [`private${n}`, 'off'],
    times: ofChat('chat.changed', (n) => `private${n}`, { memory: 'off' }),
  },
  'chat fork': { words: (n) => [`trip${n}`, `side${n}`], times: recorded('chat.opened', (n) => `side${n}`) },
  'chat delete': {
    before: chat('over'),
    words: (n) => [`over${n}`, '--yes'],
    times: ofChat('chat.deleted', (n) => `over${n}`),
  },
  'chat rename': { words: (n) => [`trip${n}`, `tour${n}`], times: recorded('chat.changed', (n) => `tour${n}`) },
  // last: what has ended goes into the archive
  'ledger archive': { words: () => ['--before', '2099-01-01'], times: once('ledger.archived') },
};
