/** All programs the guard knows, by name. */
import type { Table } from '../program-row.ts';
import { archives } from './archives.ts';
import { builds } from './builds.ts';
import { builtins } from './builtins.ts';
import { databases } from './databases.ts';
import { editors } from './editors.ts';
import { files } from './file-tools.ts';
import { git } from './git.ts';
import { interpreters } from './interpreters.ts';
import { network } from './network.ts';
import { packages } from './packages.ts';
import { remote } from './remote.ts';
import { runners } from './runners.ts';
import { documents } from './documents.ts';
import { machine } from './machine.ts';
import { scripted } from './sed-awk.ts';
import { search } from './search-tools.ts';
import { structured } from './structured.ts';
import { system } from './system.ts';
import { text } from './text-tools.ts';
import { wrappers } from './wrappers.ts';

export const programs: Table = {
  ...text,
  ...structured,
  ...search,
  ...scripted,
  ...machine,
  ...documents,
  ...files,
  ...archives,
  ...system,
  ...packages,
  ...builds,
  ...runners,
  ...network,
  ...remote,
  ...interpreters,
  ...databases,
  ...editors,
  ...git,
  ...wrappers,
  ...builtins,
};
