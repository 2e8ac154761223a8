/** What happens to the servers and the disk of a member in a trial of the fleet, besides kills and pauses of workers. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsCluster } from './nats-cluster.ts';
import { fillDisk, freeDisk } from './small-disk.ts';

/** All servers are killed at the same moment, and started again. */
export async function restartAll(cluster: NatsCluster): Promise<void> {
  const all = Array.from({ length: cluster.size }, (_, index) => index);
  await Promise.all(all.map((index) => cluster.kill(index)));
  await Promise.all(all.map((index) => cluster.start(index)));
}

/** A server that neither answers nor closes its connections for a while. */
export async function silence(cluster: NatsCluster, index: number, ms: number): Promise<void> {
  cluster.pause(index);
  await sleep(ms);
  cluster.resume(index);
}

/**
 * Flips bits in, and cuts, files of blocks and of snapshots of one server while it is down. The others have everything. If
 * it cannot start with these files, somebody gives it an empty store. Returns how many files were damaged.
 */
export async function damageServer(cluster: NatsCluster, index: number, count: number): Promise<number> {
  await cluster.untilOthersCurrent(index);
  await cluster.kill(index);
  const files = readdirSync(cluster.storeOf(index), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.blk$|[/]snap\.|[/]snapshots?[/]/.test(name))
    .map((name) => join(cluster.storeOf(index), name))
    .filter((file) => statSync(file).isFile() && statSync(file).size > 64);
  for (let number = 0; number < count && files.length > 0; number += 1)
    damage(files[Math.floor(Math.random() * files.length)] as string, number % 3 === 2);
  await cluster.start(index).catch(async () => {
    await cluster.kill(index);
    rmSync(cluster.storeOf(index), { recursive: true });
    await cluster.untilOthersCurrent(index);
    await cluster.start(index);
  });
  return files.length === 0 ? 0 : count;
}

function damage(file: string, isCut: boolean): void {
  const { size } = statSync(file);
  const at = Math.floor(Math.random() * size);
  if (isCut) return truncateSync(file, at);
  const byte = Buffer.alloc(1);
  const opened = openSync(file, 'r+');
  try {
    readSync(opened, byte, 0, 1, at);
    writeSync(opened, Buffer.from([(byte[0] ?? 0) ^ (1 << Math.floor(Math.random() * 8))]), 0, 1, at);
  } finally {
    closeSync(opened);
  }
}

export const isRoot = process.getuid?.() === 0;

/** A small disk of its own at this folder; only root can mount one. */
export function mountSmallDisk(folder: string, megabytes: number): Disposable {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  return { [Symbol.dispose]: () => void execFileSync('umount', ['-l', folder]) };
}

export async function fillDiskFor(folder: string, ms: number): Promise<void> {
  try {
    fillDisk(folder);
    await sleep(ms);
  } finally {
    freeDisk(folder);
  }
}
