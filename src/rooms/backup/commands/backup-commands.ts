/** Backups of a home, and restoring one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeProblem } from '../../../core/ledger/disk.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { flag, text, texts } from '../../../kit/cli/options.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { makeKeyPair } from '../../../kit/vault/open-vault.ts';
import { changeConfig, loadRoomsConfig } from '../../../kit/house/room-config.ts';
import { formatBytes } from '../../../kit/inbox/plain-file.ts';
import type { BackupConfig } from '../backup-config.ts';
import { machineSeal, type RecoveryKey, recoveryKeyIn, recoverySeal, saveRecoveryKey } from '../backup-keys.ts';
import { readTag, type Seal, stateTimes } from '../backup-store.ts';
import { checkBackups, type Checked } from '../check-backups.ts';
import { backUp, backUpUnnoted } from '../back-up.ts';
import { readStream, writeStream } from '../backup-stream.ts';
import type { MadeBackup } from '../make-backup.ts';
import { type Restored, restoreBackup } from '../restore-backup.ts';

const toOption = text('DIR', 'The folder that backups go to (backup.to of config.json).');
const toOrStream = text(
  'DIR',
  'The folder that backups go to (backup.to of config.json), or - for one whole backup to stdout.',
);
const keyOption = text(
  'FILE',
  'The recovery key; without it the key of the vault of this machine is tried, or you are asked.',
);

type MadeData = MadeBackup & {
  /** Shown once, when it was made; null when it was stored in a file instead, or there was one already. */
  recoveryKey: string | null;
  keyFile: string | null;
  /** What to put into config.json, where it cannot be written from here. */
  settings: object | null;
};

export const commands: Commands = {
  backup: command({
    summary: 'Back up the home, encrypted and incremental, while the worker runs',
    options: {
      to: toOrStream,
      'recovery-key': text('FILE', 'The first time: store the new recovery key here instead of showing it.'),
      'no-desk': flag('Leave workspace/desk out.'),
    },
    example: 'oka backup --to /mnt/backup/oka',
    run: async (call: MakeCall): Promise<Answer<MadeData>> => {
      const { home, options } = call;
      await requireHome(home);
      if (options.to === '-') return streamed(call);
      const set = await settingsOf(call);
      const dir = folderOf(options.to ?? set.to);
      const key = await recoveryFor(call, set, dir);
      const settings = key.made === null ? null : await rememberKey(call, { to: dir, recovery: key.recovery });
      const progress = call.progress('reading', 'bytes');
      const backup = await backUp(home, wishOf(call, set, { dir, ...key }, progress)).finally(progress.end);
      const keyFile = options.recoveryKey ?? null;
      const shown = key.made === null || keyFile !== null ? null : key.made.secret;
      return answer({ ...backup, recoveryKey: shown, keyFile: key.made === null ? null : keyFile, settings });
    },
    render: renderMade,
  }),
  'backup list': command({
    summary: 'List the backups there are',
    options: { to: toOption },
    example: 'oka backup list --to /mnt/backup/oka',
    run: async (call): Promise<Answer<{ dir: string; backups: string[] }>> => {
      const dir = existing(call.options.to ?? (await settingsOf(call)).to);
      return answer({ dir, backups: stateTimes(dir).map((at) => at.toISOString()) });
    },
    render: ({ dir, backups }) =>
      backups.length === 0 ? `There is no backup in ${dir}.\n` : `${backups.join('\n')}\n`,
  }),
  'backup check': command({
    summary: 'Read every backup back, byte by byte; exit 1 if one is damaged',
    options: { to: toOption, key: keyOption },
    example: 'oka backup check',
    run: async (call): Promise<Answer<Checked>> => {
      const dir = existing(call.options.to ?? (await settingsOf(call)).to);
      const progress = call.progress('checking', 'bytes');
      const checked = await checkBackups(
        dir,
        await readerOf(call, call.options.key),
        call.signal,
        progress.reach,
      ).finally(progress.end);
      return answer(checked, checked.damaged.length === 0 ? exits.ok : exits.no);
    },
    render: ({ backups, pieces, bytes, damaged }) => {
      const read = `${backups} backup${backups === 1 ? '' : 's'}, ${pieces} pieces, ${formatBytes(bytes)}`;
      if (damaged.length === 0) return `${read}: everything can be restored.\n`;
      return `${read}:\n${damaged.map(({ at, why }) => `  ${at}: ${why}\n`).join('')}The other backups can be restored.\n`;
    },
  }),
  restore: command({
    summary: 'Restore a home from a backup into a new folder; it starts paused',
    options: {
      from: text('DIR', 'The folder with the backups, or - for what oka backup --to - has written, from stdin.'),
      key: keyOption,
      state: text('TIME', 'Which backup, by the beginning of its time; the latest without this.'),
      only: texts('PATH', 'Only this file or folder of the home, such as workspace/desk/notes.md; repeat for more.'),
    },
    example: 'oka restore --from /mnt/backup/oka --dir ~/assistant',
    run: async (call): Promise<Answer<Restored>> => {
      const { home, options, signal } = call;
      const arrived = options.from === '-' ? mkdtempSync(join(tmpdir(), 'oka-restore-')) : null;
      try {
        if (arrived !== null) await receive(call, arrived);
        const from = existing(arrived ?? options.from);
        const crypt = await readerOf(call, options.key);
        const progress = call.progress('restoring', 'bytes');
        const wish = { from, at: options.state, only: options.only, crypt, signal, onProgress: progress.reach };
        return answer(await restoreBackup(home, wish).finally(progress.end));
      } finally {
        if (arrived !== null) rmSync(arrived, { recursive: true, force: true });
      }
    },
    render: renderRestored,
  }),
};

type MakeCall = Call<{ to: string | undefined; recoveryKey: string | undefined; noDesk: boolean }>;
type Recovery = { recovery: string; made: RecoveryKey | null };

/** The recovery key of the settings; the first time a new one. */
async function recoveryFor(call: MakeCall, { recovery }: BackupConfig, dir: string): Promise<Recovery> {
  if (recovery !== undefined) return { recovery, made: null };
  const made = await newRecoveryKey(call, dir, call.options.recoveryKey);
  return { recovery: made.recipient, made };
}

function wishOf(
  { options, signal }: MakeCall,
  set: BackupConfig,
  { dir, recovery }: { dir: string; recovery: string },
  { reach }: { reach: (bytes: number) => void },
) {
  return { ...set, dir, recovery, desk: set.desk && !options.noDesk, signal, onProgress: reach };
}

/** One whole backup to stdout, which then has nothing else; what is said about it goes to the person. */
async function streamed(call: MakeCall): Promise<Answer<MadeData>> {
  const { home, options, signal } = call;
  if (call.json || call.terminal.isTerminal)
    throw new OkaError('usage', call.json ? '--json and --to - both need stdout' : 'a backup is not for a terminal', {
      fix: "Such as: oka backup --to - | ssh box 'cat > oka.tar'",
    });
  const dir = mkdtempSync(join(tmpdir(), 'oka-backup-'));
  try {
    const set = await settingsOf(call);
    const key = await recoveryFor(call, set, dir);
    const settings = key.made === null ? null : await rememberKey(call, { recovery: key.recovery });
    const reading = call.progress('reading', 'bytes');
    const backup = await backUpUnnoted(home, wishOf(call, set, { dir, ...key }, reading)).finally(reading.end);
    const writing = call.progress('writing', 'bytes');
    await writeStream(dir, process.stdout.fd, signal, writing.reach).finally(writing.end);
    const keyFile = key.made === null ? null : (options.recoveryKey ?? null);
    call.notify(renderMade({ ...backup, dir: '-', recoveryKey: null, keyFile, settings }).trimEnd());
    return { code: exits.ok };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function receive(call: Pick<Call, 'stdin' | 'signal' | 'progress'>, dir: string): Promise<void> {
  const progress = call.progress('receiving', 'bytes');
  await readStream(call.stdin, dir, call.signal, progress.reach).finally(progress.end);
}

async function settingsOf({ home, rooms }: Pick<Call, 'home' | 'rooms'>): Promise<BackupConfig> {
  const set = (await loadRoomsConfig(home, rooms))['backup'] as BackupConfig;
  return set.to === undefined ? set : { ...set, to: resolve(home.dir, set.to) }; // the worker's folder may be another one
}

function folderOf(dir: string | undefined): string {
  if (dir !== undefined) return resolve(dir);
  throw new OkaError('usage', 'where should the backup go?', {
    fix: 'Name a folder, best on another disk: oka backup --to /mnt/backup/oka',
  });
}

function existing(named: string | undefined): string {
  const dir = folderOf(named);
  if (readTag(dir) !== null) return dir;
  throw new OkaError('usage', `there are no backups in ${dir}`, { fix: 'Make one: oka backup --to DIR' });
}

/** A key that nobody would see is not made. */
async function newRecoveryKey(
  call: Pick<Call, 'openDialog' | 'json'>,
  dir: string,
  file: string | undefined,
): Promise<RecoveryKey> {
  if (readTag(dir) !== null)
    throw new OkaError('refused', `${dir} has backups, but config.json names no recovery key`, {
      fix: `Add "recovery": "${readTag(dir)?.recovery}" to "backup" in config.json if that is your key, or name a new folder.`,
    });
  if (file === undefined && call.openDialog === null)
    throw new OkaError(
      'usage',
      'the first backup makes a recovery key, which is shown once and nobody would see here',
      {
        fix: 'Run it in a terminal, or name a file for the key: oka backup --recovery-key FILE',
      },
    );
  const key = await makeKeyPair();
  if (file !== undefined) saveRecoveryKey(resolve(file), key);
  return key;
}

/** Returns what a person has to add to config.json where it cannot be written from here. */
async function rememberKey(
  { home, rooms }: Pick<Call, 'home' | 'rooms'>,
  wanted: Pick<BackupConfig, 'to' | 'recovery'>,
): Promise<object | null> {
  if (writeProblem(home.config) !== null || writeProblem(join(home.config, '..')) !== null) return { backup: wanted };
  await changeConfig(
    home,
    (config: { backup?: object }) => ({
      ...config,
      backup: { ...wanted, ...config.backup, recovery: wanted.recovery },
    }),
    rooms,
  );
  return null;
}

/** Whoever has the recovery key, or is the machine that made the backups. */
async function readerOf(
  { home, openDialog }: Pick<Call, 'home' | 'openDialog'>,
  file: string | undefined,
): Promise<Seal> {
  if (file !== undefined) return recoverySeal(recoveryKeyIn(resolve(file)));
  if ((await import('../../../kit/home/is-set-up.ts')).isSetUp(home))
    return machineSeal(home, (await makeKeyPair()).recipient);
  if (openDialog !== null) return recoverySeal(await (await openDialog()).askHidden('Recovery key: '));
  throw new OkaError('usage', 'reading a backup needs the recovery key', { fix: 'Name its file: --key FILE' });
}

function renderMade({
  at,
  dir,
  files,
  bytes,
  added,
  events,
  left,
  removed,
  recoveryKey,
  keyFile,
  settings,
}: MadeData): string {
  const lines = [
    `Backed up to ${dir === '-' ? 'stdout' : dir}: ${files} files, ${formatBytes(bytes)}, ${formatBytes(added)} of it new${events === null ? '' : `, up to event ${events}`}. Read back and compared.`,
    ...(removed === 0 ? [] : [`${removed} old backup${removed === 1 ? '' : 's'} removed.`]),
    ...left.map(({ path, why }) => `Left out: ${path} (${why})`),
  ];
  if (recoveryKey !== null)
    lines.push(
      '',
      'Your recovery key. It is shown only now, and no machine has it: write it down, away from the backups.',
      '',
      `    ${recoveryKey}`,
      '',
      `Whoever has it can read the backups, secrets included; without it nobody can restore them on another machine.`,
    );
  if (keyFile !== null) lines.push(`The recovery key is in ${keyFile}: move it to a place away from the backups.`);
  if (settings !== null) lines.push('', 'Put this into .oka/rules/config.json:', '', JSON.stringify(settings, null, 2));
  const from = dir === '-' ? '-' : `${dir} --state ${at.slice(0, 19)}`;
  lines.push(`To restore it: oka restore --from ${from} --dir NEW${dir === '-' ? ' --key FILE < BACKUP' : ''}`);
  return `${lines.join('\n')}\n`;
}

function renderRestored({ dir, at, files, bytes, events, left, otherKey, isHome }: Restored): string {
  const lines = [`Restored ${files} files, ${formatBytes(bytes)}, of the backup of ${at}: ${dir}`];
  if (!isHome) return `${lines[0]}\n`;
  lines.push(
    ...(events === null
      ? []
      : [`Its history ends with event ${events} and is intact. What was done later is not in it.`]),
    'Indexes and pages are made again at its first start. Installed tools were made for the machine of the backup.',
    ...left.map(({ path, why }) => `Not in the backup: ${path} (${why})`),
  );
  if (otherKey !== null)
    lines.push(
      `The key of its vault was not put in place: ${otherKey} is another one. Without it the secrets stay closed.`,
    );
  lines.push(
    '',
    'It is paused: schedules and channels stay silent, since its original may still run somewhere.',
    `When this is the home from now on: oka unpause --dir ${dir}, and for its schedules: oka schedule start --dir ${dir}`,
  );
  return `${lines.join('\n')}\n`;
}
