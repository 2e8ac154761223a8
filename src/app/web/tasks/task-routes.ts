/**
 * Owns: POST /api/v1/tasks. JSON for words alone; with files the body is bytes: one line of JSON that says what follows,
 * and then the content of the files, one after the other.
 */
import type { Hono } from 'hono';
import { z } from 'zod';
import { LIMITS } from '../../../kit/inbox/add-task.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { problemOf } from '../../../kit/web/api/problem.ts';
import { readBody } from '../../../kit/web/api/request-body.ts';
import { describeIssues } from '../../../kit/web/describe-issues.ts';
import { addWebTask, type WebTask } from './add-web-task.ts';

export const TaskWords = z.strictObject({
  text: z.string().max(LIMITS.mostBytes).optional().describe('What is to be done.'),
  every: z.string().max(200).optional().describe('When it is done again: every Monday 08:00.'),
  timezone: z.string().max(100).optional().describe('The time zone of these times.'),
});

const Head = TaskWords.extend({
  files: z
    .array(
      z.strictObject({
        path: z.string().max(4096).describe('Its path below what was dropped.'),
        size: z.int().nonnegative().describe('Its bytes.'),
      }),
    )
    .max(LIMITS.mostFiles + 1)
    .describe('The files, in the order of their content.'),
});

const MOST_HEAD = 2 * 1024 * 1024;
const NEW_LINE = 10;

export function addTaskRoutes(app: Hono, home: Home): void {
  app.post('/api/v1/tasks', async (context) => {
    try {
      const isBytes = (context.req.header('content-type') ?? '').startsWith('application/octet-stream');
      const body = await readBody(context.req.raw, isBytes ? LIMITS.mostFolderBytes + MOST_HEAD : MOST_HEAD);
      const task = isBytes ? readFramed(body) : check(TaskWords, body);
      return context.json({ tasks: addWebTask(home, task, Date.now()) }, 201);
    } catch (error) {
      return problemOf(context, error);
    }
  });
}

function readFramed(body: Buffer): WebTask {
  const end = body.subarray(0, MOST_HEAD).indexOf(NEW_LINE);
  if (end === -1) throw new OkaError('usage', 'the first line has to say which files follow');
  const { files, ...words } = check(Head, body.subarray(0, end));
  let at = end + 1;
  const cut = files.map(({ path, size }) => {
    const bytes = body.subarray(at, at + size);
    at += size;
    return { path, bytes };
  });
  if (at !== body.length) throw new OkaError('usage', 'the files are not as long as the first line says');
  return { ...words, files: cut };
}

function check<T>(schema: z.ZodType<T>, bytes: Uint8Array): T {
  const { success, data, error } = schema.safeParse(parseJson(bytes));
  if (success) return data;
  throw new OkaError('usage', describeIssues(error, 'field'));
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw new OkaError('usage', 'the body is not JSON', { cause: error });
  }
}
