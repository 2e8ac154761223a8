/** Backups, for `oka doctor`. */
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { lastBackup } from './back-up.ts';
import type { BackupConfig } from './backup-config.ts';

const HOUR = 3_600_000;

export function backupFindings(home: Home, { to, every_hours: hours }: BackupConfig, now = Date.now()): Finding[] {
  const last = lastBackup(home);
  if (to === undefined && last === null) return []; // the README tells how; it is no fault of a home that it has none
  if (last?.problem != null)
    return [{ state: 'bad', what: 'backup', found: `the last one failed: ${last.problem}`, fix: 'Try: oka backup' }];
  if (last?.at == null)
    return [
      { state: 'odd', what: 'backup', found: `none was made to ${to} yet`, fix: 'Make the first one: oka backup' },
    ];
  const found = `the last one is of ${last.at.slice(0, 16).replace('T', ' ')} UTC, in ${last.dir}`;
  const isOld = to !== undefined && now - Date.parse(last.at) > 2 * hours * HOUR;
  return [
    isOld
      ? { state: 'odd', what: 'backup', found, fix: 'Make one: oka backup' }
      : { state: 'good', what: 'backup', found },
  ];
}
