/** The labelled commands, and a machine on which every program is one of the system's own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classify, type Surroundings } from '../../../../src/core/guard/classify/classify-command.ts';
import type { SideEffectClass } from '../../../../src/core/schema/effect.ts';

export type Labelled = { cmd: string; class: SideEffectClass; why?: string; file: string };

const folder = join(import.meta.dirname, '../../../fixture/commands');

export const corpus: readonly Labelled[] = readdirSync(folder).flatMap((file) =>
  readFileSync(join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => ({ ...(JSON.parse(line) as Labelled), file })),
);

export const where: Surroundings = {
  desk: '/oka/workspace/desk',
  toolFolder: '/oka/.oka/tools',
  resolve: (program) => (program.startsWith('/') ? program : `/usr/bin/${program}`),
};

export const classOf = (line: string): SideEffectClass => classify({ line }, where).class;
export const isAllowed = (found: SideEffectClass): boolean => found === 'read' || found === 'write_local';
