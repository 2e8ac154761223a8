/**
 * Sixty more tasks of ordinary days: projects with their hidden files, documents, archives, repositories; and work with
 * hosts by people who have read what a question offered them, and put the line into their task.
 */
import { hostLine } from '../../../src/core/guard/grants.ts';
import type { Step } from '../../support/scripted-tasks.ts';
import type { EverydayTask } from './tasks.ts';

const sh = (line: string): Step => ({ tool: 'shell', line });
const read = (path: string): Step => ({ tool: 'files.read', path });
const write = (path: string, content: string): Step => ({ tool: 'files.write', path, content });
const edit = (path: string, old: string, to: string): Step => ({ tool: 'files.edit', path, old, new: to });
const get = (url: string): Step => ({ tool: 'http.get', url });
const task = (name: string, steps: Step[], front = '', text = name): EverydayTask => ({ name, text, steps, front });

const HIDDEN = [
  ['Ignore build files', '.gitignore'],
  ['Agree on indentation', '.editorconfig'],
  ['Ignore files in the image', '.dockerignore'],
  ['Pin the version of Node', '.nvmrc'],
  ['Pin the version of Python', '.python-version'],
  ['Set up the formatter', '.prettierrc'],
  ['Show which variables are needed', '.env.example'],
  ['Run the tests on every push', '.github/workflows/ci.yml'],
  ['Publish pages without Jekyll', '.nojekyll'],
  ['Keep an empty folder', 'data/.gitkeep'],
] as const;

/** What a person works on in a project, or asks about documents. */
export const moreLocalTasks: EverydayTask[] = [
  ...HIDDEN.map(([name, path], index) => task(name, [write(`h${index}/${path}`, 'x\n')])),
  task('Start a web project', [
    write('web/package.json', '{"name":"web","scripts":{"hello":"node hello.js"}}\n'),
    write('web/vite.config.ts', 'export default {};\n'),
    write('web/eslint.config.js', 'export default [];\n'),
    write('web/hello.js', "console.log('hello');\n"),
  ]),
  task('Run a script of the project', [
    write('ran/package.json', '{"name":"ran","scripts":{"hello":"node hello.js"}}\n'),
    write('ran/hello.js', "console.log('hello');\n"),
    sh('cd ran && npm run hello'),
  ]),
  task('A source file of settings', [
    write('s/package.json', '{}\n'),
    write('s/src/database.config.ts', 'export {};\n'),
  ]),
  task('Start a repository', [
    sh(
      'git init -q n1 && cd n1 && echo a > a.txt && git add . && git -c user.name=A -c user.email=a@example.org commit -qm a',
    ),
  ]),
  task('A branch for the change', [sh('git init -q n2 && cd n2 && git checkout -qb next && git status --short')]),
  task('What changed in the repository', [
    sh('git init -q n3 && cd n3 && echo a > a && git add . && git diff --cached --stat'),
  ]),
  task('Work in another folder of git', [sh('git init -q n4 && git -C n4 status --short')]),
  task('Clone a repository of mine', [
    sh(
      'git init -q n5 && git -C n5 -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m a && git clone -q ./n5 n6',
    ),
  ]),
  task('Compile and run', [write('c1.sh', '#!/bin/sh\necho built\n'), sh('chmod +x c1.sh && ./c1.sh')]),
  task('Build with make', [write('mk/Makefile', 'all:\n\techo built > out.txt\n'), sh('make -C mk')]),
  task('A cache of my own', [sh('mkdir -p .cache/mine && echo 1 > .cache/mine/state')]),
  task('Pack the mail', [sh('tar czf mail.tgz mail && tar tzf mail.tgz')]),
  task('Unpack the mail elsewhere', [sh('tar czf m2.tgz mail && mkdir -p copy && tar xzf m2.tgz -C copy')]),
  task('Read a letter', [read('mail/1.eml'), write('letter-1.md', '# Ada says hello\n')]),
  task('Compare two letters', [read('mail/1.eml'), read('mail/2.eml'), write('compared.md', 'Both say hello.\n')]),
  task('Rename a file', [write('old-1.txt', 'x\n'), { tool: 'files.move', from: 'old-1.txt', to: 'new-1.txt' }]),
  task('Delete a draft', [write('draft-1.txt', 'x\n'), { tool: 'files.remove', path: 'draft-1.txt' }]),
  task('Correct a word', [write('word-1.txt', 'teh cat\n'), edit('word-1.txt', 'teh', 'the')]),
  task('Read the page', [read('page.html'), write('page.md', '- a\n')]),
  task('A link for convenience', [sh('ln -s notes.md latest.md && cat latest.md')]),
  task('Which version of curl', [sh('curl --version')]),
  task('Which git is it', [sh('command -v git && git --version')]),
  task('A backup of my script', [write('b1.sh', 'echo a\n'), sh('cp b1.sh b1.sh.bak && sh b1.sh')]),
  task('Replace the shell of a script', [sh("bash -c 'exec sort names.txt'")]),
  task('Where a program is', [sh('ls -l /usr/bin/env')]),
  task('A table of contents', [sh("grep -n '^#' notes.md > toc.txt")]),
];

const SEND = (host: string): string => `${hostLine(host)}\n`;
const READ = (host: string): string => `hosts: [${host}]\n`;

/** What people open in front matter, or write as a complete address. */
export const grantedTasks: EverydayTask[] = [
  task(
    'Fill a table from a service',
    [read('sales.csv'), get('http://api.example.org/v1/price?item=apple')],
    SEND('api.example.org'),
  ),
  task('Check the links of a file', [read('page.html'), get('http://www.example.org/a')], SEND('www.example.org')),
  task(
    'Ask the service twice',
    [read('sales.csv'), get('http://api.example.org/a?x=1'), get('http://api.example.org/b?x=2')],
    SEND('api.example.org'),
  ),
  task(
    'Translate my notes',
    [read('notes.md'), get('http://translate.example.org/?text=notes')],
    SEND('translate.example.org'),
  ),
  task(
    'Look up my appointment',
    [read('calendar.ics'), get('http://maps.example.org/route?to=berlin')],
    SEND('maps.example.org'),
  ),
  task('Ask a subdomain', [read('notes.md'), get('http://eu.api.example.org/?q=1')], SEND('*.api.example.org')),
  task('Read the manual', [get('http://docs.example.net/'), read('notes.md')], READ('docs.example.net')),
  task(
    'Follow the manual',
    [get('http://docs.example.net/'), read('notes.md'), get('http://docs.example.net/guide?page=2')],
    READ('docs.example.net'),
  ),
  task('Follow a link after reading mail', [
    get('http://docs.example.net/'),
    read('mail/1.eml'),
    get('http://docs.example.net/guide?page=2'),
  ]),
  task('Read a page, then write', [get('http://news.example.org/today'), write('today.md', '# Today\n')]),
  ...['http://one.example.org/rates', 'https://two.example.org/a?b=c', 'http://three.example.org/x/y'].map((url) =>
    task(`Read ${url} after my notes`, [read('notes.md'), get(url)], '', `Add what ${url} says to my notes.`),
  ),
  task(
    'Read two pages of the task',
    [read('notes.md'), get('http://a.example.org/1'), get('http://b.example.org/2')],
    '',
    'Compare http://a.example.org/1 and http://b.example.org/2 with my notes.',
  ),
  task(
    'Use public files',
    [read('site/index.md'), get('http://stats.example.org/?page=index')],
    'public: ["site/**"]\n',
  ),
  task(
    'Use two public files',
    [read('site/index.md'), read('site/about.md'), get('http://stats.example.org/?n=2')],
    'public: ["site/**"]\n',
  ),
  task(
    'Change public files, then look',
    [edit('site/about.md', 'About', 'About'), get('http://stats.example.org/?n=3')],
    'public: ["site/**"]\n',
  ),
  task('Write, then look', [write('own-1.md', 'x\n'), get('http://news.example.org/2')]),
  task('Look at three pages', [
    get('http://n1.example.org/'),
    get('http://n2.example.org/'),
    get('http://n3.example.org/'),
  ]),
  task(
    'The weather for a date',
    [get('http://weather.example.org/berlin?day=2026-11-18')],
    '',
    'How will the weather be on 2026-11-18?',
  ),
  task(
    'A page with a fragment',
    [read('notes.md'), get('http://one.example.org/rates#today')],
    '',
    'See http://one.example.org/rates#today and my notes.',
  ),
  task(
    'A page in brackets',
    [read('notes.md'), get('http://one.example.org/q')],
    '',
    'Use the list (http://one.example.org/q) and my notes.',
  ),
  task(
    'A page in markdown',
    [read('notes.md'), get('http://one.example.org/m')],
    '',
    'Use [the list](http://one.example.org/m) and my notes.',
  ),
  task(
    'A page at the end of a sentence',
    [read('notes.md'), get('http://one.example.org/end')],
    '',
    'Add to my notes what is at http://one.example.org/end.',
  ),
];
