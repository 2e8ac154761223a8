/** Owns: asking a model about the criteria in prose: what it is shown, what it reads, and a second question where a claim is refused. */
import { messageTokens } from '../../kit/text/context-budget.ts';
import type { Criterion } from '../../kit/task/criteria.ts';
import { type CriticAsk, criticRequest, type ModelVerdict, readVerdict } from './roles/critic.ts';
import type { Witness } from './roles/critic-evidence.ts';
import { criticReadsIn } from './roles/critic-reads.ts';
import { ANSWER_IS_RIGHT, hasChangedNothing } from './roles/implied-criteria.ts';
import { type Found, foundByModel } from './roles/verdict.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import type { ToolCall } from '../../core/schema/tool.ts';
import { baseName, fileNamesIn } from '../../kit/text/file-names.ts';
import { askModel } from '../../kit/models/ask-model.ts';
import { hasFailed, type Judgement, UNJUDGED } from './run-checks.ts';
import { bodyOf, notesOf, type TaskPorts } from './task-ports.ts';
import { describeDoubts, settleDoubts } from './settle-doubts.ts';
import { collectEvidence, type WorkDone, witnessOf } from './work-evidence.ts';

/** The critic gets this much of the work to see, also with a small context window. */
const LEAST_TOKENS = 6000;
/** How often the critic may read something before it has to judge. */
const MOST_READS = 4;

type JudgedWork = Omit<WorkDone, 'edits'> & {
  /** The run of each plan. */
  runs: readonly string[];
  declared: { changed: string[]; targets: string[] };
  answer: string | null;
};

/**
 * Lets a model judge criteria in prose; without a model they stay unchecked. It may read more before it judges, and is asked
 * once more where a claim of it cannot be accepted (K5 in critic.ts).
 */
export async function askCritic(
  ports: TaskPorts,
  { task, end }: { task: TaskGiven; end: { run: string; status: string; reason: string } },
  work: JudgedWork,
  { criteria, checked }: { criteria: readonly Criterion[]; checked: readonly Found[] },
  call: ToolCall,
): Promise<Judgement> {
  const prose = criteria.filter(({ check }) => check === null).map(({ text }) => text);
  if (prose.length === 0 || ports.model('critic', task.fields.model) === null) return UNJUDGED;
  const body = await bodyOf(ports, task);
  const edits = await ports.editsBy(work.runs, call.signal);
  const untouched = hasChangedNothing(work.declared) ? work.declared.targets : [];
  const pack = await ports.pack('critic', call, task, `${body}\n${prose.join('\n')}`);
  const evidence: Witness[] = await collectEvidence({ ...work, edits }, call.act, {
    untouched,
    checked,
    task: {
      text: body,
      answer: work.answer,
      given: await filesGiven(task, body, work.changes.created, call.act),
      names: ports.names(task.dir),
      pack,
      isAnswerJudged: prose.includes(ANSWER_IS_RIGHT),
    },
  });
  const doubts = evidence.flatMap((each) => each.doubts ?? []);
  const attempt = work.attempts.length;
  const ask: Omit<CriticAsk, 'canRead' | 'refused'> = {
    task: body,
    notes: await notesOf(ports, call.run, end.run),
    pack,
    criteria: prose,
    answer: work.answer,
    ...(end.status === 'done' ? {} : { failure: end.reason }),
    evidence,
    attempt,
    tokens: Math.max(LEAST_TOKENS, messageTokens(ports.contextOf('critic', task.fields.model))),
  };
  const { clock, askAgainMs } = ports;
  const about = { model: task.fields.model, later: { clock, askAgainMs, attempt: call.attempt } };
  let refused: string | undefined;
  let first: ModelVerdict | undefined;
  let wantsSources = false;
  for (let reads = 0; ; reads += 1) {
    const canRead = reads < MOST_READS;
    const asked = { ...ask, canRead, wantsSources, ...(refused === undefined ? {} : { refused }) };
    const answered = await askModel(call.act, criticRequest(asked), about, async (answer) => {
      const wanted = canRead ? criticReadsIn(answer) : null;
      if (wanted !== null) return wanted;
      const judged = readVerdict(answer, asked);
      if ('problem' in judged) return judged;
      if (wantsSources) return settleDoubts(judged, doubts, work.changes.created, call.act);
      if (judged.verdict === 'done' && doubts.length > 0) return { doubted: judged };
      if (judged.refused === '' || refused !== undefined) return judged;
      first = judged;
      refused = judged.refused;
      return { problem: refused };
    });
    if (answered.kind === 'outcome' && first !== undefined && hasFailed({ outcome: answered.outcome }))
      return { found: foundByModel(first), model: first };
    if (answered.kind === 'outcome') return { outcome: answered.outcome };
    if ('doubted' in answered.answer) {
      const { doubted } = answered.answer;
      first = await settleDoubts(doubted, doubts, work.changes.created, call.act);
      refused = [doubted.refused, describeDoubts(doubts)].filter((each) => each !== '').join('; ');
      wantsSources = true;
      continue;
    }
    if (!('reads' in answered.answer)) return { found: foundByModel(answered.answer), model: answered.answer };
    for (const { tool, input } of answered.answer.reads)
      evidence.push({
        ...witnessOf(tool, input, await call.act(tool, input, { author: 'model' }), attempt),
        kind: 'read',
      });
  }
}

const MOST_GIVEN = 100;

/** The files that came with the task, and those that its text names and that are there. */
async function filesGiven(
  { dir }: TaskGiven,
  text: string,
  created: readonly string[],
  act: ToolCall['act'],
): Promise<string[]> {
  const named = new Set(fileNamesIn(text).map(baseName));
  if (dir === null && named.size === 0) return [];
  const listed = await act(
    'files.list',
    { path: dir ?? '.', recursive: dir !== null, limit: MOST_GIVEN },
    { author: 'model' },
  );
  const { entries = [] } = (listed.status === 'ok' ? listed.output : {}) as {
    entries?: { path: string; kind: string }[];
  };
  return entries
    .filter(({ path, kind }) => kind === 'file' && !created.includes(path) && !path.endsWith('/TASK.md'))
    .filter(({ path }) => dir !== null || named.has(baseName(path)))
    .map(({ path }) => path);
}
