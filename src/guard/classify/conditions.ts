/** Owns: what stands in conditions, and whether a loop ends. */
import type { Statement, TestExpression, While } from 'unbash';
import { looks } from './paths.ts';
import { literal, raise, type Scene } from './scene.ts';

/** [[ … -eq … ]] and -v calculate with what they are given. */
export function checkTest(scene: Scene, expression: TestExpression): void {
  switch (expression.type) {
    case 'TestUnary':
      if (/^-[vR]$/.test(expression.operator)) checkSubscript(scene, expression.operand.text);
      if (/^-[a-uw-z]$/i.test(expression.operator))
        looks(scene, 'it', literal(expression.operand.text.replaceAll(/["']/g, '')));
      return;
    case 'TestBinary':
      if (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator)) return;
      scene.tally.calculates = true;
      for (const { text } of [expression.left, expression.right]) checkSubscript(scene, text);
      return;
    case 'TestLogical':
      for (const operand of expression.operands) checkTest(scene, operand);
      return;
    case 'TestNot':
      return checkTest(scene, expression.operand);
    case 'TestGroup':
      return checkTest(scene, expression.expression);
  }
}

function checkSubscript(scene: Scene, text: string): void {
  if (/\[.*(?:['"\\`]|\$\()|['\\].*\[/.test(text)) raise(scene, 'deny', 'a subscript in it could hold code');
}

/** A condition that nothing in the loop can change. */
export function isConstant(condition: string, kind: While['kind']): boolean {
  const text = condition.replace(/;$/, '').trim();
  if (kind === 'until') return /^(?:false|! ?(?:true|:)|\[ 0 -eq 1 \])$/.test(text);
  return /^(?:true|:|\/bin\/true|! ?false|\(\(\s*\d+\s*\)\)|(?:\[\[?|test)\s+[^$`-]*(?:\s-(?:eq|le|ge|n)\s[^$`]*)?)$/.test(
    text,
  );
}

/** A loop ends, or, when it starts nothing in the background, at least rests, by one of these words in it. */
export function ends(body: { commands: readonly Statement[] }, spawns = false): boolean {
  const text = JSON.stringify(body.commands);
  return (
    spawns ? /"value":"(?:break|exit|return)"/ : /"value":"(?:break|exit|return|sleep|read|wait|inotifywait)"/
  ).test(text);
}
