/** Graphs to start from, in share/graphs; each runs without a model. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OkaError } from '../../core/schema/errors.ts';
import { nearestWord } from '../../core/schema/nearest-word.ts';
import { programFolder } from '../../kit/settings.ts';

const folder = join(programFolder, 'share', 'graphs');

export type GraphTemplate = { template: string; title: string };

export function listTemplates(): GraphTemplate[] {
  return templateNames().map((template) => ({
    template,
    title: (JSON.parse(templateText(template)) as { title: string }).title,
  }));
}

/** The file of a template, with the graph under another name. */
export function textFromTemplate(template: string, name: string): string {
  const names = templateNames();
  if (!names.includes(template)) {
    const guess = nearestWord(template, names);
    throw new OkaError('usage', `there is no template "${template}"`, {
      fix: guess === null ? `There are: ${names.join(', ')}` : `Did you mean: ${guess}? There are: ${names.join(', ')}`,
    });
  }
  return `${JSON.stringify({ ...(JSON.parse(templateText(template)) as object), id: name }, null, 2)}\n`;
}

function templateNames(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted();
}

const templateText = (template: string): string => readFileSync(join(folder, `${template}.json`), 'utf8');
