/** Skills as people write them, for tests: three sound ones by the specification, and files in general. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type SkillText = Readonly<Record<string, string>>;

/** Writes the files of a skill below `folder`/`name`; what begins with #! can be executed. */
export function writeSkill(folder: string, name: string, files: SkillText): string {
  const place = join(folder, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
    if (text.startsWith('#!')) chmodSync(join(place, path), 0o755);
  }
  return place;
}

export const skillText = (name: string, description: string, body: string, more = ''): string =>
  `---\nname: ${name}\ndescription: ${/: /.test(description) ? JSON.stringify(description) : description}\n${more}---\n${body}\n`;

/** Three skills that differ in what they have: only text; a reference; a script. */
export const SOUND_SKILLS: Readonly<Record<string, SkillText>> = {
  'meeting-notes': {
    'SKILL.md': skillText(
      'meeting-notes',
      'Turns a transcript of a meeting into minutes with decisions, owners and dates. Use it when a task is about minutes, transcripts or meeting notes.',
      '# Minutes\n\n1. Read the transcript.\n2. Write `minutes.md` with the headings Decisions, Actions and Open questions.\n3. Every action has an owner and a date.',
    ),
  },
  'house-style': {
    'SKILL.md': skillText(
      'house-style',
      'Writes letters and offers to customers in the style of the house. Use it for letters, offers and quotes.',
      '# House style\n\nBegin with the name. Read references/phrases.md for set phrases.',
      'license: MIT\ncompatibility: Needs no program\nmetadata:\n  author: example-org\n  version: "1.0"\n',
    ),
    'references/phrases.md': '# Phrases\n\nWe close with "Kind regards from the workshop".\n',
  },
  'csv-totals': {
    'SKILL.md': skillText(
      'csv-totals',
      'Adds up a column of a CSV file exactly, with a script. Use it for totals and sums of columns in CSV files.',
      '# Totals\n\nRun scripts/total.py with the file and the name of the column; it prints the total.\n\n```bash\npython3 scripts/total.py orders.csv amount > total.txt\n```\n\n## Check\n\nThe total is in total.txt.',
      'allowed-tools: Bash(python3:*) Read\n',
    ),
    'scripts/total.py':
      '#!/usr/bin/env python3\nimport csv, sys\nwith open(sys.argv[1]) as file:\n    print(sum(float(row[sys.argv[2]]) for row in csv.DictReader(file)))\n',
  },
};

/** Thirty skills as a person who uses many would have them: names and descriptions. */
export function thirtySkills(): { name: string; description: string }[] {
  return THIRTY.trim()
    .split('\n')
    .map((line) => {
      const [name = '', description = ''] = line.split('|').map((part) => part.trim());
      return { name, description };
    });
}

const THIRTY = `
  meeting-notes | Turns a transcript of a meeting into minutes with decisions, owners and dates. Use it when a task is about minutes, transcripts or meeting notes.
  house-style | Writes letters and offers to customers in the style of the house. Use it for letters, offers and quotes.
  csv-totals | Adds up a column of a CSV file exactly, with a script. Use it for totals and sums of columns in CSV files.
  pdf-forms | Fills in PDF forms and reads what was filled in. Use it when a task names a PDF form, an application or a questionnaire.
  travel-expenses | Makes a travel expense report from receipts: per diems, kilometres, hotel. Use it after a business trip.
  invoice-check | Checks an invoice against the order and the delivery note. Use it for incoming invoices.
  release-notes | Writes release notes from commits and closed issues, grouped by what users notice.
  code-review | Reviews a change of source code for bugs, security and style, and writes comments a colleague can act on.
  sql-tuning | Finds out why a query is slow and proposes indexes. Use it for slow queries and execution plans.
  brand-guidelines | Applies colours, fonts and logo of the company to slides, documents and web pages.
  slide-deck | Builds a presentation with a clear storyline, one message a slide. Use it for decks, talks and pitches.
  weekly-report | Writes the weekly report of the team from tickets and the calendar, in the usual five sections.
  job-posting | Writes a job posting that is inclusive and names salary, place and tasks.
  interview-guide | Prepares a structured job interview: questions, scoring, what is not allowed to be asked.
  contract-summary | Summarises a contract: parties, term, notice period, payment, risks. Not legal advice.
  press-release | Writes a press release with headline, lead, quotes and boilerplate.
  newsletter | Writes the monthly newsletter from a list of topics, with subject line and preview text.
  recipe-scaling | Scales recipes to a number of guests and makes the shopping list.
  garden-calendar | Says what to sow, plant and harvest in a month and climate zone.
  tax-receipts | Sorts receipts for the tax return by category, and lists what is missing.
  photo-album | Chooses the best pictures of an event and lays out an album.
  language-practice | Makes vocabulary exercises and dialogues at a given level of a language.
  lesson-plan | Plans a lesson: goals, phases, materials, homework.
  bug-report | Turns a complaint of a user into a bug report that can be reproduced.
  incident-review | Writes a review without blame after an outage: timeline, causes, actions.
  api-design | Designs and documents a REST interface: resources, errors, paging, versions.
  docker-compose | Writes and checks compose files with health checks and volumes.
  data-cleaning | Cleans tables: duplicates, dates, units, missing values, with a log of each change.
  survey-analysis | Evaluates a survey: tables, charts, open answers grouped by theme.
  grant-application | Writes an application for funding after the guidelines of the programme.
`;
