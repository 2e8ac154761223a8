/** What backups contribute: settings, one backup a day while a worker runs, and a line of `oka doctor`. */
import { configPort, defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import type { BackupConfig } from './backup-config.ts';

const { home } = ports;

export const backup = defineRoom({
  name: 'rooms/backup',
  config: async () => ({ backup: (await import('./backup-config.ts')).BackupConfig }),
  findings: async (at, { loadConfig }) => {
    const config = await loadConfig().catch(() => null); // what is wrong with it has a line of its own
    if (config === null) return [];
    const { backupFindings } = await import('./backup-findings.ts');
    return backupFindings(at, (config as { backup: BackupConfig }).backup);
  },
  needs: { home, config: configPort<BackupConfig>('backup') },
  open: async (needed) => {
    if (needed.config.to === undefined) return {};
    const { backUpDaily } = await import('./daily-backup.ts');
    const daily = backUpDaily(needed.home, needed.config);
    return { close: daily.end };
  },
});
