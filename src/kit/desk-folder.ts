/** Where the desk of a home is, and the copies of it that forks of runs work in. */
import { join } from 'node:path';
import type { Home } from '../core/schema/home.ts';

/** The desk, or the copy of it that a fork works in. */
export function deskFolder({ workspace }: Pick<Home, 'workspace'>, fork?: string): string {
  return fork === undefined ? join(workspace, 'desk') : join(workspace, 'forks', fork);
}
