/** Refuses to go on in a folder that `oka init` has not set up. */
import { isSetUp } from '../home/is-set-up.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';

export async function requireHome(home: Home): Promise<void> {
  if (isSetUp(home)) return;
  (await import('../home/set-up.ts')).assertNeverSetUp(home);
  throw new OkaError('not-set-up', `${home.dir} is not set up`, { fix: `Run: oka init --dir ${home.dir}` });
}
