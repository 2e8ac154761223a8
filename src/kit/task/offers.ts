/**
 * Owns: how tools of servers, skills and instructions of the operator appear in a prompt.
 *
 * O1 Only what was chosen for the task is shown, one line each; of the rest there is a number, and the tool that finds it.
 * O2 Descriptions of tools were written by whoever runs the server: they are marked as material.
 * O3 Instructions come from files that only a person writes; they are not marked, and each says which file it is from.
 */
import type { PlannerInput } from '../../core/schema/ports.ts';
import { leanSchemaOf } from '../../core/schema/role.ts';
import type { Json } from '../../core/schema/json.ts';
import { toOneLine } from '../../core/schema/one-line.ts';
import { truncateText, wrapAsData } from '../text/prompt-text.ts';

type OfferedTool = Pick<PlannerInput['tools'][number], 'name' | 'about' | 'input'>;
export type OfferedSkill = { name: string; description: string };
/** A file with instructions of the operator, such as workspace/AGENTS.md. */
export type InstructionFile = { file: string; text: string };

export type Offers = {
  /** Tools of servers that were chosen, the best first. */
  servers?: readonly OfferedTool[];
  /** How many further tools servers have. */
  furtherTools?: number;
  skills?: readonly OfferedSkill[];
  furtherSkills?: number;
  /** The nearest to the task comes last. */
  instructions?: readonly InstructionFile[];
};

const MOST_ABOUT = 110;
const MOST_DESCRIPTION = 160;
const MOST_FIELDS = 6;
const MOST_TOOL_BYTES = 4000;
const MOST_INSTRUCTIONS = 8000;

/** For the planner, which names tools and skills for the steps. */
export function describeOffers({ servers = [], furtherTools = 0, skills = [], furtherSkills = 0 }: Offers): string[] {
  const lines = servers.map(serverToolLine).join('\n');
  return [
    servers.length === 0 ? '' : `Tools of servers:\n${wrapAsData('in their words', lines, MOST_TOOL_BYTES)}`,
    furtherTools === 0
      ? ''
      : `${furtherTools} further tools of servers: a goal with tools.search among its tools can find and call them.`,
    skills.length === 0
      ? ''
      : `Skills, instructions for kinds of work. Where one fits, name it in a goal, with skill.use, skill.read and skill.run among its tools:\n${skills.map(skillLine).join('\n')}${furtherSkills === 0 ? '' : `\nand ${furtherSkills} more, which tools.search finds.`}`,
  ];
}

/** For a worker that may use skills. */
export function describeSkills({ skills = [] }: Offers): string {
  return skills.length === 0
    ? ''
    : `Skills; read one with skill.use before the work it is for:\n${skills.map(skillLine).join('\n')}\n\n`;
}

export function describeInstructions({ instructions = [] }: Offers): string {
  const most = Math.floor(MOST_INSTRUCTIONS / Math.max(1, instructions.length));
  const parts = instructions.map(({ file, text }) => `${file}:\n${truncateText(text.trim(), most)}`);
  return parts.length === 0
    ? ''
    : `Instructions of the operator; a later one goes before an earlier one, and the task before all of them:\n${parts.join('\n\n')}`;
}

/** A tool of a server on one line: name, fields with ? where they may be left out, and the beginning of what it does. */
export function serverToolLine({ name, about, input }: OfferedTool): string {
  const { properties = {}, required = [] } = leanSchemaOf(input) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const all = Object.keys(properties).map((field) => (required.includes(field) ? field : `${field}?`));
  const fields = all.length > MOST_FIELDS ? [...all.slice(0, MOST_FIELDS), '…'] : all;
  return `${name}(${fields.map((field) => toOneLine(field, 40)).join(', ')}): ${toOneLine(about, MOST_ABOUT)}`;
}

const skillLine = ({ name, description }: OfferedSkill): string =>
  `- ${name}: ${toOneLine(description, MOST_DESCRIPTION)}`;

/** Whether a description says that the tool should no longer be used. */
export const saysDeprecated = (about: string): boolean =>
  /^\W*deprecated\b|\b(?:is|are|been|was|now) deprecated\b|[([]deprecated\b|\bdeprecated[.:,)\]]/i.test(
    about.slice(0, 1000),
  );
