import { expect, it } from 'vitest';
import { modelWaits, type ModelWaitPorts } from '../../../src/app/worker/model-waits.ts';
import { NO_MODEL } from '../../../src/kit/models/model-requirement.ts';

it('a task that waits for a model is answered once, and again when a stop may have taken the answer away', async () => {
  const answered: string[] = [];
  const waits = [{ wait: 'r.plan.1', for: { kind: 'requirement', name: NO_MODEL } }];
  const host = {
    engine: { answer: async (_: string, wait: string) => answered.push(wait) },
    taskGraph: () => ({ goals: [{ run: 'r', waits }] }),
    hasModel: () => true,
    fitsProcedure: async () => false,
    stops: { seen: 0 },
  };
  const goOn = modelWaits(
    host as unknown as ModelWaitPorts,
    async () => [],
    () => expect.unreachable(),
  );
  await goOn();
  await goOn();
  expect(answered).toEqual(['r.plan.1']);
  host.stops.seen += 1; // the disk was full, say, and is not any more
  await goOn();
  expect(answered).toEqual(['r.plan.1', 'r.plan.1']);
});
