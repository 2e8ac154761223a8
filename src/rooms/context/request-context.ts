/** Work on the context tree: done by the worker if one is running, else here and now; either way it is a run. */
import { errnoOf } from '../../core/schema/errors.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { carryOut } from '../../kit/cli/carry-out.ts';
import { changes, knownNow } from '../../kit/views/changes.ts';

type ProgressCall = Pick<Call, 'home' | 'signal' | 'progress'>;

type ContextIntake = Extract<Intake, { kind: 'run_context' }>;

export async function requestContext(
  call: ProgressCall & Pick<Call, 'notify' | 'rooms'>,
  { tool, input, maxTokens }: { tool: ContextIntake['tool']; input: object; maxTokens?: number | undefined },
): Promise<Json> {
  const id = `${tool.replace('.', '-')}-${Date.now().toString(36)}`;
  const budget = maxTokens === undefined ? {} : { max_tokens: maxTokens };
  const intake: ContextIntake = { kind: 'run_context', id, tool, input: toJson(input), ...budget };
  return withContextProgress(call, () => carryOut(call, intake));
}

/** Without the fields that are left out. */
const toJson = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Does the work, and counts the frames that are added meanwhile. */
export async function withContextProgress<T>(call: ProgressCall, work: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const progress = call.progress('Making frames', 'frames');
  const following = follow(call, AbortSignal.any([call.signal, stop.signal]), progress.reach);
  try {
    return await work();
  } finally {
    stop.abort();
    await following;
    progress.end();
  }
}

async function follow({ home }: ProgressCall, signal: AbortSignal, reach: (frames: number) => void): Promise<void> {
  let frames = 0;
  try {
    for await (const event of changes(home.ledgers, knownNow(home.ledgers, ['run']), { signal })) {
      if (event.type === 'frame.put') reach((frames += 1));
    }
  } catch (error) {
    if (!signal.aborted && errnoOf(error) === undefined) throw error;
  }
}
