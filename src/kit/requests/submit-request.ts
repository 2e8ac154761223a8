/** Owns: submitting a request to the process with the pen: a file in .oka/intake, written atomically. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { Intake } from '../../core/schema/intake.ts';

/** Returns the id that the request will have in the ledger. The same id means the same request. */
export function submit(folder: string, intake: Intake, id: string = randomUUID()): string {
  makeFolder(folder);
  replaceFile(join(folder, `${id}.json`), `${JSON.stringify(Intake.parse(intake))}\n`, { durable: true });
  return id;
}
