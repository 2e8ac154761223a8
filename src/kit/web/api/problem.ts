/** Errors as the API reports them: { error: { code, message, fix? } }. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { OkaError, type OkaErrorCode } from '../../../core/schema/errors.ts';

export function problem(
  context: Context,
  status: ContentfulStatusCode,
  code: OkaErrorCode,
  message: string,
  fix?: string,
): Response {
  return context.json({ error: { code, message, ...(fix === undefined ? {} : { fix }) } }, status);
}

type ShownError = { code: OkaErrorCode; message: string; fix?: string };

/** An error of ours with what to do about it; of anything else nothing is shown, it may contain what nobody should see. */
export function errorShown(error: unknown): ShownError {
  if (!(error instanceof OkaError))
    return { code: 'refused', message: 'The dashboard failed to do that.', fix: 'See its log.' };
  const { code, message, fix } = error;
  return { code, message, ...(fix === undefined ? {} : { fix }) };
}

/** What is no error of ours is thrown on, for the log. */
export function problemOf(context: Context, error: unknown): Response {
  if (!(error instanceof OkaError)) throw error;
  return context.json({ error: errorShown(error) }, statusOf(error.code));
}

function statusOf(code: OkaErrorCode): ContentfulStatusCode {
  if (code === 'no-such-run' || code === 'no-such-wait' || code === 'artifact-missing') return 404;
  if (code === 'usage' || code === 'invalid-file' || code === 'invalid-graph') return 400;
  if (code === 'not-permitted') return 403;
  if (code === 'disk-full' || code === 'write-failed' || code === 'not-set-up') return 503;
  return 409;
}
