/** What `oka doctor` reports about the home itself: Node, its folders, its settings. */
import { access, constants, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { listRejected } from '../../kit/inbox/list-rejected.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { fileFinding } from '../../kit/home/file-finding.ts';
import { otherWritersFinding } from './other-writers.ts';
import { userFinding } from './root-user.ts';
import { isSetUp } from '../../kit/home/is-set-up.ts';
import { describeStop, isPaused, isStopped } from '../../kit/home/stop-files.ts';

const NODE_NEEDED = 24;
const READ = constants.R_OK | constants.X_OK;

export async function homeFindings(home: Home, loadConfig: () => Promise<unknown>): Promise<Finding[]> {
  const rules = join(home.oka, 'rules');
  const folders = [home.dir, home.oka, rules, ...['inbox', 'outbox', 'desk'].map((name) => join(home.workspace, name))];
  const onlyRead = new Set([rules, ...(isSetUp(home) ? [home.dir] : [])]);
  return [
    nodeFinding(),
    userFinding(),
    ...(await Promise.all(
      folders.map((folder) => folderFinding(folder, onlyRead.has(folder) ? READ : READ | constants.W_OK)),
    )),
    otherWritersFinding(home),
    await fileFinding('config', home.config, loadConfig),
    ...haltFindings(home),
    ...rejectedFinding(home),
  ];
}

/** Why nothing begins, when a person has stopped or paused everything. */
function haltFindings(home: Home): Finding[] {
  const { why, fix } = describeStop(home);
  const stopped: Finding = { state: 'odd', what: 'stopped', found: `${why}: nothing runs`, fix };
  const paused: Finding = { state: 'odd', what: 'paused', found: 'no new task begins', fix: 'oka unpause' };
  return [...(isStopped(home) ? [stopped] : []), ...(isPaused(home) ? [paused] : [])];
}

function rejectedFinding({ workspace }: Home): Finding[] {
  const folder = join(workspace, 'inbox', 'rejected');
  const { total, entries } = listRejected(join(workspace, 'inbox'), 3);
  if (total === 0) return [];
  const names = entries.map(({ name }) => name).join(', ');
  const more = total > entries.length ? ` and ${total - entries.length} more` : '';
  const found = `not accepted, in ${folder}: ${names}${more}`;
  return [
    { state: 'odd', what: 'inbox', found, fix: 'oka status names the reasons; correct a file and move it back.' },
  ];
}

function nodeFinding(): Finding {
  const enough = Number(process.versions.node.split('.')[0]) >= NODE_NEEDED;
  const found = `${process.version} at ${process.execPath}`;
  return enough
    ? { state: 'good', what: 'Node', found }
    : { state: 'bad', what: 'Node', found, fix: `Node ${NODE_NEEDED} is needed: npm ci installs it on Linux.` };
}

/** The rules may well be read-only: people write them, not oka. */
async function folderFinding(folder: string, needed: number): Promise<Finding> {
  const me = process.getuid?.() ?? -1;
  const what = 'folder';
  try {
    const { uid } = await lstat(folder);
    await access(folder, needed);
    if (me <= 0 || uid === me || needed === READ) return { state: 'good', what, found: folder };
    return { state: 'odd', what, found: `${folder} belongs to uid ${uid}, not to ${me}, but can be written` };
  } catch (error) {
    return { state: 'bad', what, ...folderProblem(errnoOf(error), folder, me) };
  }
}

function folderProblem(errno: string | undefined, folder: string, me: number): { found: string; fix: string } {
  if (errno === 'ENOENT') return { found: `${folder} is not there`, fix: 'oka init' };
  if (errno === 'EROFS') return { found: `${folder} is on a read-only mount`, fix: 'Mount it writable.' };
  return { found: `${folder} cannot be written by uid ${me}`, fix: `sudo chown -R ${me} ${folder}` };
}
