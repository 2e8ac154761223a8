/** Running code that lies on the desk, and code that the line itself has just written. */
import { posix } from 'node:path';
import { scanCode } from '../code.ts';
import { careOf, fullPath, placeOf, reads } from '../paths.ts';
import type { Use } from '../row.ts';
import { type Arg, literal, type Scene, shown } from '../scene.ts';

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
      if (!scene.written.has(fullPath(scene, file.text) ?? ''))
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
  if (posix.basename(file.text) === 'oka') return raise('deny', 'oka is how people steer the assistant');
  if (careOf(scene, file) === 'config') return raise('deny', `${name} is configuration, not part of the project`);
  reads(scene, 'running it', file);
  raise('write_local', `${name} is code from the desk`);
  scanArguments(use);
  if (LEAVES.test(posix.basename(file.text).replace(/\.\w+$/, '')))
    raise('external_mutation', `${name} says that it changes something outside`);
  const full = fullPath(scene, file.text);
  if (isFetched(scene, full)) raise('external_mutation', `${name} is code that was fetched a moment ago`);
  const text = full === null ? undefined : scene.written.get(full);
  if (text === undefined) return;
  if (text === null) return raise('deny', `${name} is code that was fetched or decoded a moment ago`);
  runsText(use, text, language ?? languageOf(text, file.text));
}

/** An option or a variable names code that a program loads. */
export function loadsCode({ name, scene, raise, reads: look }: Use, code: Arg): void {
  if (code.text === '' || !/^[/~.\uE000]|\//.test(code.text)) return;
  if (/^(?:data|https?|blob):/.test(code.text) || code.hidden || code.text.startsWith('/dev/'))
    return raise('deny', `${name} would load code that nobody has seen`);
  if (['scratch', 'home', 'outside', 'device', 'workspace'].includes(placeOf(scene, code.text)))
    raise('external_mutation', `${name} would load ${shown(code.text)}, which is code from outside the desk`);
  else look(code);
}

/** A script by such a name goes out. */
const LEAVES = /(?:^|[_-])(?:deploy|publish|release|upload|rollout|teardown|destroy|provision)(?:$|[_-])/i;

/** In a folder that the line itself fetched; such a folder is remembered with a slash at its end. */
function isFetched(scene: Scene, full: string | null): boolean {
  return [...scene.written].some(([path, text]) => text === null && path.endsWith('/') && full?.startsWith(path));
}

/** Code that can be seen. */
export function runsText({ scene, raise }: Use, text: string, language: string): void {
  if (language === 'bash') scene.parts.script(scene, text);
  else scanCode(scene, raise, text, language);
}

/** Project code runs: whatever this line wrote into the project is part of it. */
export function runsProject(use: Use): void {
  use.scene.flow.bounded = true;
  if (isFetched(use.scene, `${use.scene.cwd ?? ''}/`))
    use.raise('external_mutation', 'it runs code that was fetched a moment ago');
  for (const [path, text] of use.scene.written) {
    if (path.endsWith('/')) continue;
    if (/\.(?:md|txt|csv|html|css|rst|tsv|log)$/.test(path)) continue;
    if (
      text === null &&
      !/(?:package|composer|deno|tsconfig)\.json$/.test(path) &&
      /\.(?:json|ya?ml|xml|zip|gz|tgz|png|jpg|pdf|db)$/.test(path)
    )
      continue;
    if (text === null) use.raise('deny', 'it runs code that was fetched or decoded a moment ago');
    else projectText(use, path, text);
  }
  scanArguments(use);
}

/** Files that say what the project runs are read as that; all else as code. */
function projectText({ scene, raise }: Use, path: string, text: string): void {
  const commands = /\/(?:GNU)?[Mm]akefile$|\.mk$/.test(path)
    ? recipes(text)
    : path.endsWith('/package.json')
      ? npmScripts(text)
      : null;
  if (commands === null) return scanCode(scene, raise, text);
  for (const command of commands) scene.parts.script({ ...scene, vars: new Map(scene.vars) }, command);
}

/** Variables of make stand for words that nobody here knows. */
function recipes(text: string): string[] {
  return [...text.matchAll(/^(?:\t|[^\n#=]*:[^\n;=]*;)[@+\s-]*(.+)$/gm)].map(([, line = '']) =>
    line.replaceAll(/\$[({]\w+[)}]|\$[@<^*?]/g, 'true').replaceAll('$$', '$'),
  );
}

function npmScripts(text: string): string[] | null {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return Object.values(scripts ?? {}).filter((each) => typeof each === 'string');
  } catch {
    return null;
  }
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
