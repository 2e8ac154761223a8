/** Owns: judging conditions, and whether a loop can end. */
import type { Statement, TestExpression, While } from 'unbash';
import { judgeStat } from './paths.ts';
import { literal, raise, type ShellState } from './shell-state.ts';

/** Denies operands of [[ … -eq … ]] and -v that contain code, since bash evaluates them as arithmetic. */
export function checkTest(state: ShellState, expression: TestExpression): void {
  switch (expression.type) {
    case 'TestUnary':
      if (/^-[vR]$/.test(expression.operator)) checkSubscript(state, expression.operand.text);
      if (/^-[a-uw-z]$/i.test(expression.operator))
        judgeStat(state, 'it', literal(expression.operand.text.replaceAll(/["']/g, '')));
      return;
    case 'TestBinary':
      if (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator)) return;
      state.tally.calculates = true;
      for (const { text } of [expression.left, expression.right]) checkSubscript(state, text);
      return;
    case 'TestLogical':
      for (const operand of expression.operands) checkTest(state, operand);
      return;
    case 'TestNot':
      return checkTest(state, expression.operand);
    case 'TestGroup':
      return checkTest(state, expression.expression);
  }
}

function checkSubscript(state: ShellState, text: string): void {
  if (/\[.*(?:['"\\`]|\$\()|['\\].*\[/.test(text)) raise(state, 'deny', 'a subscript in it could contain code');
}

/** Whether nothing in the loop can change the condition. */
export function isConstant(condition: string, kind: While['kind']): boolean {
  const text = condition.replace(/;$/, '').trim();
  if (kind === 'until') return /^(?:false|! ?(?:true|:)|\[ 0 -eq 1 \])$/.test(text);
  return /^(?:true|:|\/bin\/true|! ?false|\(\(\s*\d+\s*\)\)|(?:\[\[?|test)\s+[^$`-]*(?:\s-(?:eq|le|ge|n)\s[^$`]*)?)$/.test(
    text,
  );
}

/** Whether one of these words ends the loop, or makes it sleep; sleeping counts only if it starts nothing in the background. */
export function canEnd(body: { commands: readonly Statement[] }, spawns = false): boolean {
  const text = JSON.stringify(body.commands);
  return (
    spawns ? /"value":"(?:break|exit|return)"/ : /"value":"(?:break|exit|return|sleep|read|wait|inotifywait)"/
  ).test(text);
}
