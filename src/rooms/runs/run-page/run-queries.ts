/** Queries about the calls, spans and events of a run: each in pages, and only what is newer than the reader knows. */
import { z } from 'zod';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { CallId, Id } from '../../../core/schema/names.ts';
import { foldCalls, type RunCall } from '../../../kit/views/run-calls.ts';
import { foldSpans } from '../../../kit/views/run-spans.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { readRunTree } from './run-tree.ts';

const LONGEST_PREVIEW = 600;
const LONGEST_BODY = 200_000;

const page = {
  run: Id.describe('The run.'),
  after: z.coerce.number().int().nonnegative().default(0).describe('Only what is newer than this event.'),
  limit: z.coerce.number().int().positive().max(2000).default(500).describe('At most so many, the first of them.'),
};
const left = z.int().nonnegative().describe('How many more there are behind these.');
const last = z.int().nonnegative().describe('The latest event that this answer includes; the next `after`.');

const Call = z
  .looseObject({
    seq: z.int().describe('The event that started it.'),
    ended_seq: z.int().nullable().describe('The event that ended it; null while it is open.'),
    run: Id.describe('The run that made it: the one asked for, or that of a plan of it.'),
    call: CallId,
    node: z.string().nullable().describe('The step.'),
    tool: z.string().describe('The tool.'),
    status: z.string().describe('Its outcome, or open.'),
    input: z.unknown().describe('What the tool was called with; shortened to a text in lists.'),
    output: z.unknown().describe('What it returned; shortened to a text in lists.'),
    rationale: z.string().describe('Why the worker made it.'),
    is_shortened: z.boolean().describe('Whether `run-call` has more of its input or output.'),
  })
  .describe('One call of a tool.');

export const runCalls = defineQuery({
  params: z.strictObject(page).describe('Which calls.'),
  answer: z
    .strictObject({ calls: z.array(Call).describe('In the order in which they started.'), last, left })
    .describe('Calls that started or ended after the event that is given.'),
  read: async ({ params, ...request }) => {
    const { all } = await readRunTree(request, params.run);
    const newer = foldCalls(all).filter(({ seq, ended_seq: ended }) => Math.max(seq, ended ?? 0) > params.after);
    const shown = newer.slice(0, params.limit);
    const isAll = shown.length === newer.length;
    return {
      calls: shown.map(shortenCall),
      last: isAll ? (all.at(-1)?.seq ?? 0) : Math.max(...shown.map(({ seq }) => seq)),
      left: newer.length - shown.length,
    };
  },
});

export const runCall = defineQuery({
  params: z.strictObject({ run: page.run, call: CallId.describe('The call.') }).describe('Which call.'),
  answer: Call,
  read: async ({ params, ...request }) => {
    const { all } = await readRunTree(request, params.run);
    const call = foldCalls(all).find((each) => each.call === params.call);
    if (call === undefined) throw new OkaError('no-such-run', `there is no call "${params.call}" in this run`);
    const [input, output] = [boundJson(call.input), boundJson(call.output)];
    return { ...call, input, output, is_shortened: input !== call.input || output !== call.output };
  },
});

export const runTimeline = defineQuery({
  params: z.strictObject(page).describe('Which spans.'),
  answer: z
    .strictObject({
      spans: z
        .array(
          z.strictObject({
            kind: z.enum(['call', 'wait', 'pause', 'note']).describe('What lasted.'),
            id: z.string().describe('Name of the call or the wait.'),
            seq: z.int().describe('The event with which it began.'),
            run: z.string().describe('The run.'),
            node: z.string().nullable().describe('The step.'),
            label: z.string().describe('The tool, or what was waited for.'),
            status: z.string().describe('How it ended; open while it has not.'),
            from: z.string().describe('When it began.'),
            to: z.string().nullable().describe('When it ended.'),
          }),
        )
        .describe('In the order in which they began.'),
      last,
      left,
    })
    .describe('Calls, waits and pauses that began or ended after the event that is given, as spans of time.'),
  read: async ({ params, ...request }) => {
    const { all } = await readRunTree(request, params.run);
    const ends = new Map(all.filter(({ seq }) => seq > params.after).map(({ at }) => [at, true]));
    const newer = foldSpans(all).filter(({ seq, to }) => seq > params.after || (to !== null && ends.has(to)));
    const shown = newer.slice(0, params.limit);
    const isAll = shown.length === newer.length;
    return {
      spans: shown,
      last: isAll ? (all.at(-1)?.seq ?? 0) : (shown.at(-1)?.seq ?? 0),
      left: newer.length - shown.length,
    };
  },
});

export const runEvents = defineQuery({
  params: z.strictObject(page).describe('Which events.'),
  answer: z
    .strictObject({
      events: z
        .array(z.looseObject({ seq: z.int() }))
        .describe('Lines of the ledger, in its order; large data is left out.'),
      last,
      left,
    })
    .describe('Events of a run and of the runs of its plans.'),
  read: async ({ params, ...request }) => {
    const { all } = await readRunTree(request, params.run);
    const newer = all.filter(({ seq }) => seq > params.after);
    const shown = newer.slice(0, params.limit);
    return {
      events: shown.map((event) => ({ ...event, data: boundJson(event.data as Json, LONGEST_PREVIEW * 4) })),
      last: shown.at(-1)?.seq ?? params.after,
      left: newer.length - shown.length,
    };
  },
});

function shortenCall(call: RunCall): RunCall & { is_shortened: boolean } {
  const [input, output] = [boundJson(call.input, LONGEST_PREVIEW), boundJson(call.output, LONGEST_PREVIEW)];
  return { ...call, input, output, is_shortened: input !== call.input || output !== call.output };
}

/** The value itself, or the beginning of its JSON when that is long. */
function boundJson(value: Json, most = LONGEST_BODY): Json {
  const text = JSON.stringify(value);
  return text.length <= most ? value : `${text.slice(0, most)}…`;
}
