/** Owns: how a run of the view of runs stands for a person. */
import { standingOf } from '../../core/ledger/goal.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { RunStatus } from '../../core/schema/run.ts';
import { type RunRow, storedRun } from './run-rows.ts';

export const statusForPeople = (rows: Rows, row: RunRow): RunStatus => standingOf(row, (run) => storedRun(rows, run));
