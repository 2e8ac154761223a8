/** Owns: what reaches a run from outside while it goes on: a note to whoever works on it, and a stop. */
import { OkaError } from '../schema/errors.ts';
import type { NewEvent } from '../schema/event.ts';
import type { RunSignal } from '../schema/ports.ts';
import type { RunNote } from '../schema/run.ts';
import type { Drive } from './drive.ts';
import type { EngineContext } from './engine-context.ts';
import { applyEvent } from './fold-run.ts';
import { loadRun } from './load-run.ts';
import { loadIdleRun, noteEvent, resumeWaiting, settledDrive } from './run-control.ts';
import { ignoreTooLate, opening } from './run-registry.ts';
import { isOver, type RunState } from './run-state.ts';
import { stopEvent } from './step-events.ts';

/** Records a note to whoever works on a run; it is durable when this resolves. The run goes on, or stays as it is. */
export async function addNote(context: EngineContext, id: string, note: RunNote): Promise<void> {
  const { registry, events } = context;
  await registry.openings.get(id);
  const running = registry.drives.get(id);
  if (running !== undefined) {
    const isStaged = await Promise.race([stagedIn(running, noteEvent(id, note)), running.done.then(() => false)]);
    return isStaged ? events.flush() : running.done.then(() => addNote(context, id, note));
  }
  await opening(registry, id, async () => {
    const run = await loadRun(context, id);
    if (isOver(run.status)) throw new OkaError('run-is-over', `run ${id} is ${run.status}; nobody works on it`);
    applyEvent(run, registry.stage(noteEvent(id, note)));
    await events.flush(registry.takeUnflushed(run.id));
    return settledDrive(run);
  });
}

/** Resolves when the drive has staged the event; false when it had ended. */
function stagedIn(drive: Drive, event: NewEvent): Promise<boolean> {
  return new Promise((resolve) => {
    if (!drive.post(event, () => resolve(true))) resolve(false);
  });
}

/** Stops a run, and with a pause or a cancellation the runs that it waits for. */
export async function stopRun(context: EngineContext, id: string, request: RunSignal): Promise<RunState> {
  const { registry, events } = context;
  await registry.openings.get(id);
  const running = registry.drives.get(id);
  if (running !== undefined) {
    const isFirst = running.stop(request);
    const run = await running.done;
    await stopChildren(context, run, request);
    return isFirst || request.kind === 'stop' || isOver(run.status) ? run : stopRun(context, id, request);
  }
  const run = await loadIdleRun(context, id);
  if (isOver(run.status)) throw new OkaError('run-is-over', `run ${id} is ${run.status} already`);
  const event = stopEvent(run, request);
  if (event !== null) applyEvent(run, registry.stage(event));
  await events.flush(registry.takeUnflushed(run.id));
  await stopChildren(context, run, request);
  if (isOver(run.status)) resumeWaiting(context, run);
  return run;
}

async function stopChildren(context: EngineContext, run: RunState, request: RunSignal): Promise<void> {
  if (request.kind === 'stop') return;
  for (const { for: awaited } of run.waits.values())
    if (awaited.kind === 'child') await stopRun(context, awaited.run, request).catch(ignoreTooLate);
}
