/** What is wrong with a value that came from outside, in one sentence. */
import type { z } from 'zod';

const MOST = 5;

export function describeIssues({ issues }: z.ZodError, what: string): string {
  const lines = issues.slice(0, MOST).map((issue) => describeIssue(issue, what));
  return `${lines.join('; ')}${issues.length > MOST ? `; and ${issues.length - MOST} more` : ''}`;
}

function describeIssue({ path, message }: z.ZodError['issues'][number], what: string): string {
  if (path.length === 0) return message;
  const named = `${what} "${path.join('.')}"`;
  return message.endsWith('received undefined') ? `${named} is missing` : `${named}: ${message}`;
}
