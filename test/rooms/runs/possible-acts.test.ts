import { describe, expect, it } from 'vitest';
import type { RunStatus } from '../../../src/core/schema/run.ts';
import { possibleActs } from '../../../src/rooms/runs/run-page/possible-acts.ts';
import type { RunTree } from '../../../src/rooms/runs/run-page/run-tree.ts';

const task = {
  row: { depth: 0 },
  own: [{ type: 'task.received', data: {} }],
  all: [],
  plans: [],
  isTask: true,
} as unknown as RunTree;

const actsOf = (status: RunStatus) => possibleActs(task, status, { hasDeliverables: false, isUndone: false });

describe('what can be done with a run', () => {
  it.each(['running', 'blocked', 'paused'] as const)('that is %s does not include running it again', (status) => {
    expect(actsOf(status)).not.toContain('again');
    expect(actsOf(status)).toContain('cancel');
  });

  it.each(['done', 'failed', 'cancelled'] as const)('that is %s includes running it again', (status) => {
    expect(actsOf(status)).toContain('again');
    expect(actsOf(status)).not.toContain('cancel');
  });
});
