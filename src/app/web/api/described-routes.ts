/** The routes of the API that are no query, as its documentation describes them. A route without an entry fails a test. */
import { z } from 'zod';
import { Id } from '../../../core/schema/names.ts';
import { BulkRequest } from '../../../core/schema/bulk.ts';
import { SessionEnd, SessionEnded, SessionList } from '../../../kit/web/login/session-routes.ts';
import { RulesConfirmed } from '../setup/rules-routes.ts';
import { ModelChoice } from '../setup/choose-model.ts';
import type { DescribedRoute } from '../../../kit/web/api/described-route.ts';
import { TaskWords } from '../tasks/task-routes.ts';

const ok = z.strictObject({ ok: z.literal(true) }).describe('Done.');
const run = Id.describe('The run.');

export const describedRoutes: readonly DescribedRoute[] = [
  {
    method: 'get',
    path: '/api/v1/login',
    summary: 'Whether there is a session, and whether a passphrase is set.',
    answer: z.strictObject({ session: z.boolean(), passphrase: z.boolean() }),
    isOpen: true,
  },
  {
    method: 'post',
    path: '/api/v1/login',
    summary: 'Logs a browser in, with a link of oka web link or with the passphrase.',
    body: z.union([z.strictObject({ link: z.string() }), z.strictObject({ passphrase: z.string() })]),
    answer: z.strictObject({
      ok: z.literal(true),
      key: z.string().describe('Sent as X-Oka-Key with every request; the cookie alone is not enough.'),
    }),
    isOpen: true,
  },
  {
    method: 'get',
    path: '/api/v1/ticket',
    summary: 'A pass of some minutes for files and the stream of events, as ?ticket=…, where no header can be sent.',
    answer: z.strictObject({ ticket: z.string() }),
  },
  { method: 'post', path: '/api/v1/logout', summary: 'Ends the session.', answer: ok, isOpen: true },
  { method: 'post', path: '/api/v1/presence', summary: 'Reports that somebody looks at the dashboard.', answer: ok },
  {
    method: 'post',
    path: '/api/v1/chat/typing',
    summary: 'Reports that somebody writes in a conversation.',
    answer: ok,
  },
  { method: 'get', path: '/api/v1/sessions', summary: 'Who may use the dashboard.', answer: SessionList },
  {
    method: 'post',
    path: '/api/v1/sessions/end',
    summary: 'Ends a session or a token.',
    body: SessionEnd,
    answer: SessionEnded,
  },
  {
    method: 'get',
    path: '/api/v1/events',
    summary: 'What happens, as server-sent events; `after` or Last-Event-ID resumes exactly.',
    params: z.object({ after: z.string().optional().describe('The id of the last message that was read.') }),
    media: 'text/event-stream',
  },
  {
    method: 'post',
    path: '/api/v1/tasks',
    summary:
      'Puts a task into the inbox. With files, the body is bytes: a line of JSON that names them, then their content.',
    body: TaskWords,
    answer: z.strictObject({ tasks: z.array(z.looseObject({})).describe('What was put there.') }),
    status: 201,
  },
  {
    method: 'post',
    path: '/api/v1/model',
    summary: 'Chooses a model; its key leaves the dashboard encrypted for the vault only.',
    body: ModelChoice,
  },
  {
    method: 'post',
    path: '/api/v1/rules',
    summary: 'Changes a file of .oka/rules, with a fresh link or the passphrase for this one change.',
    body: RulesConfirmed,
  },
  {
    method: 'post',
    path: '/api/v1/bulk',
    summary: 'Does the same to all runs of a list that was previewed.',
    body: BulkRequest,
  },
  {
    method: 'get',
    path: '/api/v1/run-export',
    summary: 'A run as one file, without secrets.',
    params: z.object({ run, form: z.enum(['html', 'json']).default('html').describe('The form of the file.') }),
    media: 'text/html',
  },
  {
    method: 'post',
    path: '/api/v1/run-again',
    summary: 'Puts the task of a run into the inbox again.',
    body: z.strictObject({ run }),
  },
  {
    method: 'post',
    path: '/api/v1/run-correct',
    summary: 'Puts a correction of a finished run into the inbox.',
    body: z.strictObject({ run, text: z.string().describe('What was wrong.') }),
  },
  { method: 'get', path: '/api/v1/openapi.json', summary: 'This document.' },
  { method: 'get', path: '/metrics', summary: 'Numbers for Prometheus.', media: 'text/plain' },
];
