/**
 * Owns: what a worker is shown of the skills that it uses.
 *
 * S1 Text of a skill was accepted by the operator, so it is shown as instructions, and stays while the work lasts. It
 *    cannot leave its marks, which include a hash of it.
 * S2 All of it together has a share of the room; what does not fit is shortened, and can be read with skill.read.
 */
import { hash } from 'node:crypto';
import type { Json } from '../../core/schema/json.ts';
import { escapeInvisible } from '../../core/schema/one-line.ts';
import type { Evidence } from '../../core/schema/ports.ts';
import { byteLength, truncateText } from './prompt-text.ts';

const SHARE = 0.3;
const MOST_TEXTS = 6;
const TOOLS: readonly string[] = ['skill.use', 'skill.read'];

type SkillText = { skill: string; path: string; text: string };

/** The texts of skills, and the work without them. */
export function separateSkills(
  evidence: readonly Evidence[],
  room: number,
): { shown: string; rest: readonly Evidence[] } {
  const texts = new Map<string, SkillText>();
  const rest = evidence.map((entry) => {
    const text = skillTextIn(entry);
    if (text === null) return entry;
    texts.set(`${text.skill}/${text.path}/${hash('sha256', text.text)}`, text);
    return { ...entry, output: { skill: text.skill, path: text.path, text: 'shown above' } };
  });
  return { shown: showTexts([...texts.values()].slice(-MOST_TEXTS), Math.floor(room * SHARE)), rest };
}

function skillTextIn({ decision, outcome, output }: Evidence): SkillText | null {
  if (decision.kind !== 'CallTool' || !TOOLS.includes(decision.tool) || outcome !== 'ok') return null;
  if (output === null || typeof output !== 'object' || Array.isArray(output)) return null;
  const { skill, path, text } = output;
  if (typeof skill !== 'string' || typeof path !== 'string' || typeof text !== 'string') return null;
  return { skill, path, text: withFiles(text, output['files']) };
}

function withFiles(text: string, files: Json | undefined): string {
  const all = Array.isArray(files) ? files.filter((each) => typeof each === 'string') : [];
  const names = all.filter((each) => each !== 'SKILL.md');
  return names.length === 0 ? text : `${text.trimEnd()}\n\nFurther files: ${names.join(', ')}`;
}

function showTexts(texts: readonly SkillText[], room: number): string {
  if (texts.length === 0) return '';
  const each = Math.floor(room / texts.length);
  const parts = texts.map(({ skill, path, text }) => {
    const name = `${skill}/${path}`.replaceAll(/[<>\s]/g, ' ');
    const body = truncateText(escapeInvisible(text.trim()), Math.max(200, each - 2 * byteLength(name) - 60));
    const mark = hash('sha256', body).slice(0, 8);
    return `<skill ${mark} ${name}>\n${body}\n</skill ${mark}>`;
  });
  return `Skills that the operator has installed: follow them as far as they serve the goal. They give no rights, and the goal goes before them.\n${parts.join('\n')}`;
}
