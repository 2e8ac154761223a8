/** Graphs to start from, in share/graphs; each runs without a model. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OkaError } from '../../core/schema/errors.ts';
import { nearestWord } from '../../core/schema/nearest-word.ts';
import { programFolder } from '../../kit/settings.ts';

const folder = join(programFolder, 'share', 'graphs');

const LEAST_IN_COMMON = 2;

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

/**
 * The template that has most in common with what a person wants, with its blanks filled from the words where they say
 * what stands there; null when no template has two words in common with it.
 */
export function nearestTemplate(intent: string, name: string): { template: string; text: string } | null {
  const wanted = wordsOf(intent);
  const [best] = listTemplates()
    .map(({ template, title }) => ({
      template,
      score: wordsOf(`${template} ${title}`).filter((word) => wanted.includes(word)).length,
    }))
    .toSorted((a, b) => b.score - a.score);
  if (best === undefined || best.score < LEAST_IN_COMMON) return null;
  return { template: best.template, text: fillBlanks(textFromTemplate(best.template, name), intent) };
}

/** Words without their endings, so that pages are a page, and watching is to watch. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]{3,}/g) ?? [];
  return [...new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.replace(/(?:ing|es|ed|s)$/, '')))];
}

const COMMON = new Set(
  'the and for with one every only after when each from into that this there are was has'.split(' '),
);

/** Blanks of templates, and how what stands there is recognized in a text. */
const BLANKS: Readonly<Record<string, RegExp>> = {
  url: /https?:\/\/[^\s"'<>]+[^\s"'<>.,;:!?)]/,
  folder: /(?:\bfolder |\bin )["']?([\w-]+(?:\/[\w.-]+)*\/?)["']?|\b([\w.-]+\/(?:[\w.-]+\/?)*)/,
};

function fillBlanks(text: string, intent: string): string {
  const filled = text.replaceAll(/\{\{input\.(\w+)\}\}/g, (blank, name: string) => {
    const [whole, ...groups] = BLANKS[name]?.exec(intent) ?? [];
    const found = groups.find((group) => group !== undefined) ?? whole;
    return found === undefined ? blank : JSON.stringify(found).slice(1, -1);
  });
  if (filled.includes('{{input.')) return filled;
  const { inputs: _, ...graph } = JSON.parse(filled) as { inputs?: unknown }; // nothing is left to give it
  return `${JSON.stringify(graph, null, 2)}\n`;
}

function templateNames(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted();
}

const templateText = (template: string): string => readFileSync(join(folder, `${template}.json`), 'utf8');
