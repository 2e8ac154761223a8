/** Owns: what the page Now shows: what runs, what waits for a person, what came lately, and how the home is doing. */
import { z } from 'zod';
import { readHomeStatus, workerStateOf } from '../status/home-status.ts';
import { tasksEndedOn } from '../../rooms/figures/metrics-view.ts';
import { spendOn, tokensOf } from '../../rooms/figures/spend-view.ts';
import { policyOrDefaults } from '../../rooms/approvals/judge-command.ts';
import { isSetupPutOff } from '../../rooms/models/model-setup.ts';
import { listDeliverables } from '../../rooms/runs/run-page/list-deliverables.ts';
import { readFirstLine, readResultLine } from '../../rooms/task/result-excerpt.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { taskGraph } from '../../core/ledger/task-graph.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { Instant } from '../../core/schema/names.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { CurrentRun, RunSummary } from '../../core/schema/view-answers.ts';
import { programFolders } from '../../kit/settings.ts';
import { listCurrentRuns } from '../../kit/views/current-runs.ts';
import { listRecentlyEnded } from '../../kit/views/recent-runs.ts';
import { storedRun } from '../../kit/views/run-rows.ts';
import { listWaiting } from '../../kit/views/waiting-query.ts';
import { Awaited, describeAwaited } from '../../kit/web/awaited.ts';
import { defineQuery } from '../../kit/web/page.ts';
import { suggestTasks } from './suggestions.ts';

export const NowAnswer = z
  .strictObject({
    at: Instant.describe('When this was read.'),
    worker: z
      .enum(['running', 'paused', 'stopped', 'silent', 'none'])
      .describe(
        'running; paused: nothing new begins; stopped: .oka/STOP is there; silent: it does not respond; none: it is not running.',
      ),
    model: z.string().nullable().describe('The model that is set; null when there is none.'),
    offers_setup: z.boolean().describe('Whether no model is set, and nobody has put the set-up off.'),
    rules_problem: z.string().nullable().describe('What is wrong with config.json or POLICY.md.'),
    history_problem: z
      .strictObject({ what: z.string(), fix: z.string() })
      .nullable()
      .describe('What is lost or damaged of the history.'),
    today: z
      .strictObject({
        done: z.int().describe('Tasks that got done today (UTC).'),
        not_done: z.int().describe('Tasks that ended today (UTC) and did not get done.'),
        usd: z.number().describe('Money spent on models today, as on the page Figures.'),
        tokens: z.number().describe('Model tokens of today, in and out.'),
      })
      .describe('What today has cost so far.'),
    running: z.array(CurrentRun).describe('Runs that are not over, in the order in which they began.'),
    waiting: z.array(Awaited).describe('What waits for a person, the oldest first.'),
    recent: z
      .array(
        RunSummary.pick({ run: true, title: true, status: true, started: true, ended: true, reason: true, cost: true })
          .extend({
            line: z.string().nullable().describe('The first line of its result, or why it did not get done.'),
            files: z.array(z.string()).describe('Names of files that it delivered, the first of them.'),
            picture: z.string().nullable().describe('Where a picture that it delivered can be read.'),
          })
          .describe('A run that has ended.'),
      )
      .describe('Runs that ended last, the latest first.'),
    rejected: z
      .strictObject({
        total: z.int().describe('How many there are.'),
        entries: z
          .array(
            z
              .strictObject({ name: z.string().describe('Its name.'), reason: z.string().describe('Why.') })
              .describe('One of them.'),
          )
          .describe('The first of them.'),
      })
      .describe('Files in the inbox that are no tasks.'),
    untaken: z
      .strictObject({
        total: z.int().describe('How many there are.'),
        names: z.array(z.string()).describe('The first of them.'),
        why: z.string().nullable().describe('Why none is taken now; null when there is none.'),
      })
      .describe('What is in the inbox and was not taken yet.'),
    suggestions: z
      .array(
        z
          .strictObject({ title: z.string().describe('What it is about.'), text: z.string().describe('The task.') })
          .describe('A task that could be next.'),
      )
      .describe('For somebody who is new here: what they could have done next; none after a few tasks.'),
    schedules: z
      .array(
        z
          .strictObject({ schedule: z.string().describe('Its name.'), reason: z.string().describe('What is wrong.') })
          .describe('A schedule that needs attention.'),
      )
      .describe('Schedules that fail or cannot be read.'),
  })
  .describe('What is going on now.');
export type NowAnswer = z.infer<typeof NowAnswer>;

const MOST_RECENT = 8;
const MOST_FILES = 3;
/** Whoever has had so many tasks done needs no suggestions. */
const FEW = 4;

/** Those that the person has named; none while the policy cannot be read. */
function foldersIn(home: Home): string[] {
  try {
    return policyOrDefaults(home).policy.folders.map(({ path }) => path);
  } catch (error) {
    if (error instanceof OkaError) return []; // the page says what is wrong with the rules
    throw error;
  }
}

export const nowQuery = defineQuery({
  params: z.object({}),
  answer: NowAnswer,
  read: async ({ home, views }): Promise<NowAnswer> => {
    const [status, graph] = await Promise.all([
      readHomeStatus(home),
      peekProjection(home.ledgers.run, home.oka, taskGraph),
    ]);
    const ended = graph.state.ended.map(({ run }) => run);
    const at = new Date().toISOString();
    const read = await views((rows) => {
      const titleOf = (run: string): string => {
        const row = storedRun(rows, run);
        return storedRun(rows, row?.root ?? run)?.title ?? row?.title ?? '';
      };
      const running = listCurrentRuns(rows);
      return {
        running,
        waiting: listWaiting(rows).map((wait) => ({ ...wait, title: titleOf(wait.run) })),
        recent: listRecentlyEnded(rows, ended, MOST_RECENT),
        today: todayIn(rows, at.slice(0, 10)),
      };
    });
    return {
      at,
      worker: workerStateOf(status),
      model: status.model,
      offers_setup: status.model === null && !isSetupPutOff(home),
      rules_problem: status.rules_problem,
      history_problem: status.history_problem,
      today: read.today,
      running: read.running,
      waiting: await describeAwaited(home, read.waiting),
      recent: read.recent.map(({ run, title, status: how, started, ended: end, reason, cost }) => {
        const delivered = listDeliverables(home, run).filter(({ path }) => path.startsWith('files/'));
        const page = delivered.find(({ shown }) => shown === 'markdown')?.path;
        const told = page === undefined ? null : readFirstLine(home, run, page);
        const line = readResultLine(home, run) ?? told ?? (how === 'done' || reason === '' ? null : reason);
        const picture = delivered.find(({ shown, path }) => shown === 'image' || path.endsWith('.svg'))?.href ?? null;
        const files = delivered.slice(0, MOST_FILES).map(({ path }) => path.slice('files/'.length));
        return { run, title, status: how, started, ended: end, reason, cost, line, files, picture };
      }),
      suggestions: read.recent.length < FEW ? suggestTasks(programFolders(), foldersIn(home)) : [],
      rejected: status.rejected,
      untaken: status.untaken,
      schedules: status.schedules,
    };
  },
});

function todayIn(rows: Rows, date: string): z.input<typeof NowAnswer>['today'] {
  const spent = spendOn(rows, date);
  return { ...tasksEndedOn(rows, date), usd: spent.usd, tokens: tokensOf(spent) };
}
