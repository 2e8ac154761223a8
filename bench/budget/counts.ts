/**
 * Counts that do not depend on the machine: what commands and the worker load, what a piece of work takes, and how large
 * what we send to others is. One pass takes some seconds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '../support/home.ts';
import { commandCounts } from './command-counts.ts';
import { sizeCounts } from './size-counts.ts';
import { stepCounts } from './step-counts.ts';
import { openCountedStory, workerCounts } from './worker-counts.ts';

/** By whose they are and what is counted: `{ "oka status": { "modules": 60 } }`. */
export type Counts = Record<string, Record<string, number>>;

export async function measureCounts(): Promise<Counts> {
  const folder = mkdtempSync(join(memoryFolder, 'oka-counts-'));
  try {
    await using story = await openCountedStory();
    const work = await workerCounts(story, folder);
    return { ...commandCounts(story.home.dir, folder), ...work, ...stepCounts(folder), ...sizeCounts() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
