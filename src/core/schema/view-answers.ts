/** What queries over the ledgers answer: plain JSON for commands and pages. The descriptions are the documentation. */
import { z } from 'zod';
import { eventData, Pen } from './event.ts';
import { Id, Instant, NodeId } from './names.ts';
import { Procedure, ProcedureMove, ProcedureStatus, Usual } from './procedure.ts';
import { PlannedNode, NodeStatus, RunKind, RunLink, RunStatus } from './run.ts';
import { WaitFor } from './wait.ts';

export const Cost = z
  .strictObject({
    tokens: z.int().nonnegative().describe('Model tokens, in and out.'),
    usd: z.number().nonnegative().describe('Money.'),
    calls: z.int().describe('Calls of tools.'),
    failed_calls: z.int().nonnegative().describe('Calls that failed, also those that were repeated.'),
  })
  .describe('What a run has spent; runs inside it are counted when they end.');
export type Cost = z.infer<typeof Cost>;

export const OpenWait = z
  .strictObject({
    wait: z.string().describe('Its name.'),
    node: NodeId.nullable().describe('The step that waits.'),
    for: WaitFor,
  })
  .describe('Something that a run waits for.');

export const AwaitedDesk = z
  .strictObject({
    since: Instant.describe('Since when.'),
    run: Id.nullable().describe('The run that works there now; null when it is none, or has just ended.'),
    title: z.string().nullable().describe('What that run is about.'),
  })
  .describe('That a run does nothing but wait for its turn on the desk.');
export type AwaitedDesk = z.infer<typeof AwaitedDesk>;

export const RunSummary = z
  .strictObject({
    run: Id,
    title: z.string().describe('What it is about.'),
    status: RunStatus,
    started: Instant.describe('When it started.'),
    ended: Instant.nullable().describe('When it ended; null while it is not over.'),
    parent: Id.nullable().describe('The run that started it or that it continues.'),
    link: RunLink.optional(),
    state: z.string().describe('Name of the current state, such as EXECUTE.'),
    reason: z.string().describe('Why it ended so; empty while it is not over.'),
    steps: z
      .strictObject({
        done: z.int().nonnegative().describe('Steps that are done.'),
        all: z.int().nonnegative().describe('Steps that it has.'),
      })
      .describe('How far it is.'),
    waits: z.int().nonnegative().describe('How many things it waits for.'),
    desk: AwaitedDesk.optional(),
    cost: Cost,
    cursor: z
      .int()
      .positive()
      .describe('Its place in the list: give it as `after` for what comes behind it, as `before` for what is newer.'),
    kind: RunKind,
    tags: z.array(z.string()).optional().describe('Words to find it by, from the task.'),
    schedule: Id.optional().describe('The schedule that it is a time of.'),
    archived: z.literal(true).optional().describe('It is hidden from lists.'),
    pinned: z.literal(true).optional().describe('It is always shown first.'),
    related: z.int().nonnegative().describe('How many runs it started, or continue or correct it.'),
  })
  .describe('One run in a list.');
export type RunSummary = z.infer<typeof RunSummary>;

export const CurrentRun = RunSummary.pick({
  run: true,
  title: true,
  status: true,
  state: true,
  started: true,
  steps: true,
  desk: true,
})
  .extend({
    current: z.string().nullable().describe('The step that is being done or waits; null between two steps.'),
    inside: z.array(Id).describe('Runs inside it that are not over; what they do and spend is counted here.'),
    cost: Cost,
  })
  .describe('A run that is not over, with the runs inside it.');
export type CurrentRun = z.infer<typeof CurrentRun>;

const oneOrSeveral = <T extends z.ZodType>(value: T) => z.union([value, z.array(value).min(1).max(20)]);

/** Which runs: the filters of lists and of acts on many runs. */
export const runFilterFields = {
  status: oneOrSeveral(RunStatus).optional().describe('Only runs with this status, or one of several.'),
  kind: oneOrSeveral(RunKind).optional().describe('Only runs of this kind, or one of several.'),
  tag: z.string().min(1).max(80).optional().describe('Only tasks with this tag.'),
  schedule: Id.optional().describe('Only runs of this schedule.'),
  since: Instant.optional().describe('Only runs that started at this moment or later.'),
  until: Instant.optional().describe('Only runs that started before this moment.'),
  min_cost: z.number().nonnegative().optional().describe('Only runs that cost at least so many US dollars.'),
  max_cost: z.number().nonnegative().optional().describe('Only runs that cost at most so many US dollars.'),
  text: z
    .string()
    .max(1000)
    .optional()
    .describe('Only runs whose title or name has these words, or words that begin so.'),
  archived: z
    .enum(['no', 'only', 'also'])
    .default('no')
    .describe('What is done with archived runs: left out, the only ones listed, or listed among the others.'),
};

export const RunsQuery = z
  .strictObject({
    ...runFilterFields,
    all: z.boolean().default(false).describe('Also the runs inside others.'),
    limit: z.int().nonnegative().default(20).describe('At most so many, the latest; 0 for all.'),
    after: z.int().positive().optional().describe('Only runs behind this cursor: the next page.'),
    before: z.int().positive().optional().describe('Only runs newer than this cursor: the page before.'),
    skip: z
      .int()
      .nonnegative()
      .optional()
      .describe('Only runs behind so many newer ones; in the list without filters, instead of a cursor.'),
  })
  .describe('Which runs to list.');
export type RunsQuery = z.input<typeof RunsQuery>;

export const RunsPage = z
  .strictObject({
    runs: z.array(RunSummary).describe('The latest first.'),
    pinned: z.array(RunSummary).describe('The pinned runs among them, the latest first; on the first page only.'),
    next: z.int().positive().nullable().describe('Give it as `after` for the next page; null at the end.'),
    previous: z.int().positive().nullable().describe('Give it as `before` for the page before; null at the start.'),
    total: z
      .int()
      .nonnegative()
      .nullable()
      .describe('How many runs there are; null where counting them would mean reading them all.'),
  })
  .describe(
    'One page of a list of runs. It may have fewer runs than asked for, or none, although there is a next page: a page reads a limited part of history.',
  );
export type RunsPage = z.infer<typeof RunsPage>;

const Step = PlannedNode.extend({ status: NodeStatus }).describe('A step of a run.');

export const RunDetail = RunSummary.omit({ waits: true, steps: true })
  .extend({
    depth: z.int().nonnegative().describe('How many runs it is inside of.'),
    graph: z.string().describe('Name of the graph.'),
    ledger: z
      .strictObject({
        first: z.int().positive().describe('Its first event.'),
        last: z.int().positive().describe('Its latest event so far.'),
      })
      .describe('Where its events are in the run ledger.'),
    steps: z.array(Step).describe('Its steps.'),
    waits: z.array(OpenWait).describe('What it waits for.'),
    children: z
      .array(RunSummary)
      .describe('Runs that it started or that continue it, in the order in which they began.'),
  })
  .describe('One run, from its rows alone.');
export type RunDetail = z.infer<typeof RunDetail>;

export const Waiting = z
  .strictObject({
    wait: z.string().describe('Its name, for oka approve and oka answer.'),
    run: Id,
    title: z.string().describe('What the run is about.'),
    node: NodeId.nullable().describe('The step that waits.'),
    opened: Instant.describe('Since when.'),
    for: WaitFor,
    person: z.boolean().describe('Whether a person can end it; a timer and another run end by themselves.'),
  })
  .describe('Something that is awaited now.');
export type Waiting = z.infer<typeof Waiting>;

export const SecretUse = eventData['secret.used']
  .extend({ at: Instant.describe('When.'), run: Id.nullable().describe('In which run.') })
  .describe('A secret that was given to a call.');
export type SecretUse = z.infer<typeof SecretUse>;

export const KnownSecret = z
  .strictObject({
    name: Id.describe('Its name.'),
    version: z.int().positive().describe('Its latest version.'),
    change: eventData['secret.changed'].shape.change
      .nullable()
      .describe('What was last done to it; null: nothing yet.'),
    changed: Instant.nullable().describe('When.'),
    uses: z.int().nonnegative().describe('How many calls were given it.'),
    used: Instant.nullable().describe('When it was used last.'),
  })
  .describe('A secret by its name; its value is in the vault alone.');
export type KnownSecret = z.infer<typeof KnownSecret>;

export const FactsQuery = z
  .strictObject({
    namespace: z.string().max(120).optional().describe('Only facts of this topic.'),
    all: z.boolean().default(false).describe('Also facts that were superseded or have expired.'),
  })
  .describe('Which facts to list.');
export type FactsQuery = z.input<typeof FactsQuery>;

export const ProcedureAnswer = z
  .strictObject({
    procedure: Procedure,
    status: ProcedureStatus,
    drafted: z.int().positive().describe('The event in the maintenance ledger that drafted its latest version.'),
    forced: z.boolean().describe('Whether a person set the status, overriding the numbers.'),
    probation: z.boolean().describe('Whether it was promoted and the critic still judges its uses.'),
    usual: Usual.nullable().describe('What good runs read and wrote; null for one that was never promoted.'),
    moves: z
      .array(
        ProcedureMove.extend({
          seq: z.int().positive().describe('The event in the maintenance ledger.'),
          at: Instant.describe('When.'),
        }),
      )
      .describe('Its changes of status, the latest last.'),
  })
  .describe('One procedure, and how it stands.');

export const EventsQuery = z
  .strictObject({
    run: Id.optional().describe('Only events of this run.'),
    type: z.string().max(120).optional().describe('Only events of this type, such as run.ended, or of a kind: run.*'),
    pen: Pen.default('run').describe('The ledger that they are in.'),
    after: z.int().nonnegative().default(0).describe('Only events behind this one.'),
    limit: z.int().nonnegative().default(20).describe('At most so many, the latest; 0 for all.'),
  })
  .describe('Which events to list.');
export type EventsQuery = z.input<typeof EventsQuery>;

export const Slot = eventData['slot.came'].extend({ at: Instant.describe('When it was noted.') });
export type Slot = z.infer<typeof Slot>;

export const SearchQuery = z
  .strictObject({
    text: z.string().max(1000).describe('Words, all of which have to be there; the beginning of a word is enough.'),
    limit: z.int().positive().max(1000).default(20).describe('At most so many, the best.'),
  })
  .describe('What to search for.');
export type SearchQuery = z.input<typeof SearchQuery>;

export const SearchHit = z
  .strictObject({
    kind: z.string().describe('What it is: run, wait, fact, procedure or event.'),
    name: z.string().describe('Its name, for the commands that take one; of an event its ledger and seq.'),
    text: z.string().describe('What was found, shortened.'),
    at: Instant.describe('When.'),
    run: Id.nullable().describe('The run that it is about.'),
    state: z.string().nullable().describe('How it stands, such as done; null where that says nothing.'),
  })
  .describe('Something that a search has found.');
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchAnswer = z
  .strictObject({
    hits: z
      .array(SearchHit)
      .describe('The best last: titles, before them results, before them prompts; among equals the latest last.'),
    complete: z.boolean().describe('False when older events were left out, since their words are in too many places.'),
  })
  .describe('What a search has found.');
export type SearchAnswer = z.infer<typeof SearchAnswer>;
