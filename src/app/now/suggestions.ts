/**
 * Owns: what somebody who is new here could have done next, made from the programs that are installed and the folders that
 * they have named in the policy. Nothing else is read for it, and a folder is not opened. Each is a whole runbook, so that
 * they see what would be done, and need no language model.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** `text` is the task, as it is put into the box. */
type Suggestion = { title: string; text: string };

const MOST = 3;

/** Any one of the programs is enough; null needs none. */
const BY_PROGRAM: readonly { programs: readonly string[] | null; title: string; line: (program: string) => string }[] =
  [
    {
      programs: ['magick', 'convert'],
      title: 'Small copies of the pictures on the desk',
      line: (program) =>
        `mkdir -p small\nfor picture in *.jpg *.jpeg *.png; do [ ! -e "$picture" ] || ${program} "$picture" -resize '1600x1600>' "small/$picture"; done\nls small`,
    },
    {
      programs: ['pdftotext'],
      title: 'The text of every PDF on the desk',
      line: () => `for file in *.pdf; do [ ! -e "$file" ] || pdftotext -layout "$file" "\${file%.pdf}.txt"; done\nls`,
    },
    {
      programs: ['ffmpeg'],
      title: 'The sound of every video on the desk',
      line: () =>
        `for file in *.mp4 *.mov *.mkv; do [ ! -e "$file" ] || ffmpeg -nostdin -v error -n -i "$file" "\${file%.*}.mp3"; done\nls`,
    },
    {
      programs: ['tar'],
      title: 'A backup of the desk, every day at 18:00',
      line: () => `mkdir -p backup\ntar --exclude=./backup -czf "backup/desk-$(date +%F).tar.gz" .\nls -l backup`,
    },
    {
      programs: null,
      title: 'What takes the most space on the desk',
      line: () => `du -ak . | sort -rn | head -20 > largest.txt\ncat largest.txt`,
    },
  ];

/** `places` are where programs are; `folders` are those that the person has named. */
export function suggestTasks(places: readonly string[], folders: readonly string[]): Suggestion[] {
  const installed = (program: string): boolean => places.some((place) => existsSync(join(place, program)));
  const ofFolders = folders.map((folder) => ({
    title: `What has changed in ${folder} this week`,
    line: `find ${quote(folder)} -type f -mtime -7 | head -200 > changed.txt\nwc -l changed.txt`,
  }));
  const ofPrograms = BY_PROGRAM.flatMap(({ programs, title, line }) => {
    const program = programs === null ? '' : programs.find(installed);
    return program === undefined ? [] : [{ title, line: line(program) }];
  });
  return [...ofFolders.slice(0, 1), ...ofPrograms].slice(0, MOST).map(({ title, line }) => ({
    title,
    text: `${title.endsWith('18:00') ? '---\nevery: day 18:00\n---\n' : ''}# ${title}\n\n\`\`\`bash\n${line}\n\`\`\`\n`,
  }));
}

/** A tilde stays one for the shell. */
function quote(folder: string): string {
  const [, tilde = '', rest = ''] = /^(~\/)?(.*)$/s.exec(folder) ?? [];
  return `${tilde}'${rest.replaceAll("'", `'\\''`)}'`;
}
