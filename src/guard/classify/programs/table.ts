/** All programs the guard knows, by name. */
import type { Table } from '../row.ts';
import { builtins } from './builtins.ts';
import { files } from './files.ts';
import { git } from './git.ts';
import { interpreters } from './interpreters.ts';
import { network } from './network.ts';
import { packages } from './packages.ts';
import { system } from './system.ts';
import { text } from './text.ts';
import { wrappers } from './wrapped.ts';

export const programs: Table = {
  ...text,
  ...files,
  ...system,
  ...packages,
  ...network,
  ...interpreters,
  ...git,
  ...wrappers,
  ...builtins,
};
