/** What is there and what is missing where oka works; what changes takes the place of what was. */
import { byType } from '../by-type.ts';
import { evidenceIn, type Finding, isPlainName, type Rule } from '../finding.ts';

export const environment: Rule = {
  name: 'environment',
  find: ({ event }) => {
    const seen = seenIn(event);
    if (seen === null || !seen.names.every(isPlainName)) return [];
    const subject = { about: `environment ${seen.about}`, value: seen.text, isDenied: false };
    const finding: Finding = {
      kind: 'environment',
      namespace: 'environment',
      source: 'run',
      text: seen.text,
      evidence: [evidenceIn(event)],
      subject,
    };
    return [finding];
  },
};

type Seen = { about: string; text: string; names: readonly string[] };

const seenIn = byType<[], Seen>({
  'dependency.installed': ({ data: { by, name, version, commands } }) => {
    const brings = commands.filter(isPlainName).slice(0, 5).toSorted();
    const told = brings.length === 0 ? '' : `; it brings ${brings.join(', ')}`;
    return { about: `${by}:${name}`, text: `${by}:${name} ${version} is installed${told}.`, names: [name, version] };
  },
  'dependency.removed': ({ data: { by, name, version } }) => ({
    about: `${by}:${name}`,
    text: `${by}:${name} was removed and is not installed.`,
    names: [name, version],
  }),
  'requirement.opened': ({ data }) => missing(data.requirement.name),
  'requirement.reopened': ({ data }) => missing(data.name),
  'requirement.resolved': ({ data: { name } }) => ({
    about: `requirement ${name}`,
    text: `${name} is there; a person brought it.`,
    names: [name],
  }),
  'sandbox.chosen': ({ data: { kind, landlock } }) => ({
    about: 'sandbox',
    text: kind === 'none' ? 'Commands run without a jail.' : `Commands run in the jail, with Landlock ${landlock}.`,
    names: [],
  }),
});

const missing = (name: string): Seen => ({
  about: `requirement ${name}`,
  text: `${name} is missing; only a person can bring it.`,
  names: [name],
});
