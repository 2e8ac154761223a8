/**
 * What a fleet of 10 to 10,000 workers can do with 1 to 100,000 tasks a minute, simulated with the costs that the bench
 * `fleet` has measured. Writes docs/FLEET-CAPACITY.md and its plots. OKA_BENCH_WORK_SECONDS sets how long a task works (1).
 */
import type { Figure } from './figure.ts';
import { readMeasured } from './fleet/measured-fleet.ts';
import { capacityTable, LOADS, neededFor } from './fleet-sim/capacity.ts';
import { writePage } from './fleet-sim/capacity-page.ts';
import { costsOf } from './fleet-sim/fleet-model.ts';
import { fitMachine, throughputOf } from './fleet-sim/shared-machine.ts';

const WORK_SECONDS = Number(process.env['OKA_BENCH_WORK_SECONDS'] ?? 1);

export function measure(note: (text: string) => void): Promise<Figure[]> {
  const measured = readMeasured();
  const costs = costsOf(measured);
  note(`costs of ${measured.at}, tasks that work for ${WORK_SECONDS} s`);
  const table = capacityTable(costs, WORK_SECONDS);
  const needed = LOADS.map((load) => neededFor(costs, load, WORK_SECONDS));
  const rows = measured.queues[0]?.rows ?? [];
  const fitted = fitMachine(rows);
  const predicted = rows.map(({ workers }) => throughputOf({ ...fitted, workers }));
  writePage({ measured, costs, workSeconds: WORK_SECONDS, table, needed, predicted });
  note('written: docs/FLEET-CAPACITY.md');
  const fits = table.filter(({ first }) => first === null);
  return Promise.resolve([
    {
      name: 'fleet_sim_most',
      value: Math.max(...fits.map(({ tasksPerMinute }) => tasksPerMinute)),
      unit: 'tasks/min',
      about: 'the highest load of the table that one fleet can do',
    },
    ...needed.slice(-2).map(({ tasksPerMinute, streams, clusters }) => ({
      name: `fleet_sim_streams_${tasksPerMinute}`,
      value: streams,
      unit: 'streams',
      about: `of each kind for ${tasksPerMinute} tasks a minute, on ${clusters} clusters`,
    })),
  ]);
}
