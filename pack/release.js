/**
 * `npm run release -- --dry-run`: everything that a release is, but for the last step, which cannot be taken back.
 *
 * A release is made of a commit and nothing else: the work tree is clean, the changelog has its section, the tag is free, every
 * suite passes whole, and the package is made and looked at as npm would publish it. Then comes the tag, and npm publishes.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const top = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, 'skip-tests': { type: 'boolean' } } });
const isDry = values['dry-run'] === true;
if (values['skip-tests'] && !isDry) stop('Only a dry run may skip the tests.');

const { version } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'));
const problems = findProblems(version);
for (const problem of problems) console.log(`✗ ${problem}`);
if (problems.length > 0 && !isDry) stop('Nothing was released.');

const folder = mkdtempSync(join(tmpdir(), 'oka-release-'));
try {
  if (values['skip-tests']) console.log('- The suites were skipped.');
  else if (run('npm', ['run', '-s', 'ci:full']) !== 0) stop('A suite failed. Nothing was released.');
  if (run('npm', ['run', '-s', 'pack', '--', folder]) !== 0) stop('The package could not be made.');
  console.log(`\noka ${version} would consist of:`);
  for (const name of readdirSync(folder).toSorted())
    console.log(`  ${name}  ${(statSync(join(folder, name)).size / 1e6).toFixed(2)} MB`);
  const tarball = join(folder, `oka-${version}.tgz`);
  if (run('npm', ['publish', tarball, '--dry-run', '--ignore-scripts']) !== 0) stop('npm would not publish it.');
  if (isDry) {
    console.log(
      `\nNothing was tagged or published. A release would now run:\n  git tag v${version}\n  npm publish oka-${version}.tgz`,
    );
    process.exitCode = problems.length > 0 ? 1 : 0;
  } else if (run('git', ['tag', `v${version}`]) !== 0 || run('npm', ['publish', tarball]) !== 0)
    stop('It was not published; `git tag --delete` takes the tag back.');
} finally {
  rmSync(folder, { recursive: true });
}

function findProblems(wanted) {
  const changelog = readFileSync(join(top, 'CHANGELOG.md'), 'utf8');
  const section = changelog.split('\n').find((line) => line.startsWith(`## ${wanted}`));
  return [
    ...(read('git', ['status', '--porcelain']) === '' ? [] : ['The work tree has changes that are not committed.']),
    ...(section === undefined ? [`CHANGELOG.md has no section "## ${wanted}".`] : []),
    ...(section?.includes('not released') ? [`CHANGELOG.md still says that ${wanted} is not released yet.`] : []),
    ...knownHoles(),
    ...(read('git', ['tag', '--list', `v${wanted}`]) === '' ? [] : [`There is a tag v${wanted} already.`]),
  ];
}

/** Holes in packages that the registry knows of; not every registry tells. */
function knownHoles() {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: top, encoding: 'utf8' });
  const { vulnerabilities } = JSON.parse(stdout || '{}');
  if (vulnerabilities === undefined)
    console.log('- The registry answers no "npm audit": holes in packages were not looked up.');
  return Object.values(vulnerabilities ?? {}).map(
    ({ name, severity }) => `${name} has a known hole (${severity}): npm audit --omit=dev`,
  );
}

function read(program, words) {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: top, encoding: 'utf8' });
  if (status !== 0) stop(stderr.trim());
  return stdout.trim();
}

function run(program, words) {
  return spawnSync(program, words, { cwd: top, stdio: 'inherit' }).status;
}

function stop(why) {
  console.error(why);
  process.exit(1);
}
