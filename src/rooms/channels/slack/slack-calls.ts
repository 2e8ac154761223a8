/**
 * Owns: asking the Web API of Slack, and what its refusals mean.
 *
 * C1 What may be different later is tried again: too many requests, a token that was revoked, an error of the server.
 */
import type { ChannelTools } from '../../../core/schema/channel-port.ts';
import { NetworkError } from '../messenger/messenger.ts';
import type { SlackChannel } from './slack-settings.ts';

type Said = { ok?: boolean; error?: string; [name: string]: unknown };
export type Call = (method: string, ask: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<Said>;

const LATER =
  /^(?:ratelimited|internal_error|fatal_error|service_unavailable|request_timeout|(?:invalid|not)_auth\w*|token_\w+|account_inactive|missing_scope)$/;
/** Of these it may have been done all the same. */
const DOUBTFUL = /^(?:internal_error|fatal_error|request_timeout)$/;

export function openCalls({ api, ...settings }: SlackChannel, tools: ChannelTools, as: 'token' | 'app_token'): Call {
  return async (method, ask, signal) => {
    const url = new URL(`${api.replace(/\/$/, '')}/api/${method}`);
    const authorization = `Bearer ${await tools.reveal(settings[as], url.host)}`;
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(ask))
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    const body = form.toString();
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
    const response = await tools.fetch(url, { method: 'POST', headers, body, signal });
    return readSaid(method, response.status, response.headers.get('retry-after'), await response.text());
  };
}

function readSaid(method: string, status: number, retryAfter: string | null, text: string): Said {
  const seconds = retryAfter === null || !/^\d{1,6}$/.test(retryAfter) ? null : Number(retryAfter);
  const later = seconds === null ? {} : { retryAfterMs: seconds * 1000 };
  if (status === 429) throw new NetworkError(`Slack takes no more of ${method} for now`, later);
  let said: Said;
  try {
    said = JSON.parse(text) as Said;
  } catch {
    throw new NetworkError(`Slack answered with ${status}, and not with JSON`, { isDoubtful: true });
  }
  if (said.ok === true) return said;
  const error = typeof said.error === 'string' ? said.error.slice(0, 200) : `status ${status}`;
  const isDoubtful = DOUBTFUL.test(error) || status >= 500;
  const isFinal = !LATER.test(error) && status < 500;
  throw new NetworkError(`Slack refuses ${method}: ${error}`, { ...later, isFinal, isDoubtful });
}
