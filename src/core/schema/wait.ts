import { z } from 'zod';
import { DayNeed } from './day-budget.ts';
import { Need } from './dependency.ts';
import { JsonValue } from './json.ts';
import { Id, Instant, Sha256 } from './names.ts';
import { SideEffectClass, Usage } from './effect.ts';

export const Grant = z
  .strictObject({
    tool: z.string().max(120).describe('The tool.'),
    class: SideEffectClass.describe('What a call of it may change.'),
    programs: z.array(z.string().max(1000)).max(1000).describe('The programs it starts: these, no others.'),
    hosts: z.array(z.string().max(253)).max(1000).describe('The hosts it names: these, no others.'),
    policy: Sha256.describe('The policy under which it was asked about; under another it is asked about again.'),
  })
  .describe('What an answer for the whole run covers.');
export type Grant = z.infer<typeof Grant>;

export const Asked = z
  .strictObject({
    tool: z.string().max(120).describe('The tool that would be called.'),
    class: SideEffectClass.describe('What the call may change.'),
    author: z.enum(['operator', 'model']).describe('Who wrote it.'),
    command: z
      .string()
      .max(60_000)
      .describe('What would run, with everything that cannot be seen written as a code point.'),
    why: z.string().max(4000).describe('Why a person is asked.'),
    task: z
      .string()
      .max(1500)
      .optional()
      .describe('Whether the task asks for it, and in which sentence; absent where the task is not known.'),
    more: z
      .array(
        z.strictObject({
          title: z.string().max(200).describe('What the lines are about.'),
          lines: z.array(z.string().max(1000)).max(50).describe('One fact each.'),
        }),
      )
      .max(10)
      .optional()
      .describe('What ids stand for, which commits would be sent, and what has changed since it was asked last time.'),
    dir: z.string().max(4000).optional().describe('The folder it would start in, relative to the desk.'),
    env: z.array(z.string().max(200)).max(200).default([]).describe('Names of the variables it would see.'),
    values: z
      .array(
        z.strictObject({
          field: z.string().max(120).describe('Name of the argument.'),
          value: z.string().max(2000).describe('Its value, made visible and shortened.'),
          origin: z.enum(['operator', 'task', 'model', 'memory', 'tool', 'unknown']).describe('Where it came from.'),
        }),
      )
      .max(50)
      .default([])
      .describe('The values that decide what is changed, and where they came from.'),
    changes: z.array(z.string().max(2000)).max(50).default([]).describe('What it would change, in sentences.'),
    files: z
      .array(
        z.strictObject({
          path: z.string().max(4000).describe('A file that the command names.'),
          sha256: z.string().max(80).describe('Hash of its content when the question was asked.'),
        }),
      )
      .max(200)
      .default([])
      .describe('Files that the command names; another content needs another approval.'),
    unbound: z
      .array(z.string().max(1100))
      .max(50)
      .optional()
      .describe('What it may use that the approval is not bound to, so that it may change before it runs.'),
    contents: z
      .array(
        z.strictObject({
          path: z.string().max(4000).describe('The file.'),
          why: z.string().max(4000).describe('Which program runs what from it.'),
          text: z.string().max(10_000).describe('What is in it, made visible and shortened.'),
        }),
      )
      .max(20)
      .optional()
      .describe('Files that would be put in place, and scripts of a project that would run, with their content.'),
    may_name_hosts: z
      .literal(true)
      .optional()
      .describe('Whether the answer may name hosts that the command reaches besides those that were found.'),
    odd: z.array(z.string().max(200)).max(50).default([]).describe('Characters that look like others or like nothing.'),
    grant: Grant.optional().describe('What --always-for-this-run would cover.'),
    may_be_always: z
      .literal(true)
      .optional()
      .describe('Whether the answer may allow every call of this tool of a server, in all runs.'),
  })
  .describe('Everything a person needs to see to decide.');
export type Asked = z.infer<typeof Asked>;

export const FilesAside = z
  .strictObject({
    before: z.string().max(64).describe('Name of the state of the desk before the call, in the undo store.'),
    after: z.string().max(64).describe('Name of the state with these files in it.'),
    paths: z.array(z.string().max(4096)).max(1000).describe('Their paths below the desk, one character for each byte.'),
    outcome: JsonValue.describe('How the call ended; its outcome once the files are in place.'),
  })
  .describe(
    'Files that make other programs run, which a call has written and oka has set aside until a person decides.',
  );
export type FilesAside = z.infer<typeof FilesAside>;

export const WaitFor = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('approval').describe('A person has to allow something.'),
      binding: Sha256.describe('Hash of everything the approval is bound to.'),
      text: z.string().max(20_000).describe('What a person is asked to allow.'),
      expires: Instant.optional().describe('After this moment the answer is no.'),
      asked: Asked.optional().describe('What the page in .oka/approvals shows.'),
      aside: FilesAside.optional(),
    }),
    z.strictObject({
      kind: z.literal('question').describe('A person has to answer.'),
      text: z.string().max(20_000).describe('The question as a person reads it.'),
      options: z
        .array(z.string().max(500))
        .max(20)
        .optional()
        .describe('The answers that are possible, if not free text.'),
      branch: z
        .literal(true)
        .optional()
        .describe('The answer chooses a branch of the graph: the output is {branch, answer}, and other answers fail.'),
      repeat: z
        .literal(true)
        .optional()
        .describe('A call asked it: it is made again with the answer, which is not its output.'),
      timeout_seconds: z.number().positive().optional().describe('How long an answer is awaited.'),
      default: z.string().max(500).optional().describe('The answer after that time; without one the wait expires.'),
    }),
    z.strictObject({
      kind: z.literal('timer').describe('A moment has to come.'),
      until: Instant.describe('When the wait ends by itself.'),
      ms: z.number().int().min(0).optional().describe('For a pause: how long it is at most, however the clock is set.'),
      why: z.string().max(4000).optional().describe('What is waited out, such as a model that is not reachable.'),
      day_budget: DayNeed.optional().describe(
        'The wait is for the budget of the day: it also ends when that has room for the call again.',
      ),
    }),
    z.strictObject({
      kind: z.literal('child').describe('Another run has to end.'),
      run: Id.describe('The run whose end is awaited.'),
      any_end: z.boolean().optional().describe('Whether every end is an answer, not only a good one.'),
    }),
    z.strictObject({
      kind: z.literal('requirement').describe('Something has to be installed.'),
      name: z.string().max(200).describe('What somebody has to install.'),
      need: Need.optional().describe('What was seen to be missing, when a step showed it.'),
    }),
    z.strictObject({
      kind: z.literal('turn').describe('Earlier runs of the same graph have to end.'),
      key: z.string().max(700).describe('With which runs it takes turns.'),
      at_once: z.int().positive().max(1000).describe('How many of them may be at work at once.'),
    }),
    z.strictObject({
      kind: z.literal('message').describe('A reply has to arrive.'),
      thread: Id.describe('The conversation in which a reply is awaited.'),
    }),
  ])
  .describe('What a run is waiting for. No promise stays in memory during a wait.');
export type WaitFor = z.infer<typeof WaitFor>;
export type TimerWait = Extract<WaitFor, { kind: 'timer' }>;

export const WaitAnswer = z
  .strictObject({
    verdict: z
      .enum(['approved', 'denied', 'answered', 'elapsed', 'arrived', 'expired', 'cancelled'])
      .describe('How the wait ended.'),
    text: z.string().max(100_000).optional().describe('The words of the answer, if there were any.'),
    output: JsonValue.optional().describe('The result, when a run was awaited.'),
    usage: Usage.optional().describe('What the awaited run has spent.'),
    by: z.string().max(200).optional().describe('Who answered: a person, a run, the clock.'),
    through: z.string().max(40).optional().describe('The channel that the answer came through.'),
    binding: Sha256.optional().describe('For an approval: the hash of what the person had been shown.'),
    always: z
      .boolean()
      .optional()
      .describe('For an approval: also applies to the same call again, as long as the run lasts.'),
    always_for_tool: z
      .string()
      .max(200)
      .optional()
      .describe('For an approval of this tool of a server: every call of it is allowed from now on.'),
    hosts: z
      .array(z.string().max(253))
      .max(20)
      .optional()
      .describe('For an approval of a command: hosts (host or host:port) that it may reach besides those it names.'),
  })
  .describe('How a wait was closed.');
export type WaitAnswer = z.infer<typeof WaitAnswer>;

/**
 * The option that an answer names: by its words, whatever their case and the space and marks around them, by its number,
 * or by another word for yes or no where these are among the options; null when it is none of them.
 */
export function chosenOption(options: readonly string[], text: string): string | null {
  const given = plainWord(text);
  const isAlike = (option: string): boolean =>
    [YES, NO].some((words) => words.test(plainWord(option)) && words.test(given));
  const numbered = /^\d{1,2}$/.test(given) ? options[Number(given) - 1] : undefined;
  return (
    options.find((each) => each === text) ??
    options.find((each) => plainWord(each) === given) ??
    numbered ??
    options.find(isAlike) ??
    null
  );
}

/**
 * What a person says to an approval: one clear word for yes and nothing else approves, no number and no sentence; a word
 * for no denies whatever follows it. Null is neither.
 */
export function spokenVerdict(text: string): 'approved' | 'denied' | null {
  if (CLEAR_YES.test(plainWord(text))) return 'approved';
  return NO.test(plainWord(/^\s*[\p{L}\p{M}]*/u.exec(text)?.[0] ?? '')) ? 'denied' : null;
}

const plainWord = (word: string): string =>
  word
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '');

const YES = /^(?:y|yes|yep|yeah|ok|okay|sure|ja|jawohl|oui|sí|si|sim|да|はい|是)$/u;
const CLEAR_YES = /^(?:y|yes|approved?|ja|oui|sí|si)$/u;
const NO = /^(?:n|no|nope|deny|denied|nein|nee|non|não|nao|нет|いいえ|不|否)$/u;

/** Whether nothing but a person's answer ends a wait. */
export const isForPerson = (awaited: WaitFor): boolean =>
  (awaited.kind === 'question' && awaited.timeout_seconds === undefined) ||
  (awaited.kind === 'approval' && awaited.expires === undefined);

/** Whether a wait ends without a person while a process drives its run. */
export function endsAlone(awaited: WaitFor): boolean {
  if (awaited.kind === 'question') return awaited.timeout_seconds !== undefined;
  if (awaited.kind === 'timer') return awaited.day_budget === undefined; // whoever knows the budget ends it
  return awaited.kind === 'child' || awaited.kind === 'turn';
}
