/** What a person should know about a home before anything else: whether it is stopped or paused, its model and its disk. */
import { readFileSync, statfsSync } from 'node:fs';
import type { Home } from '../../core/schema/home.ts';
import { modelVariable } from '../../kit/settings.ts';
import { notedRulesProblem } from '../../kit/home/rules-fixed.ts';
import { findHistoryProblem, type HistoryProblem } from '../../kit/home/sound-home.ts';
import { isPaused, isStopped, isStoppedHere } from '../../kit/home/stop-files.ts';

export type HomeCondition = {
  stopped: boolean;
  /** By a file of this home, or by the fleet; null when it is not stopped. */
  stopped_by: 'file' | 'fleet' | null;
  paused: boolean;
  /** The model that is set in config.json or the environment of this process; a role may have another one. */
  model: string | null;
  disk_free: number | null;
  /** What is wrong with config.json or POLICY.md, if that was found when somebody wanted to work by them. */
  rules_problem: string | null;
  /** What is lost or damaged of its history: what is shown about runs may then be wrong. */
  history_problem: HistoryProblem | null;
};

/** `oka status` asks for it, so it reads little: one field of config.json, without the schema of all of them. */
export async function readCondition(home: Home): Promise<HomeCondition> {
  return {
    stopped: isStopped(home),
    stopped_by: isStoppedHere(home) ? 'file' : isStopped(home) ? 'fleet' : null,
    paused: isPaused(home),
    model: modelVariable() ?? configuredModel(home),
    disk_free: freeSpaceOf(home.oka),
    rules_problem: notedRulesProblem(home),
    history_problem: await findHistoryProblem(home),
  };
}

function freeSpaceOf(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null; // a disk that does not say
  }
}

/** A config that cannot be read is a finding of its own. */
function configuredModel({ config }: Home): string | null {
  try {
    const { models } = JSON.parse(readFileSync(config, 'utf8')) as { models?: { use?: unknown } };
    return typeof models?.use === 'string' ? models.use : null;
  } catch {
    return null;
  }
}
