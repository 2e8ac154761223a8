/**
 * Owns: rows of a single view for a command: it loads that view, and nothing that checks or writes, so that scripts can
 * ask as often as they like. For a view that folds the run ledger alone (`withRowsOf`).
 */
import { withRowsOf } from '../rows/read-rows.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import type { Call } from './command-module.ts';
import { withReadingProgress } from './reading-progress.ts';

export type ReadingCall = Pick<Call, 'home' | 'progress' | 'signal'>;

export function readOneView<T>(call: ReadingCall, view: View, query: (rows: Rows) => T): Promise<T> {
  return withReadingProgress(call, (reading) => withRowsOf(call.home, view, query, reading));
}

/** Runs by name or in lists; who searches the texts of runs needs all views (read-views.ts). */
export async function readRuns<T>(call: ReadingCall, query: (rows: Rows) => T): Promise<T> {
  return readOneView(call, (await import('../views/run-view.ts')).runView, query);
}
