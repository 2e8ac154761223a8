/**
 * Every command, and what it is to writing: those that change what only the process with the pen may change have a row that
 * says how to run them and how what they did is counted from outside. `test/app/cli/writing-commands.test.ts` compares the
 * list with the commands there are, `test/adversarial/writing-commands.test.ts` runs the rows.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Event } from '../../src/core/schema/event.ts';
import { okaWith } from './cli.ts';
import type { Story } from './story.ts';

/** What was done, as somebody sees it who looks at the files and the ledger. */
export type Outside = { events: readonly Event[]; text: (path: string) => string | null };

type Row = {
  /** Commands that make what it is about, where `prepare` does not. */
  before?: (n: number) => string[][];
  /** The words of the command; `n` names what it is about, so that several do not mean the same. */
  words: (n: number) => string[];
  input?: string;
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
const chat = (name: string) => (n: number) => [['chat', 'new', `${name}${n}`]];
const begun = (name: string) => (n: number) => [['graph', 'run', 'question', '--id', `${name}${n}`]];
const runbook = (line: string): string => `\`\`\`bash\n${line}\n\`\`\``;

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
  'graph state set': { words: (n) => ['work0', `k${n}`, '1'], times: recorded('state.written', (n) => `k${n}`) },
  undo: {
    words: (n) => [`lost${n}`],
    times: (outside, n) =>
      outside.text(`desk/lost${n}.txt`) === null ? recorded('run.undone', () => `lost${n}`)(outside, n) : 0,
  },
  'runs pin': { words: (n) => [`base${n}`], times: recorded('runs.marked', (n) => `base${n}`) },
  'runs archive': { words: (n) => [`lost${n}`], times: recorded('runs.marked', (n) => `lost${n}`) },
  answer: { words: (n) => [`ask${n}`, 'yes'], times: recorded('wait.closed', (n) => `ask${n}`) },
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
  'memory forget': { words: (n) => [`dim${n}`], times: recorded('fact.forgotten', (n) => `dim${n}`) },
  'context put-frame': {
    words: (n) => [`desk/about${n}.txt`, 'FRAME'],
    times: ({ events }, n) =>
      events.filter(({ type, data }) => type === 'frame.put' && JSON.stringify(data).includes(`about${n}.txt`)).length,
  },
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
};

/**
 * All others. `reads`: changes nothing. `same`: asks for the same as a row, in the same way. `files`: writes files of its own,
 * and asks nobody. `serves`: goes on until it is ended, or leads a dialog. `beyond`: needs a model, a server or a network to do
 * anything, and has tests where there is one.
 */
export const OTHERS = {
  reads:
    'check,read,runs,find,show,status,metrics,log,chat,chat search,chat view,schedule list,web sessions,accounts list,channels list,channels log,memory,memory about,memory changes,memory daily days,memory daily search,memory fact get,memory fact list,memory fact search,memory pack,memory retrieve,procedures list,procedures show,procedures why,context diff,context get-head,context get-node,context list-frames,context map,context report,context show,context status,context validate,graph diff,graph list,graph render,graph runs,graph schedule list,graph show,graph state checkpoints,graph state get,graph state history,graph state show,graph validate,graph versions,diff,simulate,explain,replay,skills check,skills list,skills show,agents check,agents list,agents show,requirements,tools audit,tools doctor,tools list,mcp list,model list,secrets export-recipient,secrets list,secrets show-usage,classify,doctor,add-on list,service status,verify,schema,backup list,replica status',
  same: 'runs again,again,correct,approve,deny,chat cleanup,chat clear,chat stop,schedule backfill,schedule start,schedule stop,schedule tick,graph schedule backfill,graph schedule delete,graph schedule off,graph schedule on,graph schedule start,graph schedule stop,graph schedule tick,graph schedule trigger,graph state delete,memory fact prune,memory import,memory undo,procedures demote,procedures promote,context compact,context restore,context scan,tidy,ledger archive,tools prune,tools remove,requirements resolve,fleet again,fleet cancel',
  files:
    'init,add,new,chat send,schedule add,graph schedule add,unpause,web link,web passphrase,web revoke,web token,accounts add,accounts remove,accounts see,channels add,channels hook,channels pair,procedures export,graph delete,graph import,graph new,graph patch,graph pin,graph rollback,skills add,skills remove,skills runbook,agents new,requirements contents,mcp add,mcp remove,add-on remove,receipt,rebuild,rebuild index,ledger accept-rollback,backup,backup check,restore,replica off,replica on',
  serves: 'up,worker,maintain,web,chat join,chat open,egress,mcp serve,watch,bench,model setup',
  beyond:
    'ask,accounts test,channels test,context ask,context invalidate,context regenerate,context synthesize,graph build,tools install,tools update,mcp login,mcp logout,mcp test,mcp tools,model test,model use,version,update,add-on add,service install,service logs,service remove,replica backfill,replica pull,replica verify,fleet backfill,fleet create,fleet drain,fleet members,fleet permissions,fleet resume,fleet status,fleet stop,fleet verify,fleet why',
} as const;

const node = (line: string): object => ({
  id: 'a',
  kind: 'tool',
  tool: 'shell',
  input: { line },
  timeout_seconds: 60,
  max_retries: 0,
});

/** Makes what the rows are about, and for these names also what only they need. */
export async function prepare(story: Story, count: number, names: readonly string[] = []): Promise<void> {
  const graph = (id: string, first: object): void =>
    story.write(`workspace/graphs/${id}.json`, JSON.stringify({ id, nodes: [first] }));
  const begin = (id: string): Promise<unknown> => story.oka('graph', 'run', id, '--id', id);
  graph('question', { id: 'a', kind: 'ask', question: 'Sure?', options: ['yes', 'no'] });
  graph('work', node('echo x >> work.txt'));
  for (let n = 0; n < count; n += 1) {
    for (const name of ['work', 'base', 'lost']) graph(`${name}${n}`, node(`echo x >> ${name}${n}.txt`));
    graph(`bad${n}`, node(`test -e ready && echo x >> bad${n}.txt`));
    for (const name of ['ask', 'halt', 'stop', 'noted'])
      graph(`${name}${n}`, { id: 'a', kind: 'ask', question: 'Sure?', options: ['yes', 'no'] });
    for (const name of ['base', 'lost', 'bad', 'ask', 'halt', 'stop', 'noted']) await begin(`${name}${n}`);
    for (const name of ['old', 'dim'])
      await story.oka('memory', 'fact', 'add', `Fact ${name} ${n}.`, '--id', `${name}${n}`);
    story.write(`workspace/desk/about${n}.txt`, `File ${n}.\n`);
    for (const name of ['plan', 'gone', 'due', 'rest'])
      story.write(
        `workspace/schedules/${name}${n}.md`,
        `---\nevery: monday 08:00\n---\n${runbook(`echo x >> ${name}${n}.txt`)}\n`,
      );
    await story.oka('chat', 'new', `trip${n}`);
    for (const name of ['OLD', 'TURNED'])
      await okaWith({ input: 'a-value-of-old' }, 'secrets', 'set', `${name}_${n}`, '--dir', story.home.dir);
    for (const words of names.flatMap((name) => ROWS[name]?.before?.(n) ?? [])) await story.oka(...words);
  }
  story.write('workspace/desk/ready', '');
  story.write('frame.md', 'What it is about.\n');
  await story.oka('context', 'scan');
}

/** With the file of a frame where it is in this home. */
export const wordsOf = (name: string, { words }: Row, n: number, story: Story): string[] => [
  ...name.split(' '),
  ...words(n).map((word) => (word === 'FRAME' ? join(story.home.dir, 'frame.md') : word)),
];
