/** The one door for requests from other processes: a file in .oka/intake, whole or not there, for the holder of the pen. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../ledger/disk.ts';
import { Intake } from '../schema/intake.ts';

/** Returns the id under which the request will be found in the ledger. The same id is the same request. */
export function submit(folder: string, intake: Intake, id: string = randomUUID()): string {
  makeFolder(folder);
  replaceFile(join(folder, `${id}.json`), `${JSON.stringify(Intake.parse(intake))}\n`, { durable: true });
  return id;
}
