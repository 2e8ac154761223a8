/** Owns: what has to be recorded so that the ledger agrees with the files in workspace/schedules. Pure. */
import type { NewEvent } from '../../core/schema/event.ts';
import type { ScheduleEntry } from './schedule-folder.ts';
import { readSchedule, ScheduleFieldError } from './schedule-spec.ts';
import type { Schedules, ScheduleState } from './schedule-state.ts';

export type ScheduleChange = Extract<NewEvent, { type: 'schedule.changed' }>['data'];

/** Removals come first, so that a file that has changed its id is not two schedules. */
export function scheduleChanges(
  entries: ReadonlyMap<string, ScheduleEntry>,
  schedules: Schedules,
  now: number,
): ScheduleChange[] {
  const owners = new Map<string, string>();
  const byName = new Map(Object.values(schedules.byId).map((state) => [state.name, state]));
  const changes = [...entries].flatMap(([name, entry]) => changesOf(name, entry, schedules, { owners, byName, now }));
  return [...removals(entries, schedules, owners), ...changes];
}

type Context = { owners: Map<string, string>; byName: ReadonlyMap<string, ScheduleState>; now: number };

function changesOf(name: string, entry: ScheduleEntry, schedules: Schedules, context: Context): ScheduleChange[] {
  const { owners, byName, now } = context;
  const other = owners.get(entry.id);
  const known = entry.kind === 'problem' ? byName.get(name) : schedules.byId[entry.id];
  if (entry.kind === 'problem') {
    if (known !== undefined) owners.set(known.id, name);
    return refuse(known?.id ?? entry.id, name, entry.sha256, entry.reason, schedules);
  }
  if (other !== undefined)
    return refuse(entry.id, name, entry.sha256, `${other} is the schedule "${entry.id}" already`, schedules);
  owners.set(entry.id, name);
  const isSame = known?.sha256 === entry.sha256 && known.name === name && known.problem === null;
  if (isSame && schedules.refused[name] === undefined) return [];
  try {
    const spec = readSchedule(entry.fields, now, known?.spec ?? null);
    const about = { name, kind: entry.kind, title: entry.title.slice(0, 500), sha256: entry.sha256, spec };
    const change = known === undefined ? 'added' : 'changed';
    return [{ schedule: entry.id, change, reason: `its file was ${change}`, ...about }];
  } catch (error) {
    if (!(error instanceof ScheduleFieldError)) throw error;
    return refuse(entry.id, name, entry.sha256, `${error.field}: ${error.message}`, schedules);
  }
}

/** Each version of a file is refused once. */
function refuse(id: string, name: string, sha256: string, why: string, { refused }: Schedules): ScheduleChange[] {
  if (refused[name]?.sha256 === sha256 && refused[name].reason === why.slice(0, MOST_REASON)) return [];
  return [{ schedule: id, change: 'refused', name, sha256, reason: why.slice(0, MOST_REASON) }];
}

const MOST_REASON = 10_000;

function removals(
  entries: ReadonlyMap<string, ScheduleEntry>,
  { byId, refused }: Schedules,
  owners: ReadonlyMap<string, string>,
): ScheduleChange[] {
  const gone = (schedule: string, name: string): ScheduleChange => ({
    schedule,
    change: 'removed',
    name,
    reason: 'its file is gone',
  });
  const removed = Object.values(byId).filter(({ id }) => !owners.has(id));
  const names = new Set(removed.map(({ name }) => name));
  const others = Object.keys(refused).filter((name) => !entries.has(name) && !names.has(name));
  return [...removed.map(({ id, name }) => gone(id, name)), ...others.map((name) => gone(idOfName(name), name))];
}

/** A file that was never a schedule has no id; its name stands for it. */
const idOfName = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9_.-]/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'file';
