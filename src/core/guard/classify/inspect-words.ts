/** Owns: judging what bash does inside a word: substitutions, arithmetic, subscripts, parameter operators. */
import { type ArithmeticWord, forEachChild, type ParameterExpansionPart, type SyntaxNode } from 'unbash';
import { checkVariable } from './risky-variables.ts';
import { type Arg, HOLE, nothing, raise, type ShellState, unknown } from './shell-state.ts';
import type { Values } from './expand-words.ts';

const CODE_IN_SUBSCRIPT = /\w\[[^\]]*(?:\$\(|`|\$\{)/;
/** Values of a variable that arithmetic uses without running anything. */
const CALCULABLE = /^[\s\w+\-*/%().<>=!&|^~?:,\uE000]*$/;
const SECRET_NAME =
  /SECRET|TOKEN|PASSW(?:OR)?D|PASSPHRASE|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL|^SSH_AUTH_SOCK$|^SSH_AGENT|^GPG_AGENT|_SOCK$/i;

/** Walks every nested part, by field name since they are lazy getters; gives what each substitution prints, by its node. */
export function expandNodes(state: ShellState, ...roots: readonly SyntaxNode[]): Values {
  const values = new Map<unknown, Arg>();
  const visit = (node: SyntaxNode): void => {
    if (inspectNode(state, node, values)) forEachChild(node, visit);
    if (node.type === 'ParameterExpansion' && /\$\(|`/.test(node.index?.text ?? ''))
      raise(state, 'external_mutation', 'a subscript contains code');
  };
  for (const root of roots) visit(root);
  return values;
}

/** False if the parts of the node have been handled already. */
function inspectNode(state: ShellState, node: SyntaxNode, values: Map<unknown, Arg>): boolean {
  if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') {
    if (node.script === undefined) raise(state, 'deny', 'a substitution in it does not parse');
    else values.set(node, state.parts.substitute(state, node.script));
    return false;
  }
  if (node.type === 'ProcessSubstitution') {
    if (node.script === undefined) raise(state, 'deny', 'a substitution in it does not parse');
    else state.parts.feed(state, node.script, node.operator === '>' ? { from: 'pipe', fetched: true } : nothing);
    return false;
  }
  if (node.type === 'ParameterExpansion') checkParameter(state, node);
  else if (node.type === 'SimpleExpansion') checkName(state, node.text.slice(1));
  else if (node.type === 'ArithmeticExpansion')
    checkArithmetic(state, node.text, node.expression !== undefined || /^\$\(\(\s*\)\)$/.test(node.text));
  else if (node.type === 'ArithmeticWord') checkArithmeticWord(state, node);
  else if (node.type === 'SingleQuoted' || node.type === 'AnsiCQuoted' || node.type === 'HereDocBody')
    state.tally.codeInText ||= CODE_IN_SUBSCRIPT.test(node.text);
  return true;
}

function checkParameter(
  state: ShellState,
  { parameter, prefix, index, operation, text }: ParameterExpansionPart,
): void {
  checkName(state, parameter);
  if (prefix === '!' && index === undefined && operation?.type !== 'Names')
    raise(state, 'deny', `${text} takes the name of a variable from another variable`);
  if (index !== undefined) state.tally.calculates = true;
  if (operation?.type === 'Transform' && !/^[UuLQEAaKk]$/.test(operation.operand.text))
    raise(state, 'deny', `${text} would run the content of a variable`);
  if (operation?.type === 'Default' && operation.operator.includes('=')) checkVariable(state, parameter, unknown);
  if (operation?.type === 'Unknown') raise(state, 'deny', `${text} is not understood`);
  if (operation?.type === 'Slice') state.tally.calculates = true;
  if (
    (operation?.type === 'Replace' && /\$\([^)]*\/|`[^`]*\//.test(text)) ||
    (operation?.type === 'Slice' && /\$\([^)]*:|`[^`]*:/.test(text))
  )
    raise(state, 'deny', `${text} cannot be parsed with certainty`);
}

/** Names of environment variables that probably contain secrets, which no command may read. */
export function checkName(state: ShellState, name: string): void {
  if (SECRET_NAME.test(name) && !state.vars.has(name)) raise(state, 'external_mutation', `$${name} may be a secret`);
}

/** Judges arithmetic: bash runs substitutions in the subscripts of its operands. */
export function checkArithmetic(state: ShellState, text: string, understood: boolean): void {
  state.tally.calculates = true;
  if (!understood) return raise(state, 'deny', 'arithmetic in it is not understood');
  const own = withoutSubstitutions(text);
  for (const [, name = ''] of own.matchAll(/([A-Z][A-Z_]+)\s*=(?!=)/g)) checkVariable(state, name, unknown);
  if (/\w\[[^\]]*[\uE000`]/.test(own)) raise(state, 'external_mutation', 'a subscript contains code');
  if (/['\\]/.test(own)) raise(state, 'deny', 'arithmetic in it has quotes that could hide code');
}

/** Blanks out substitutions, which are judged separately. */
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

function checkArithmeticWord(state: ShellState, { value }: ArithmeticWord): void {
  for (const [name] of value.matchAll(/[A-Za-z_]\w*/g)) {
    const known = state.vars.get(name) ?? [unknown];
    if (!known.every(({ text }) => CALCULABLE.test(text)))
      raise(state, 'deny', `arithmetic would run the content of $${name}`);
  }
}
