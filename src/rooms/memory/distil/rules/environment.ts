/** Learns what is installed and what is missing; a newer observation supersedes an older one. */
import { handleByType } from '../../event-handlers.ts';
import { evidenceOfEvent, type Finding, isPlainName, type Rule } from '../fact-finding.ts';

export const environment: Rule = {
  name: 'environment',
  find: ({ event }) => {
    const seen = observe(event);
    if (seen === null || !seen.names.every(isPlainName)) return [];
    const subject = { about: `environment ${seen.about}`, value: seen.text, isDenied: false };
    const finding: Finding = {
      kind: 'environment',
      namespace: 'environment',
      source: 'run',
      text: seen.text,
      evidence: [evidenceOfEvent(event)],
      subject,
    };
    return [finding];
  },
};

type Seen = { about: string; text: string; names: readonly string[] };

const observe = handleByType<[], Seen>({
  'dependency.installed': ({ data: { by, name, version, commands } }) => {
    const brings = commands.filter(isPlainName).slice(0, 5).toSorted();
    const provided = brings.length === 0 ? '' : `; it provides ${brings.join(', ')}`;
    return {
      about: `${by}:${name}`,
      text: `${by}:${name} ${version} is installed${provided}.`,
      names: [name, version],
    };
  },
  'dependency.removed': ({ data: { by, name, version } }) => ({
    about: `${by}:${name}`,
    text: `${by}:${name} was removed and is not installed.`,
    names: [name, version],
  }),
  'requirement.opened': ({ data }) => missingRequirement(data.requirement.name),
  'requirement.reopened': ({ data }) => missingRequirement(data.name),
  'requirement.resolved': ({ data: { name } }) => ({
    about: `requirement ${name}`,
    text: `${name} is available.`,
    names: [name],
  }),
  'sandbox.chosen': ({ data: { kind, landlock } }) => ({
    about: 'sandbox',
    text:
      kind === 'none' ? 'Commands run without a sandbox.' : `Commands run in the sandbox, with Landlock ${landlock}.`,
    names: [],
  }),
});

const missingRequirement = (name: string): Seen => ({
  about: `requirement ${name}`,
  text: `${name} is missing; only a person can install it.`,
  names: [name],
});
