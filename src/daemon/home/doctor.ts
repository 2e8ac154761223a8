/** Owns: looking at everything oka stands on, and saying how to mend what is wrong. Changes nothing. */
import { access, constants, lstat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { peek } from '../../ledger/peek.ts';
import { penHolder } from '../../ledger/pen.ts';
import { taskGraph } from '../../ledger/task-graph.ts';
import { verifyLedger } from '../../ledger/verify.ts';
import { errnoOf, messageOf, OkaError } from '../../schema/errors.ts';
import { lineClassifierOf } from '../guard/classifier.ts';
import { loadPolicy } from '../guard/policy-file.ts';
import { jailFindings } from '../guard/sandbox-findings.ts';
import { maintenanceFinding } from '../maintain/maintenance-finding.ts';
import { memoryFinding } from '../memory/memory-finding.ts';
import { isSetUp } from './set-up.ts';
import { loadConfig, programFolder } from '../settings.ts';
import type { Home } from '../../schema/home.ts';
import { vaultFinding } from '../guard/vault-finding.ts';
import type { Finding } from '../../schema/finding.ts';

const NODE_NEEDED = 24;
const READ = constants.R_OK | constants.X_OK;
const LITTLE_DISK = 1e9;
const NO_DISK = 50e6;
/** Up to this size the whole chain is proven; above it only what came since the last snapshot. */
const SMALL_LEDGER = 64e6;

export async function findingsOf(home: Home): Promise<Finding[]> {
  const rules = join(home.oka, 'rules');
  const folders = [home.dir, home.oka, rules, ...['inbox', 'outbox', 'desk'].map((name) => join(home.workspace, name))];
  const onlyRead = new Set([rules, ...(isSetUp(home) ? [home.dir] : [])]);
  return [
    nodeFinding(),
    ...(await Promise.all(
      folders.map((folder) => folderFinding(folder, onlyRead.has(folder) ? READ : READ | constants.W_OK)),
    )),
    await fileFinding('config', home.config, () => loadConfig(home)),
    await fileFinding('policy', home.policy, async () => loadPolicy(home.policy, lineClassifierOf(home))),
    ...(await jailFindings(join(programFolder, 'native', 'oka-launch'), await sandboxOf(home))),
    await vaultFinding(home),
    await memoryFinding(home),
    penFinding(home.ledgers.run, 'worker'),
    await maintenanceFinding(home),
    await runLedgerFinding(home),
    await ledgerFinding(home.ledgers.maintenance),
    await diskFinding(home.dir),
  ];
}

function nodeFinding(): Finding {
  const enough = Number(process.versions.node.split('.')[0]) >= NODE_NEEDED;
  const found = `${process.version} at ${process.execPath}`;
  return enough
    ? { state: 'good', what: 'Node', found }
    : { state: 'bad', what: 'Node', found, fix: `Node ${NODE_NEEDED} is needed: npm ci brings one on Linux.` };
}

/** A config that cannot be read is told elsewhere. */
async function sandboxOf(home: Home): Promise<'jail' | 'none'> {
  return loadConfig(home).then(
    ({ sandbox }) => sandbox,
    () => 'jail' as const,
  );
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
    return { state: 'bad', what, ...folderTrouble(errnoOf(error), folder, me) };
  }
}

function folderTrouble(errno: string | undefined, folder: string, me: number): { found: string; fix: string } {
  if (errno === 'ENOENT') return { found: `${folder} is not there`, fix: 'oka init' };
  if (errno === 'EROFS') return { found: `${folder} is on a read-only mount`, fix: 'Mount it writable.' };
  return { found: `${folder} cannot be written by uid ${me}`, fix: `sudo chown -R ${me} ${folder}` };
}

async function fileFinding(what: string, file: string, load: () => Promise<unknown>): Promise<Finding> {
  try {
    await load();
    return { state: 'good', what, found: file };
  } catch (error) {
    const fix = error instanceof OkaError ? error.fix : undefined;
    return { state: 'bad', what, found: messageOf(error), ...(fix === undefined ? {} : { fix }) };
  }
}

function penFinding(ledger: string, what: string): Finding {
  const holder = penHolder(ledger);
  return {
    state: 'good',
    what,
    found: holder === null ? 'not running' : `process ${holder.pid} on ${holder.host} since ${holder.since}`,
  };
}

async function runLedgerFinding(home: Home): Promise<Finding> {
  const { size } = await lstat(home.ledgers.run).catch(() => ({ size: 0 }));
  if (size <= SMALL_LEDGER) return ledgerFinding(home.ledgers.run);
  const { end, fault } = await peek(home.ledgers.run, home.oka, taskGraph);
  if (fault !== null)
    return {
      state: 'bad',
      what: 'ledger',
      found: `does not hold at seq ${fault.seq}, byte ${fault.offset}`,
      fix: 'oka verify',
    };
  return {
    state: 'good',
    what: 'ledger',
    found: `${end.seq} events; proven since the last snapshot, all of it by: oka verify`,
  };
}

async function ledgerFinding(file: string): Promise<Finding> {
  const what = 'ledger';
  try {
    const verdict = await verifyLedger(file);
    switch (verdict.state) {
      case 'absent':
        return { state: 'good', what, found: `${file} is not there yet` };
      case 'intact':
        return {
          state: 'good',
          what,
          found: `${file}: ${verdict.events} event${verdict.events === 1 ? '' : 's'}, intact`,
        };
      case 'torn':
        return {
          state: 'odd',
          what,
          found: `${file} has a torn end at seq ${verdict.fault.seq}`,
          fix: 'Nothing to do: the next start cuts it off and keeps it aside.',
        };
      case 'damaged':
        return {
          state: 'bad',
          what,
          found: `${file} is damaged at seq ${verdict.fault.seq}, byte ${verdict.fault.offset}`,
          fix: 'Restore it from a backup or replica.',
        };
    }
  } catch (error) {
    return {
      state: 'bad',
      what,
      found: messageOf(error),
      fix: error instanceof OkaError && error.fix !== undefined ? error.fix : 'Look at the file.',
    };
  }
}

async function diskFinding(folder: string): Promise<Finding> {
  const what = 'disk';
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const found = `${(free / 1e9).toFixed(1)} GB free`;
    if (free < NO_DISK)
      return { state: 'bad', what, found, fix: 'Free some space; without it nothing can be recorded.' };
    return free < LITTLE_DISK
      ? { state: 'odd', what, found, fix: 'Free some space soon.' }
      : { state: 'good', what, found };
  } catch (error) {
    return { state: 'odd', what, found: `free space is unknown: ${messageOf(error)}` };
  }
}
