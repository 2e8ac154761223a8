/** Before all trials: the image is built from a checkout, once, and what it weighs is told. */
import { rmSync } from 'node:fs';
import { docker, IMAGE, must, whatIsMissing } from './engine.ts';
import { checkout } from './stage.ts';

declare module 'vitest' {
  interface ProvidedContext {
    missing: string;
  }
}

type Project = { provide: (key: 'missing', value: string) => void };

export function setup({ provide }: Project): () => void {
  const missing = whatIsMissing();
  provide('missing', missing);
  if (missing !== '') {
    process.stdout.write(`The containers are not tried: ${missing}.\n`);
    return () => undefined;
  }
  const dir = checkout();
  const begun = performance.now();
  must(['compose', '--project-name', 'oka-trial-build', 'build'], {
    cwd: dir,
    env: { OKA_IMAGE: IMAGE, OKA_ADD_ONS: 'replica vectors' },
  });
  process.stdout.write(`built in ${((performance.now() - begun) / 1000).toFixed(0)} s\n${weight()}\n`);
  return () => {
    rmSync(dir, { recursive: true, force: true });
    docker(['image', 'rm', '--force', IMAGE]);
  };
}

/** Each layer that weighs something, and what made it. */
function weight(): string {
  const size = Number(must(['image', 'inspect', '--format', '{{.Size}}', IMAGE]));
  const layers = must(['history', '--format', '{{.Size}}\t{{.CreatedBy}}', IMAGE])
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('0B'))
    .map((line) => `  ${line.replaceAll(/\s+/g, ' ').slice(0, 100)}`);
  return [`image: ${(size / 1e6).toFixed(0)} MB, of which`, ...layers].join('\n');
}
