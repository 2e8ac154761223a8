import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRequestBell } from '../../../src/kit/requests/request-bell.ts';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { temporaryFolder } from '../../support/cli.ts';

const HOUR = 3_600_000;

it('a request ends the waiting, also one that was submitted before it began, and so does the signal', async () => {
  using folder = temporaryFolder();
  const intake = join(folder.dir, 'intake');
  const bell = openRequestBell(intake);
  const never = new AbortController();
  const waiting = bell.wait(HOUR, never.signal);
  submit(intake, { kind: 'cancel', run: 'r1' });
  await waiting;
  submit(intake, { kind: 'cancel', run: 'r2' });
  await bell.wait(HOUR, never.signal);
  const stopped = bell.wait(HOUR, never.signal);
  never.abort();
  await stopped;
  bell.close();
  await expect(bell.wait(1, new AbortController().signal)).resolves.toBeUndefined();
});
