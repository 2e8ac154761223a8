/** Owns: the question of a run that waits until a person has logged in at a server. */
import type { WaitFor } from '../../core/schema/wait.ts';
import { LoginNeeded } from './server-login.ts';

export function loginQuestion(server: string): Extract<WaitFor, { kind: 'question' }> {
  const text = `The MCP server ${server} needs you to log in. Run: oka mcp login ${server}\nThe step is then done again by itself.`;
  return { kind: 'question', text, repeat: true };
}

/** The login that is missing or has ended, if that is what the error came from. */
export function findLoginNeeded(error: unknown): LoginNeeded | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof LoginNeeded) return at;
  return null;
}
