/** An installation without a launcher, and one with nothing but the prebuilt launcher: real processes of a copy of oka. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canJail } from '../support/launcher.ts';
import { temporaryFolder } from '../support/cli.ts';
import { isThorough } from '../support/thorough.ts';

const root = join(import.meta.dirname, '../..');
const WARNING = 'Commands run without a sandbox: the launcher is not built';

/** A copy of the program; `secret.txt` lies beside the home, where no sandboxed command can read it. */
function installed({ native }: { native: boolean }) {
  const folder = temporaryFolder();
  const app = join(folder.dir, 'app');
  mkdirSync(app);
  for (const name of ['src', 'bin', 'share', 'package.json', ...(native ? ['native'] : [])])
    cpSync(join(root, name), join(app, name), { recursive: true, filter: (path) => !/native\/oka-launch/.test(path) });
  symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'));
  mkdirSync(join(folder.dir, 'bin'));
  symlinkSync(process.execPath, join(folder.dir, 'bin/node')); // a PATH without a compiler
  for (const name of ['cat', 'bash', 'sh', 'env']) symlinkSync(join('/bin', name), join(folder.dir, 'bin', name));
  const secret = join(folder.dir, 'secret.txt');
  writeFileSync(secret, 'private words');
  const home = join(folder.dir, 'home');
  const oka = (...words: string[]) =>
    spawnSync(process.execPath, [join(app, 'bin/oka'), ...words, '--dir', home], {
      encoding: 'utf8',
      env: { ...process.env, PATH: join(folder.dir, 'bin') },
    });
  const result = (): string => {
    const outbox = join(home, 'workspace/outbox');
    const [run = ''] = readdirSync(outbox).filter((name) => !name.startsWith('.'));
    return readFileSync(join(outbox, run, 'RESULT.md'), 'utf8');
  };
  const task = join(folder.dir, 'task.md');
  writeFileSync(task, `# Read\n\n\`\`\`bash\ncat ${secret} || true\n\`\`\`\n`);
  return { oka, result, task, secret, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

describe('a command without a sandbox', () => {
  it.runIf(isThorough)('is announced on the console, in the status and in RESULT.md', () => {
    using place = installed({ native: false });
    place.oka('init');
    const ran = place.oka('run', place.task);
    expect(ran.status).toBe(0);
    expect(place.result()).toContain('private words');
    expect(ran.stderr).toContain(WARNING);
    expect(place.result()).toContain(`⚠️ ${WARNING}`);
    expect(place.oka('status').stdout).toContain(WARNING);
    expect(place.oka('doctor').stdout).toContain('is not built');
  });

  it.runIf(canJail && isThorough)('does not happen where the prebuilt launcher is there, and nothing is said', () => {
    using place = installed({ native: true });
    place.oka('init');
    const ran = place.oka('run', place.task);
    expect(ran.status).toBe(0);
    expect(place.result()).not.toContain('private words');
    expect(`${ran.stderr}${place.result()}${place.oka('status').stdout}`).not.toContain('without a sandbox');
  });
});
