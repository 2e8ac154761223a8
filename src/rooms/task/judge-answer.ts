/** Owns: comparing the final answer of a task with what its calls did, by code. What it says is judged by the critic. */
import { claimsIn, type DoneFacts, findUnbackedClaims } from './roles/answer-claims.ts';
import { mayBeSameFile } from '../../kit/text/file-names.ts';
import { matchesGlob } from '../../kit/text/glob.ts';
import { pathInDesk } from './roles/findings.ts';
import type { Breach } from '../../kit/text/safety.ts';
import { unfinishedReason } from './roles/unfinished-answer.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Act } from '../../core/schema/tool.ts';
import { hostsContacted } from '../../kit/runs/hosts-contacted.ts';

type AnswerFacts = {
  answer: string;
  /** The events of all runs of the task's plans. */
  events: readonly Event[];
  changed: readonly string[];
  removed: readonly string[];
  targets: readonly string[];
  /** Folder of the task, relative to the desk. */
  dir: string | null;
};

const MOST_LOOKUPS = 20;

/** Why the task is not done, whatever its criteria say. */
export async function judgeAnswer(facts: AnswerFacts, act: Act): Promise<Breach[]> {
  const { answer, events, changed, removed, targets, dir } = facts;
  const unfinished = unfinishedReason(answer);
  const existing = await existingFiles(facts, act);
  const unbacked = findUnbackedClaims(answer, {
    changed,
    removed,
    calls: callsIn(events),
    hosts: hostsContacted(events),
    isTarget: (path) =>
      targets.some((target) => !target.includes('*') && matchesGlob(target, pathInDesk(dir ?? '.', path))),
    exists: (path) => existing.has(path),
  });
  return [...(unfinished === null ? [] : [unfinished]), ...unbacked].map((reason) => ({ verdict: 'rework', reason }));
}

function callsIn(events: readonly Event[]): DoneFacts['calls'] {
  const started = new Map<string, DoneFacts['calls'][number]>();
  return events.flatMap((event) => {
    if (event.type === 'call.started' && event.data.tool !== 'model.complete') {
      const { call, tool, input } = event.data;
      const effect = event.data.judged ?? event.data.class;
      const leavesMachine = effect === 'external_mutation';
      started.set(call, { tool, input: JSON.stringify(input), changes: effect !== 'read', leavesMachine });
    }
    const call = event.type === 'call.ended' && event.data.status === 'ok' ? started.get(event.data.call) : undefined;
    return call === undefined ? [] : [call];
  });
}

/** Which files are there that others may have written by what the answer says, or that the worker wrote and nobody changed. */
async function existingFiles({ answer, changed, dir }: AnswerFacts, act: Act): Promise<Set<string>> {
  const named = claimsIn(answer).flatMap(({ own, act: kind, subjects }) =>
    kind === 'send' || kind === 'visit'
      ? []
      : subjects.filter((path) => !own || !changed.some((each) => mayBeSameFile(each, path))),
  );
  const found = new Set<string>();
  for (const path of [...new Set(named)].slice(0, MOST_LOOKUPS))
    for (const place of new Set([path, pathInDesk(dir ?? '.', path)])) {
      const outcome = await act('files.read', { path: place, offset: 0, length: 1 }, { author: 'model' });
      if (outcome.status === 'ok') found.add(path);
    }
  return found;
}
