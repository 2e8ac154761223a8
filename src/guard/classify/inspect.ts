/** Owns: everything bash does inside a word: substitutions, arithmetic, subscripts, parameter operators. */
import { type ArithmeticWord, forEachChild, type ParameterExpansionPart, type SyntaxNode } from 'unbash';
import { checkVariable } from './environment.ts';
import { type Arg, HOLE, nothing, raise, type Scene, unknown } from './scene.ts';
import type { Values } from './words.ts';

const CODE_IN_SUBSCRIPT = /\w\[[^\]]*(?:\$\(|`|\$\{)/;
/** What arithmetic may find in a variable without running anything. */
const CALCULABLE = /^[\s\w+\-*/%().<>=!&|^~?:,\uE000]*$/;
const SECRET_NAME =
  /SECRET|TOKEN|PASSW(?:OR)?D|PASSPHRASE|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL|^SSH_AUTH_SOCK$|^SSH_AGENT|^GPG_AGENT|_SOCK$/i;

/** Walks every nested part by name; what substitutions print is remembered by their node. */
export function inspect(scene: Scene, ...roots: readonly SyntaxNode[]): Values {
  const values = new Map<unknown, Arg>();
  const visit = (node: SyntaxNode): void => {
    if (look(scene, node, values)) forEachChild(node, visit);
    if (node.type === 'ParameterExpansion' && /\$\(|`/.test(node.index?.text ?? ''))
      raise(scene, 'external_mutation', 'a subscript holds code');
  };
  for (const root of roots) visit(root);
  return values;
}

/** False when the parts of the node have been seen to. */
function look(scene: Scene, node: SyntaxNode, values: Map<unknown, Arg>): boolean {
  if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') {
    if (node.script === undefined) raise(scene, 'deny', 'a substitution in it does not parse');
    else values.set(node, scene.parts.substitute(scene, node.script));
    return false;
  }
  if (node.type === 'ProcessSubstitution') {
    if (node.script === undefined) raise(scene, 'deny', 'a substitution in it does not parse');
    else scene.parts.feed(scene, node.script, node.operator === '>' ? { from: 'pipe', fetched: true } : nothing);
    return false;
  }
  if (node.type === 'ParameterExpansion') checkParameter(scene, node);
  else if (node.type === 'SimpleExpansion') checkName(scene, node.text.slice(1));
  else if (node.type === 'ArithmeticExpansion')
    checkArithmetic(scene, node.text, node.expression !== undefined || /^\$\(\(\s*\)\)$/.test(node.text));
  else if (node.type === 'ArithmeticWord') checkArithmeticWord(scene, node);
  else if (node.type === 'SingleQuoted' || node.type === 'AnsiCQuoted' || node.type === 'HereDocBody')
    scene.tally.codeInText ||= CODE_IN_SUBSCRIPT.test(node.text);
  return true;
}

function checkParameter(scene: Scene, { parameter, prefix, index, operation, text }: ParameterExpansionPart): void {
  checkName(scene, parameter);
  if (prefix === '!' && index === undefined && operation?.type !== 'Names')
    raise(scene, 'deny', `${text} takes the name of a variable from another one`);
  if (index !== undefined) scene.tally.calculates = true;
  if (operation?.type === 'Transform' && !/^[UuLQEAaKk]$/.test(operation.operand.text))
    raise(scene, 'deny', `${text} would run what is in a variable`);
  if (operation?.type === 'Default' && operation.operator.includes('=')) checkVariable(scene, parameter, unknown);
  if (operation?.type === 'Unknown') raise(scene, 'deny', `${text} is not understood`);
  if (operation?.type === 'Slice') scene.tally.calculates = true;
  if (
    (operation?.type === 'Replace' && /\$\([^)]*\/|`[^`]*\//.test(text)) ||
    (operation?.type === 'Slice' && /\$\([^)]*:|`[^`]*:/.test(text))
  )
    raise(scene, 'deny', `${text} cannot be taken apart for certain`);
}

/** What lies in the environment under such a name is not for a command to see. */
export function checkName(scene: Scene, name: string): void {
  if (SECRET_NAME.test(name) && !scene.vars.has(name)) raise(scene, 'external_mutation', `$${name} may be a secret`);
}

/** Arithmetic runs what it finds in the subscripts of its operands. */
export function checkArithmetic(scene: Scene, text: string, understood: boolean): void {
  scene.tally.calculates = true;
  if (!understood) return raise(scene, 'deny', 'arithmetic in it is not understood');
  const own = withoutSubstitutions(text);
  for (const [, name = ''] of own.matchAll(/([A-Z][A-Z_]+)\s*=(?!=)/g)) checkVariable(scene, name, unknown);
  if (/\w\[[^\]]*[\uE000`]/.test(own)) raise(scene, 'external_mutation', 'a subscript holds code');
  if (/['\\]/.test(own)) raise(scene, 'deny', 'arithmetic in it has quotes that could hide code');
}

/** Substitutions have been walked by themselves. */
function withoutSubstitutions(text: string): string {
  let depth = 0;
  let left = '';
  for (let at = text.startsWith('$((') ? 3 : 0; at < text.length; at += 1) {
    if (text.startsWith('$(', at) || (depth > 0 && text[at] === '(')) depth += 1;
    else if (depth > 0 && text[at] === ')') depth -= 1;
    else if (depth === 0) left += text[at];
    if (text.startsWith('$(', at)) {
      left += HOLE;
      at += 1;
    }
  }
  return left;
}

function checkArithmeticWord(scene: Scene, { value }: ArithmeticWord): void {
  for (const [name] of value.matchAll(/[A-Za-z_]\w*/g)) {
    const known = scene.vars.get(name) ?? [unknown];
    if (!known.every(({ text }) => CALCULABLE.test(text)))
      raise(scene, 'deny', `arithmetic would run what is in $${name}`);
  }
}
