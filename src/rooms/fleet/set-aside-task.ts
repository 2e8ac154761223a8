/** Owns: a task that ends the workers that take it: it comes back as failed, with the evidence, and nobody takes it again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FruitlessClaim } from './servers/fruitless-claims.ts';
import type { Claim } from './servers/run-fence.ts';
import { replaceShownFile } from '../../core/ledger/disk.ts';
import type { ResultMessage } from '../../core/schema/fleet.ts';
import type { Active, Work } from './work-in-progress.ts';
import { readFolder, storeFiles } from './run-folder.ts';
import { releaseFolder } from './reserve-folder.ts';

/** When it resolves, the result is on its way home, and the task is out of the queue. */
export async function setAsideTask(
  { host, member, log }: Work,
  { taken }: Active,
  { fence, history, sequence }: Claim,
  deaths: readonly FruitlessClaim[],
): Promise<void> {
  const { id, home, name } = taken.task;
  const { worker, epoch } = fence.owner;
  const reason = `set aside: ${deaths.length} workers took it one after another, and ended before anything was done`;
  const claimed = { worker, epoch, stream: member.log.stream, sequence };
  member.owned.add(fence);
  await member.ownLedger.append([
    { type: 'run.claimed', run: id, data: claimed },
    { type: 'run.ended', run: id, data: { status: 'failed', reason } },
  ]);
  const outbox = join(host.home.workspace, 'outbox', id);
  mkdirSync(outbox, { recursive: true });
  replaceShownFile(join(outbox, 'RESULT.md'), pageOf(name, reason, deaths));
  const result: ResultMessage = {
    id,
    worker,
    status: 'failed',
    outbox: (await storeFiles(outbox, member.files)).map(({ path, sha256 }) => ({ path, sha256 })),
    desk: history.desk === null ? [] : await readFolder(history.desk, member.files),
  };
  await member.results.send(home, result, epoch);
  await fence.finish();
  await taken.finish();
  releaseFolder(host, id);
  member.owned.remove(fence);
  log(`${id}: ${reason}`);
}

function pageOf(name: string, reason: string, deaths: readonly FruitlessClaim[]): string {
  const lines = deaths.map(({ worker, epoch, version, process, last }) => {
    const seen = last.length === 0 ? 'nothing was recorded' : `last: ${last.map((each) => `\`${each}\``).join(', ')}`;
    return `- epoch ${epoch}: ${worker}, process ${process}, version ${version}; ${seen}`;
  });
  const advice =
    'Whatever these workers did last is the place to look. Each of them may have been ended by something else, such as a machine that ran out of memory. Give the task again when the cause is found: `oka again`.';
  return `# Failed: ${name}\n\nThe task was ${reason}.\n\n${lines.join('\n')}\n\n${advice}\n`;
}
