/** Refuses to go on in a folder that `oka init` has not set up. */
import { isSetUp } from '../daemon/home/is-set-up.ts';
import { assertNeverSetUp } from '../daemon/home/set-up.ts';
import { OkaError } from '../schema/errors.ts';
import type { Home } from '../schema/home.ts';

export function requireHome(home: Home): void {
  if (isSetUp(home)) return;
  assertNeverSetUp(home);
  throw new OkaError('not-set-up', `${home.dir} is not set up`, { fix: `Run: oka init --dir ${home.dir}` });
}
