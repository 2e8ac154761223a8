/** pg-boss: a job is locked by its row; a step is a row in a table of its own. */
import { PgBoss } from 'pg-boss';
import { serveQueue } from './queue-worker.ts';

const NAME = 'bench';
const NOTE = 'insert into bench_note (job, text) values ($1, $2)';

await serveQueue(async ({ url, lanes, fill }) => {
  const boss = new PgBoss({ connectionString: url, max: lanes + 1, supervise: false, schedule: false });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${String(error)}\n`));
  await boss.start();
  const database = boss.getDb();
  if (fill > 0) {
    await boss.createQueue(NAME);
    await database.executeSql('create table if not exists bench_note (job uuid, text text)', []);
  }
  return {
    fill: async (jobs) => {
      await boss.insert(
        NAME,
        Array.from({ length: jobs }, (_, index) => ({ data: { index } })),
      );
    },
    take: async () => {
      const [job] = await boss.fetch(NAME);
      if (job === undefined) return null;
      return {
        note: async (text) => {
          await database.executeSql(NOTE, [job.id, text]);
        },
        finish: async () => {
          await boss.complete(NAME, job.id);
        },
      };
    },
  };
});
