/** What people ask an assistant for on ordinary days, and what a model does for it, as data. */
import type { Step } from '../../support/scripted-tasks.ts';

/** `text` is what the person wrote, `steps` what a model does for it. */
export type EverydayTask = { name: string; text: string; steps: Step[]; front?: string };

const sh = (line: string): Step => ({ tool: 'shell', line });
const read = (path: string): Step => ({ tool: 'files.read', path });
const write = (path: string, content: string): Step => ({ tool: 'files.write', path, content });
const list: Step = { tool: 'files.list', path: '.' };
const get = (url: string): Step => ({ tool: 'http.get', url });
const task = (name: string, steps: Step[], text = name): EverydayTask => ({ name, text, steps });

export const localTasks: EverydayTask[] = [
  task('Count the lines of the report', [sh('wc -l notes.md')]),
  task('Summarise the notes', [read('notes.md'), write('summary.md', '# Summary\n\nThree points.\n')]),
  task('Sort the names', [sh('sort names.txt > sorted.txt')]),
  task('Remove duplicate names', [sh('sort -u names.txt -o names.txt')]),
  task('How many people live in Berlin?', [sh("grep -c ',Berlin$' people.csv")]),
  task('Add up the amounts', [sh("awk -F, 'NR > 1 { s += $2 } END { print s }' sales.csv")]),
  task('The average amount a month', [
    sh("awk -F, 'NR>1 {s[$3]+=$2; n[$3]++} END {for (m in s) print m, s[m]/n[m]}' sales.csv > averages.txt"),
  ]),
  task('Make a table of the sales', [read('sales.csv'), write('sales.md', '| item | amount |\n| --- | --- |\n')]),
  task('Convert the table to JSON', [
    write(
      'to-json.mjs',
      "import { readFileSync, writeFileSync } from 'node:fs';\nconst [head, ...rows] = readFileSync('sales.csv', 'utf8').trim().split('\\n').map((l) => l.split(','));\nwriteFileSync('sales.json', JSON.stringify(rows.map((r) => Object.fromEntries(head.map((h, i) => [h, r[i]])))));\n",
    ),
    sh('node to-json.mjs'),
  ]),
  task('Check the JSON', [sh("node -e \"JSON.parse(require('fs').readFileSync('config.json', 'utf8'))\"")]),
  task('Pretty-print the settings', [
    sh('node -p \'JSON.stringify(require("./config.json"), null, 2)\' > pretty.json'),
  ]),
  task('Rename the photos by date', [
    list,
    sh('i=1; for f in photos/*.jpg; do mv "$f" "photos/2026-$(printf %03d $i).jpg"; i=$((i+1)); done'),
  ]),
  task('Tidy the downloads by type', [
    sh('mkdir -p sorted/text sorted/images && cp *.txt sorted/text/ && cp photos/*.jpg sorted/images/'),
  ]),
  task('Delete empty files', [sh('find . -type f -empty -delete')]),
  task('Find large files', [sh('find . -type f -size +1k -printf "%s %p\\n" | sort -n')]),
  task('Pack the notes', [sh('tar czf notes.tar.gz notes.md')]),
  task('Unpack the archive', [sh('tar czf a.tgz notes.md && mkdir -p unpacked && tar xzf a.tgz -C unpacked')]),
  task('Replace the old name', [sh("sed -i 's/Old Name/New Name/g' notes.md")]),
  task('Correct spelling', [read('notes.md'), write('notes.md', '# Notes\n\nCorrected.\n')]),
  task('Write a letter', [write('letter.md', 'Dear Ada,\n\nthank you.\n')]),
  task('Write a shopping list', [write('shopping.md', '- milk\n- bread\n')]),
  task('Plan my week', [read('calendar.ics'), write('week.md', '# This week\n')]),
  task('Which appointments are on Monday?', [sh('grep -A2 "DTSTART:20260105" calendar.ics')]),
  task('Sort the mail by sender', [sh("grep -h '^From:' mail/*.eml | sort | uniq -c")]),
  task('What does Ada want?', [sh("grep -l 'From: ada' mail/*.eml | xargs cat")]),
  task('Draft an answer to Ada', [read('mail/1.eml'), write('answer.txt', 'Dear Ada,\n')]),
  task('Count words', [sh('wc -w *.md')]),
  task('Most frequent words', [sh("tr -cs '[:alpha:]' '\\n' < notes.md | sort | uniq -c | sort -rn | head")]),
  task('Merge the two lists', [sh('sort -m names.txt names.txt | uniq > merged.txt')]),
  task('Compare the two versions', [sh('diff -u notes.md notes.md > changes.diff; true')]),
  task('Number the lines', [sh('nl -ba notes.md > numbered.txt')]),
  task('Split the table by month', [sh('awk -F, \'NR>1 {print > ("month-" $3 ".csv")}\' sales.csv')]),
  task('Join names and cities', [sh('paste -d, names.txt names.txt > pairs.csv')]),
  task('Make a backup of the notes', [sh('mkdir -p backup && cp -p notes.md "backup/notes-$(date +%F).md"')]),
  task('Start a project', [sh('mkdir -p app/src app/test && printf "{}\\n" > app/package.json')]),
  task('Write a script that greets', [
    write('hello.sh', '#!/bin/sh\necho "Hello, $1"\n'),
    sh('chmod +x hello.sh && ./hello.sh Ada'),
  ]),
  task('Write a small program', [
    write('sum.mjs', 'console.log([1, 2, 3].reduce((a, b) => a + b));\n'),
    sh('node sum.mjs'),
  ]),
  task('Test the program', [
    write(
      'a.test.mjs',
      "import test from 'node:test';\nimport assert from 'node:assert';\ntest('x', () => assert.equal(1, 1));\n",
    ),
    sh('node --test a.test.mjs'),
  ]),
  task('Keep the notes under version control', [
    sh(
      'git init -q repo && cp notes.md repo/ && cd repo && git add . && git -c user.name=a -c user.email=a@example.org commit -qm first',
    ),
  ]),
  task('What changed lately?', [sh('git init -q r2 && cd r2 && git log --oneline || true')]),
  task('Make a branch', [sh('git init -q r3 && cd r3 && git checkout -q -b next')]),
  task('Build with make', [write('m/Makefile', 'all:\n\techo built > out.txt\n'), sh('make -s -C m')]),
  task('Fill in the template', [sh("sed 's/{{name}}/Ada/' template.txt > filled.txt")]),
  task('Make a page of the notes', [read('notes.md'), write('notes.html', '<h1>Notes</h1>\n')]),
  task('Check the links in the page', [sh('grep -o \'href="[^"]*"\' page.html | sort -u')]),
  task('Extract the headings', [sh("grep '^#' notes.md")]),
  task('Make an index of all files', [sh('find . -type f | sort > index.txt')]),
  task('Sum up the folder', [list, write('about.md', 'Files.\n')]),
  task('What is the checksum?', [sh('sha256sum notes.md > notes.sha256 && sha256sum -c notes.sha256')]),
  task('Change the line ends', [sh("sed -i 's/\\r$//' notes.md")]),
  task('Make everything lower case', [sh("tr '[:upper:]' '[:lower:]' < names.txt > lower.txt")]),
  task('A calendar of this month', [
    write('cal.mjs', 'console.log(new Date().toISOString());\n'),
    sh('node cal.mjs > month.txt'),
  ]),
  task('How old is the report?', [sh('stat -c "%y" notes.md')]),
  task('Add a line to the diary', [sh('echo "$(date +%F) worked" >> diary.md')]),
  task('Move old mails to a folder', [sh('mkdir -p mail/old && mv mail/2.eml mail/old/')]),
  task('Write the minutes', [read('notes.md'), write('minutes.md', '# Minutes\n')]),
  task('Translate the letter', [read('notes.md'), write('brief.md', 'Liebe Ada,\n')]),
  task('Make a to-do list of the mails', [sh('cat mail/*.eml'), write('todo.md', '- [ ] answer Ada\n')]),
  task('Count the photos', [sh('ls photos | wc -l')]),
  task('Draw a bar chart', [
    sh('awk -F, \'NR>1 { printf "%s ", $1; for (i = 0; i < $2; i++) printf "#"; print "" }\' sales.csv > chart.txt'),
  ]),
  task('Check who owes what', [read('sales.csv'), write('debts.md', 'Nobody.\n')]),
  task('Make the report shorter', [read('notes.md'), write('short.md', 'Short.\n')]),
  task('Remove the temporary files', [sh('rm -f *.tmp *.bak')]),
  task('Clean up the unpacked folder', [sh('mkdir -p junk && touch junk/a && rm -r junk')]),
  task('Run the steps in parallel', [sh('seq 3 | xargs -P 2 -I{} touch part-{}.txt')]),
  task('Decode the text', [sh('echo aGVsbG8= | base64 -d > decoded.txt')]),
  task('Encode the photo', [sh('base64 photos/a.jpg > photo.b64 || true')]),
  task('Watch how long it takes', [sh('time sort names.txt > /dev/null')]),
  task('Use a temporary folder', [sh('t=$(mktemp -d) && cp notes.md "$t" && ls "$t" && rm -r "$t"')]),
  task('Which tools are there?', [sh('command -v node git tar; node --version; git --version')]),
];

const PAGE = 'http://docs.example.net/';

export const outsideTasks: EverydayTask[] = [
  task('Sum up a page', [get(PAGE), write('page.md', 'It says.\n')], `Sum up ${PAGE}`),
  task(
    'Compare two pages',
    [get(PAGE), get('http://www.example.org/a')],
    `Compare ${PAGE} with http://www.example.org/a`,
  ),
  task(
    'Research from an index',
    [get(PAGE), get('http://docs.example.net/guide?page=2'), write('r.md', 'x\n')],
    `Start at ${PAGE} and read what matters.`,
  ),
  task(
    'Research after reading notes',
    [read('notes.md'), get(PAGE), get('http://docs.example.net/guide?page=2')],
    `What of my notes is in ${PAGE} and its pages?`,
  ),
  task('Look up a word', [get('http://dictionary.example.com/word')], 'What does it mean?'),
  task('What is the weather?', [get('http://weather.example.com/berlin')], 'Will it rain in Berlin?'),
  task('The exchange rate', [get('http://rates.example.com/eur-usd.json')], 'How much is a euro?'),
  task('The latest release', [get('http://releases.example.com/node')], 'What is the latest release of node?'),
  task('News of today', [get('http://news.example.com/'), write('news.md', 'x\n')], 'Sum up the news.'),
  task(
    'An encyclopedia',
    [get('http://wiki.example.org/Tulip'), get('http://wiki.example.org/Rose')],
    'Compare tulips and roses.',
  ),
  task(
    'A search and its first result',
    [get('http://search.example.com/?q=tulips'), get('http://results.example.com/tulips')],
    'Find something about tulips.',
  ),
  task(
    'A page into a table',
    [get('http://www.example.org/prices'), write('prices.csv', 'a,b\n')],
    'Make a table of http://www.example.org/prices',
  ),
  task(
    'Check my site',
    [get('http://my-site.example.org/'), get('http://my-site.example.org/about')],
    'Is my-site.example.org up, and all its pages?',
  ),
  task(
    'Fill a table from a service',
    [read('sales.csv'), get('http://api.example.org/v1/price?item=apple')],
    'Add prices from api.example.org to sales.csv',
  ),
  task(
    'Check the links of a file',
    [read('page.html'), get('http://www.example.org/a')],
    'Do the links in page.html work? They are all on www.example.org.',
  ),
  task(
    'Follow links of the task',
    [read('notes.md'), get('http://one.example.org/x?y=1')],
    'Add what http://one.example.org/x?y=1 says to my notes.',
  ),
  {
    name: 'Public file and the web',
    text: 'What do the names in public-names.txt mean?', // a person's file: names.txt was written by an earlier task
    front: 'public: [public-names.txt]\n',
    steps: [read('public-names.txt'), get('http://names.example.com/Ada')],
  },
  {
    name: 'A public file that an earlier task has rewritten',
    text: 'What do the names in names.txt mean?',
    front: 'public: [names.txt]\n',
    steps: [read('names.txt'), get('http://names.example.com/Bob')],
  },
  task(
    'Feed',
    [get('http://blog.example.org/feed.xml'), get('http://blog.example.org/2026/tulips')],
    'What is new on blog.example.org?',
  ),
  task(
    'Documentation',
    [get('http://docs.example.net/'), sh('mkdir -p docs && echo x > docs/a.md')],
    `Save the main points of ${PAGE}`,
  ),
  task('A picture of the day', [get('http://pictures.example.com/today.json')], 'What is the picture of the day?'),
  task(
    'Two sources',
    [get('http://a.example.com/x'), get('http://b.example.com/x'), write('both.md', 'x\n')],
    'Do sources agree on x?',
  ),
  task('Timetable', [get('http://trains.example.com/berlin-hamburg')], 'When does the next train go to Hamburg?'),
  task('Sunrise', [get('http://sun.example.com/berlin')], 'When does the sun rise?'),
  task(
    'Public holidays',
    [get('http://holidays.example.com/2026/DE'), write('holidays.md', 'x\n')],
    'List the holidays.',
  ),
  task('A recipe', [get('http://recipes.example.com/soup'), write('soup.md', 'x\n')], 'A recipe for soup, please.'),
  task('Standards', [get('http://standards.example.org/rfc9110')], 'What does RFC 9110 say about GET?'),
  task(
    'Post the report',
    [read('notes.md'), { tool: 'http.request', method: 'POST', url: 'http://api.example.org/reports', body: '{}' }],
    'Send my notes to api.example.org.',
  ),
  task(
    'Push the repository',
    [sh('git init -q p1 && cd p1 && git push http://git.example.org/p1 main')],
    'Push p1 to git.example.org.',
  ),
  task(
    'Look something up in private',
    [read('mail/1.eml'), get('http://search.example.com/?q=invoice')],
    'What is the invoice about?',
  ),
  task(
    'Delete the old entry',
    [{ tool: 'http.request', method: 'DELETE', url: 'http://api.example.org/entries/7' }],
    'Delete entry 7 at api.example.org.',
  ),
];
