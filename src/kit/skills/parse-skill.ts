/** Owns: reading SKILL.md by the specification of skills, with every problem in words. */
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { readFrontMatter } from '../../core/schema/front-matter.ts';
import type { Json } from '../../core/schema/json.ts';
import { SKILL_FIELDS, SKILL_NAME, SkillHeader } from '../../core/schema/skill.ts';

export type ParsedSkill = {
  header: SkillHeader;
  /** The instructions, without front matter. */
  body: string;
};

type SkillReading = {
  /** Null when there are problems. */
  skill: ParsedSkill | null;
  problems: string[];
  /** What is unusual, but does no harm. */
  notes: string[];
};

const MOST_LINES = 500;

export function parseSkill(text: string, folder: string): SkillReading {
  const read = splitSkill(text);
  if (typeof read === 'string') return { skill: null, problems: [read], notes: [] };
  const { data, body } = read;
  const notes: string[] = [];
  const parsed = SkillHeader.safeParse(withPlainTexts(data, notes));
  const problems = parsed.success
    ? nameProblems(parsed.data.name, folder)
    : [
        ...parsed.error.issues.map(({ path, message }) => describeIssue(path, message, data)),
        ...(typeof data['name'] === 'string' ? nameProblems(data['name'], folder) : []),
      ];
  if (body.trim() === '') problems.push('SKILL.md has no instructions behind its front matter');
  const unknown = Object.keys(data).filter((field) => !SKILL_FIELDS.includes(field));
  if (unknown.length > 0) notes.push(`fields that are not in the specification are ignored: ${unknown.join(', ')}`);
  const lines = body.split('\n').length;
  if (lines > MOST_LINES) notes.push(`its instructions have ${lines} lines; move details into files of their own`);
  return { skill: parsed.success && problems.length === 0 ? { header: parsed.data, body } : null, problems, notes };
}

function splitSkill(text: string): { data: Record<string, Json>; body: string } | string {
  try {
    const { data, body } = readFrontMatter(text, 'SKILL.md');
    return Object.keys(data).length === 0
      ? 'SKILL.md must begin with front matter: a line ---, name: and description:, and a line ---'
      : { data, body };
  } catch (error) {
    if (error instanceof OkaError) return messageOf(error);
    throw error;
  }
}

/** Numbers and booleans count as the text they are written as, and lists of tools as their names: real skills have both. */
function withPlainTexts(data: Record<string, Json>, notes: string[]): Record<string, Json> {
  const { metadata, 'allowed-tools': tools, ...rest } = data;
  if (Array.isArray(tools)) notes.push('allowed-tools should be one text, separated by spaces');
  return {
    ...rest,
    ...(metadata === undefined ? {} : { metadata: isObject(metadata) ? mapValues(metadata, scalarText) : metadata }),
    ...(tools === undefined || tools === null
      ? {}
      : { 'allowed-tools': Array.isArray(tools) ? tools.filter((each) => typeof each === 'string').join(' ') : tools }),
  };
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapValues = (value: { [key: string]: Json }, map: (each: Json) => Json): { [key: string]: Json } =>
  Object.fromEntries(Object.entries(value).map(([key, each]) => [key, map(each)]));

const scalarText = (value: Json): Json =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;

function describeIssue(path: readonly PropertyKey[], message: string, data: Record<string, Json>): string {
  const field = path.map(String).join('.');
  const value = path.length === 1 ? data[field] : undefined;
  if (path.length === 1 && (value === undefined || value === null || value === ''))
    return `${field}: is missing; it is required`;
  const limits: Readonly<Record<string, number>> = { name: 64, description: 1024, compatibility: 500 };
  const most = limits[field];
  if (typeof value === 'string' && most !== undefined && value.length > most)
    return `${field}: has ${value.length} characters; at most ${most} are allowed`;
  if (field === 'metadata') return 'metadata: must be a map from names to texts';
  if (field.startsWith('metadata.')) return `${field}: must be a text`;
  return `${field}: ${message}`;
}

function nameProblems(name: string, folder: string): string[] {
  const problems: string[] = [];
  if (!SKILL_NAME.test(name))
    problems.push(
      `name: "${name.slice(0, 80)}" may only have lower-case letters, digits and single hyphens between them, such as pdf-forms`,
    );
  if (name !== folder) problems.push(`name: "${name.slice(0, 80)}" differs from its folder, "${folder.slice(0, 80)}"`);
  return problems;
}
