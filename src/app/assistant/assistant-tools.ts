/**
 * Owns: what other programs may do with this assistant: hand it a task, see where it stands, fetch the result, search its
 * memory, and cancel a run. Does not own: the protocol (assistant-server.ts).
 *
 * A1 Nothing here approves or answers: what waits for a person is shown, and a person answers it.
 * A2 A task that is handed over gets its id here, so that its run has a name before the worker has seen it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addTask, readAddition } from '../../kit/inbox/add-task.ts';
import { slugOf } from '../../kit/inbox/claim-task.ts';
import { claimedFolder, newFolder, rejectedFolder } from '../../kit/inbox/inbox-folders.ts';
import { listRejected } from '../../kit/inbox/list-rejected.ts';
import { setFrontMatter } from '../../kit/inbox/set-front-matter.ts';
import { listFolder, lstatIfPresent } from '../../core/ledger/disk.ts';
import { penHolder } from '../../core/ledger/pen.ts';
import type { Retrieved, SearchRequest } from '../../rooms/memory/recall/search-memory.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { ID_SHAPE } from '../../core/schema/id-shape.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { RunSummary, Waiting } from '../../core/schema/view-answers.ts';
import { describeWait } from '../../kit/views/event-sentence.ts';
import { listRuns, runDetail } from '../../kit/views/runs-query.ts';
import { listWaiting } from '../../kit/views/waiting-query.ts';
import { readHomeStatus, workerStateOf } from '../status/home-status.ts';
import type { RowsReader } from '../../kit/rows/rows-reader.ts';

export type AssistantPorts = {
  home: Home;
  reader: Pick<RowsReader, 'read'>;
  /** Passes a request on to the worker; says whether the worker has done it. */
  request: (intake: Intake) => Promise<{ isDone: boolean }>;
  search: (request: SearchRequest) => Promise<Retrieved>;
};

const RECENT = 10;
const MOST_SEARCHED = 1000;
const MOST_CHARACTERS = 100_000;

export function assistantTools({ home, reader, request, search }: AssistantPorts) {
  return {
    add({ text, title }: { text: string; title?: string | undefined }) {
      const { id, titled } = withId(text, title);
      const added = addTask(join(home.workspace, 'inbox'), { text: titled });
      return { run: id, title: added.title, worker: penHolder(home.ledgers.run) !== null };
    },

    async status({ run }: { run?: string | undefined }) {
      const condition = await readHomeStatus(home);
      return reader.read((rows) => {
        const waiting = listWaiting(rows).filter((wait) => wait.person);
        const worker = workerStateOf(condition);
        if (run !== undefined) {
          const detail = runDetail(rows, run);
          if (detail === undefined) return { worker, ...unstarted(home, run) };
          const { waits: _waits, children: _children, ledger: _ledger, ...shown } = detail;
          return { worker, ...shown, waiting: waiting.filter((wait) => isOf(wait, run)).map(describeWaiting) };
        }
        const runs = listRuns(rows, { limit: RECENT }).map(shortRun);
        return { worker, waiting: waiting.map(describeWaiting), recent: runs };
      });
    },

    async result({ run }: { run: string }) {
      const detail = await reader.read((rows) => runDetail(rows, run));
      if (detail === undefined) return { ...unstarted(home, run), result: null };
      const { status, reason, title } = detail;
      return { run, title, status, reason, result: readResult(home, run) };
    },

    async searchMemory({ query, limit }: { query: string; limit: number }) {
      const { items, by } = await search({ query, limit });
      return {
        by,
        items: items.map(({ kind, text, at, score }) => ({ kind, text, at, score: Number(score.toFixed(4)) })),
      };
    },

    async cancel({ run }: { run: string }) {
      const detail = await reader.read((rows) => runDetail(rows, run));
      if (detail === undefined) throw noSuchRun(run);
      if (detail.ended !== null) return { run, status: detail.status, cancelled: false };
      const { isDone } = await request({ kind: 'cancel', run });
      return isDone ? { run, status: 'cancelled', cancelled: true } : { run, status: detail.status, requested: true };
    },
  };
}

/** The text with an id of its own in its front matter (A2); one that it has already stays. */
function withId(text: string, title: string | undefined): { id: string; titled: string } {
  const { text: read, name } = readAddition({ text });
  const own = read.task.id;
  const id = own ?? `${slugOf(title ?? name).slice(0, 40)}-${randomBytes(4).toString('hex')}`;
  return { id, titled: setFrontMatter(text, { id, title: title ?? read.task.title ?? read.title }) };
}

/** A task that no run has been started for: it is in the inbox, was rejected, or does not exist. */
function unstarted(home: Home, run: string): { run: string; status: 'queued' | 'rejected'; reason: string } {
  if (!ID_SHAPE.test(run)) throw noSuchRun(run); // a path would tell which files there are
  const inbox = join(home.workspace, 'inbox');
  const delivered = listFolder(newFolder(inbox)).map((name) => join(newFolder(inbox), name));
  const isClaimed = lstatIfPresent(join(claimedFolder(inbox), run)) !== undefined;
  if (isClaimed || [inbox, ...delivered].some((folder) => findTask(folder, run) !== undefined))
    return { run, status: 'queued', reason: 'it is in the inbox' };
  const rejected = findTask(rejectedFolder(inbox), run);
  if (rejected === undefined) throw noSuchRun(run);
  const found = listRejected(inbox, MOST_SEARCHED).entries.find(({ name }) => name === rejected);
  return { run, status: 'rejected', reason: found?.reason ?? 'it was rejected' };
}

/** The file in a folder whose front matter has this id. */
function findTask(folder: string, id: string): string | undefined {
  return listFolder(folder)
    .filter((name) => name.endsWith('.md'))
    .slice(0, MOST_SEARCHED)
    .find((name) => {
      const file = join(folder, name);
      if (lstatIfPresent(file)?.isFile() !== true) return false;
      return readFileSync(file, 'utf8')
        .slice(0, 4096)
        .split('\n')
        .includes(`id: ${JSON.stringify(id)}`);
    });
}

const noSuchRun = (run: string): OkaError =>
  new OkaError('no-such-run', `there is no run "${run}"`, {
    fix: 'Ask oka_status for the recent ones.',
  });

const isOf = (wait: Waiting, run: string): boolean => wait.run === run || wait.run.startsWith(`${run}.`);

const describeWaiting = ({ wait, run, title, opened, for: awaited }: Waiting) => ({
  wait,
  run,
  title,
  since: opened,
  question: describeWait(awaited),
});

const shortRun = ({ run, title, status, started, ended, reason }: RunSummary) => ({
  run,
  title,
  status,
  started,
  ended,
  reason,
});

/** RESULT.md, where the run has one. */
function readResult(home: Home, run: string): { file: string; text: string } | null {
  const file = join(home.workspace, 'outbox', run, 'RESULT.md');
  if (!ID_SHAPE.test(run)) return null;
  if (lstatIfPresent(file)?.isFile() !== true) return null;
  return { file, text: readFileSync(file, 'utf8').slice(0, MOST_CHARACTERS) };
}
