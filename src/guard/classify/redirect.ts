/** Owns: where input comes from and output goes to. */
import type { Redirection } from 'unbash';
import { fullPath, reads, writes } from './paths.ts';
import { type Arg, HOLE, type Output, raise, type Scene, shown, type Stdin } from './scene.ts';
import { textOf, type Values } from './words.ts';

export type Redirected = {
  input: Stdin;
  /** Called with what the command printed, so that files the line wrote are known to it. */
  done: (output: Output) => void;
};

export function redirect(scene: Scene, redirections: readonly Redirection[], values: Values, stdin: Stdin): Redirected {
  let input = stdin;
  const targets: Arg[] = [];
  for (const each of redirections) {
    if (each.type === 'HereDoc') {
      input = {
        from: 'text',
        text: bodyOf(each.body.text, each.body.parts !== undefined && each.delimiter?.quoted !== true),
      };
      continue;
    }
    if (each.target === undefined) {
      raise(scene, 'deny', 'it does not parse: a redirection leads nowhere');
      continue;
    }
    const target = textOf(scene, each.target, values);
    if (each.type === 'HereString') input = { from: 'text', text: target.text };
    else if (each.operator === '<') input = from(scene, target, each.target.text);
    else if (!/^(?:\d+-?|-)$/.test(target.text) || !each.operator.includes('&'))
      to(scene, target, each.target.text, targets);
  }
  return { input, done: (output) => remember(scene, targets, output) };
}

/** An open here-document keeps holes where something is filled in. */
function bodyOf(text: string, open: boolean): string {
  return open ? text.replaceAll(/\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+/g, HOLE) : text;
}

function from(scene: Scene, target: Arg, written: string): Stdin {
  if (socket(scene, target)) return { from: 'pipe', fetched: true };
  if (written.startsWith('<(')) return { from: 'pipe', fetched: true };
  reads(scene, 'a redirection', target);
  return { from: 'file', file: target };
}

function to(scene: Scene, target: Arg, written: string, targets: Arg[]): void {
  if (socket(scene, target) || written.startsWith('>(')) return;
  if (target.hidden) raise(scene, 'external_mutation', 'nobody can see which file is written');
  writes(scene, 'a redirection', target);
  targets.push(target);
}

function socket(scene: Scene, { text }: Arg): boolean {
  if (!/^\/dev\/(?:tcp|udp)\//.test(text)) return false;
  raise(scene, 'deny', `${shown(text)} opens a connection out of a redirection`);
  scene.tally.net = true;
  return true;
}

function remember(scene: Scene, targets: readonly Arg[], output: Output): void {
  for (const target of targets) {
    const full = fullPath(scene, target.text);
    if (full === null) continue;
    if (output !== null && 'text' in output) scene.written.set(full, (scene.written.get(full) ?? '') + output.text);
    else if (scene.tally.net || scene.tally.decodes) scene.written.set(full, null);
  }
}
