/** What a person who is asked to install something should see: why, and the command for this machine. */
import { dependencies, type OpenRequirement } from './dependency-state.ts';
import { installCommand, PACKAGE_MANAGERS } from '../sandbox/system-package.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import type { Home } from '../../core/schema/home.ts';
import { findMachine } from '../settings.ts';

/** `command` installs it on this machine; `snippet` belongs into the Dockerfile, where there is a container. */
type AwaitedRequirement = Pick<OpenRequirement, 'name' | 'reason' | 'packages' | 'note' | 'snippet'> & {
  command: string | null;
};

export async function readAwaitedRequirements(home: Home): Promise<ReadonlyMap<string, AwaitedRequirement>> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
  const machine = findMachine(PACKAGE_MANAGERS);
  const open = Object.values(state.requirements).filter(({ status }) => status === 'open');
  return new Map(
    open.map(({ name, reason, packages, note, snippet, need }) => {
      const command = machine === null ? null : installCommand(machine, need, packages);
      return [name, { name, reason, packages, note, snippet, command }];
    }),
  );
}
