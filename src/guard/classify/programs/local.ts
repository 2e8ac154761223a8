/** Running code that lies on the desk, and code that the line itself has just written. */
import { scanCode } from '../code.ts';
import { careOf, fullPath, placeOf, reads } from '../paths.ts';
import type { Use } from '../row.ts';
import { type Arg, literal, shown } from '../scene.ts';

/** A file is run, by its own name or by a program for `language`. */
export function runsFile(use: Use, language: string | null = null, file: Arg = literal(use.name)): void {
  const { scene, raise } = use;
  const place = placeOf(scene, file.text);
  scene.flow.bounded = true;
  const name = shown(file.text);
  if (file.hidden || file.glob) return raise('deny', `which code runs is only known when it runs: ${name}`);
  switch (place) {
    case 'desk':
    case 'tools':
    case 'unknown':
      break;
    case 'scratch':
      if (language === null && !scene.written.has(fullPath(scene, file.text) ?? ''))
        raise('external_mutation', `${name} is code from scratch that nobody has seen`);
      break;
    case 'sink':
    case 'endless':
    case 'device':
      return raise('deny', 'it runs what comes through a pipe');
    case 'system':
      if (language === null) raise('external_mutation', `${name} is not known`);
      break;
    case 'desk root':
    case 'workspace':
    case 'home':
    case 'outside':
      return raise('external_mutation', `${name} is code from outside the desk`);
  }
  if (careOf(scene, file) === 'config') return raise('deny', `${name} is configuration, not part of the project`);
  reads(scene, 'running it', file);
  raise('write_local', `${name} is code from the desk`);
  scanArguments(use);
  const full = fullPath(scene, file.text);
  const text = full === null ? undefined : scene.written.get(full);
  if (text === undefined) return;
  if (text === null) return raise('deny', `${name} is code that was fetched or decoded a moment ago`);
  runsText(use, text, language ?? languageOf(text, file.text));
}

/** Code that can be seen. */
export function runsText({ scene, raise }: Use, text: string, language: string): void {
  if (language === 'bash') scene.parts.script(scene, text);
  else scanCode(scene, raise, text, language);
}

/** Project code runs: whatever this line wrote into the project is part of it. */
export function runsProject(use: Use): void {
  use.scene.flow.bounded = true;
  for (const [path, text] of use.scene.written) {
    if (/\.(?:md|txt|csv|html|css|rst|tsv|log)$/.test(path)) continue;
    if (text === null && /\.(?:json|ya?ml|xml|zip|gz|tgz|png|jpg|pdf|db)$/.test(path)) continue;
    if (text === null) use.raise('deny', 'it runs code that was fetched or decoded a moment ago');
    else scanCode(use.scene, use.raise, text);
  }
  scanArguments(use);
}

function scanArguments({ args, raise, scene }: Use): void {
  for (const { text } of args) if (/^(?:\/etc\/|~)/.test(text)) reads(scene, 'a program', literal(text));
  if (args.some(({ hidden }) => hidden)) raise('external_mutation', 'nobody can see what the program is given');
}

function languageOf(text: string, name: string): string {
  const first = text.split('\n', 1)[0] ?? '';
  if (first.startsWith('#!')) return /\b(?:ba|da|z|k)?sh\b/.test(first) ? 'bash' : 'other';
  return /\.(?:py|js|ts|mjs|cjs|rb|pl|php|lua)$/.test(name) ? 'other' : 'bash';
}
