/**
 * Run as an ordinary user, whom modes of files stop: makes a desk, lets a step change it (a shell script in the argument),
 * undoes the step and prints what was there before, after and in the end.
 */
import './rooms-of-product.ts';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSnapshots } from '../../src/kit/desk/snapshots.ts';

const home = mkdtempSync(join(tmpdir(), 'oka-modes-'));
const desk = join(home, 'desk');
mkdirSync(desk, { mode: 0o755 });
mkdirSync(join(desk, 'folder'), { mode: 0o755 });
writeFileSync(join(desk, 'folder/inner.txt'), 'inner\n', { mode: 0o644 });
writeFileSync(join(desk, 'file.txt'), 'content\n', { mode: 0o644 });
const shadow = openSnapshots({ store: join(home, 'undo'), desk });
try {
  const before = stateOf();
  const step = { before: (await shadow.snapshot('before')).tree, after: '' };
  execFileSync('bash', ['-c', process.argv[2] ?? 'true'], { cwd: desk });
  step.after = (await shadow.snapshot('after')).tree;
  const next = { before: (await shadow.snapshot('before next')).tree, after: '' };
  writeFileSync(join(desk, 'next.txt'), 'the next step writes\n');
  next.after = (await shadow.snapshot('after next')).tree;
  await shadow.undo([next], 'undo next');
  const undone = await shadow.undo([step], 'undo');
  process.stdout.write(JSON.stringify({ before, end: stateOf(), left: [...undone.overlaps, ...undone.notRestorable] }));
} finally {
  execFileSync('chmod', ['-R', 'u+rwX', home]);
  rmSync(home, { recursive: true, force: true });
}

function stateOf(folder = '.'): Record<string, string> {
  const at = join(desk, folder);
  const stats = lstatSync(at);
  const mode = (stats.mode & 0o7777).toString(8);
  if (!stats.isDirectory())
    return { [folder]: stats.isFile() ? `file ${mode} ${contentOf(at, stats.mode)}` : `special ${mode}` };
  chmodSync(at, stats.mode | 0o700);
  const below = readdirSync(at).map((name) => stateOf(join(folder, name)));
  chmodSync(at, stats.mode & 0o7777);
  return Object.assign({ [folder]: `folder ${mode}` }, ...below) as Record<string, string>;
}

function contentOf(file: string, mode: number): string {
  chmodSync(file, mode | 0o400);
  const text = readFileSync(file, 'utf8');
  chmodSync(file, mode & 0o7777);
  return text;
}
