/** Owns: a procedure as the text of a skill, by the specification of skills. */
import { SKILL_NAME } from '../../core/schema/skill.ts';
import type { Procedure } from '../../core/schema/procedure.ts';

type ExportedSkill = { name: string; text: string };

const MOST_DESCRIPTION = 1000;

export function procedureAsSkill(procedure: Procedure): ExportedSkill {
  const name = skillName(procedure.id);
  const { title, trigger, parameters, steps, criteria, pitfalls } = procedure;
  const example = toLine(trigger[0] ?? '', 400);
  const description = toLine(`${toLine(title, 400)}. Use it for tasks such as: ${example}`, MOST_DESCRIPTION);
  const text = [
    '---',
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    'metadata:',
    `  procedure: ${JSON.stringify(procedure.id)}`,
    `  version: ${JSON.stringify(String(procedure.version))}`,
    '---',
    `# ${toLine(title, 200)}`,
    '',
    ...section(
      'Values',
      parameters.map(
        ({ name: each, kind, examples }) =>
          `- \`{{${each}}}\`: a ${kind}${examples.length === 0 ? '' : `, such as ${toCode(examples[0] ?? '')}`}`,
      ),
    ),
    ...section(
      'Steps',
      steps.map((step, at) => `${at + 1}. ${toCode(step)}`),
    ),
    ...section(
      'Checks',
      criteria.map((criterion) => `- ${toLine(criterion.text, 1000)}`),
    ),
    ...section(
      'Known pitfalls',
      pitfalls.map((pitfall) => `- ${toLine(pitfall, 1000)}`),
    ),
  ].join('\n');
  return { name, text: `${text.trimEnd()}\n` };
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`## ${title}`, '', ...lines, ''];

function skillName(id: string): string {
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? ['procedure'];
  const name = words.join('-').slice(0, 64).replace(/-$/, '');
  return SKILL_NAME.test(name) ? name : 'procedure';
}

function toLine(text: string, most: number): string {
  const line = text.replaceAll(/[\s\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

/** Nothing in the text can end the code span or start a new line. */
function toCode(text: string): string {
  const line = toLine(text, 2000);
  const ticks = '`'.repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map((each) => each.length)) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}
