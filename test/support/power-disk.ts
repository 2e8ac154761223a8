/** A disk whose power can be cut: everything that was not flushed to it is gone then. Only root can have one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type PowerDisk = {
  /** From now on nothing reaches the disk: every write and every flush fails. */
  cut(): void;
  /** Mounts what was flushed. No process may have files open there. */
  restore(): void;
  [Symbol.dispose]: () => void;
};

/** An ext4 file system in the file `image`, mounted at a folder that is created. */
export function mountPowerDisk(image: string, folder: string, megabytes: number): PowerDisk {
  mkdirSync(folder, { recursive: true });
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  execFileSync('mkfs.ext4', ['-q', '-F', image]);
  const mount = (): void => void execFileSync('mount', ['-o', 'loop', image, folder]);
  mount();
  return {
    cut: () => shutDown(folder),
    restore: () => {
      execFileSync('umount', [folder]);
      mount();
    },
    [Symbol.dispose]: () => void execFileSync('umount', ['-l', folder]),
  };
}

/** FS_IOC_SHUTDOWN without a flush of the journal, for which neither Node nor util-linux has a command. */
const SHUT_DOWN = String.raw`open(my $folder, '<', $ARGV[0]) or die "$!\n";
my $without_flush = pack('L', 2);
ioctl($folder, 0x8004587d, $without_flush) or die "$!\n";`;

const shutDown = (folder: string): void => void execFileSync('perl', ['-e', SHUT_DOWN, folder]);

/** Why there is no such disk here; null when there is one. */
export function powerDiskProblem(): string | null {
  if (process.getuid?.() !== 0) return 'only root can mount a disk';
  const missing = ['mkfs.ext4', 'perl', 'mount'].find((name) => spawnSync('which', [name]).status !== 0);
  if (missing !== undefined) return `there is no ${missing}`;
  const there = mkdtempSync(join(tmpdir(), 'oka-power-'));
  try {
    using disk = mountPowerDisk(join(there, 'image'), join(there, 'disk'), 8);
    disk.cut();
    return null;
  } catch (error) {
    return `this kernel does not let a disk be cut off: ${String(error)}`;
  } finally {
    rmSync(there, { recursive: true, force: true });
  }
}
