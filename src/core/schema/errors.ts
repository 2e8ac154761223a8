/** Misuse and refusals, which are thrown. Failures of the world inside a task are outcomes instead (core/schema/tool.ts). */
export type OkaErrorCode =
  | 'usage'
  | 'refused'
  | 'in-doubt'
  | 'not-set-up'
  | 'not-permitted'
  | 'unsafe-file'
  | 'pen-held'
  | 'invalid-event'
  | 'invalid-file'
  | 'invalid-graph'
  | 'no-such-run'
  | 'no-such-wait'
  | 'run-is-over'
  | 'newer-version'
  | 'ledger-damaged'
  | 'ledger-rolled-back'
  | 'ledger-closed'
  | 'ledger-replaced'
  | 'flush-failed'
  | 'disk-full'
  | 'write-failed'
  | 'artifact-missing'
  | 'artifact-damaged'
  | 'model-no-key'
  | 'model-unknown'
  | 'model-unpaid'
  | 'model-rate-limited'
  | 'model-context-too-long'
  | 'model-down'
  | 'model-stalled'
  | 'model-bad-answer'
  | 'model-bad-call'
  | 'model-cut-off'
  | 'model-refused'
  | 'model-bad-request'
  | 'model-no-recording'
  | 'model-stopped'
  | 'model-failed'
  | 'replica-down'
  | 'replica-refused'
  | 'fleet-down'
  | 'fleet-refused'
  | 'run-fenced'
  | 'account-down';

/** `message` says what was wrong and where; `fix` says what to do about it. */
export class OkaError extends Error {
  override readonly name = 'OkaError';
  readonly code: OkaErrorCode;
  readonly fix: string | undefined;

  constructor(code: OkaErrorCode, message: string, options: { fix?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
  }
}

/** A read for which a store of this home had no space is no failure: it is made again when there is space. */
export const awaitsSpace = (call: { class: string }, error: unknown): boolean =>
  call.class === 'read' && error instanceof OkaError && error.code === 'disk-full';

/** Whether another member of the fleet owns the run by now. */
export const isFenced = (error: unknown): boolean => error instanceof OkaError && error.code === 'run-fenced';

export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
