import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/guard/classify/classify-command.ts';
import { classOf, where } from './corpus.ts';
import { timesOf } from '../../../support/thorough.ts';

/** Every place in the syntax of bash where a command can stand inside something else. */
const NESTS: readonly ((inner: string) => string)[] = [
  (inner) => `echo $( ${inner} )`,
  (inner) => `echo "a $( ${inner} ) b"`,
  (inner) => `echo \`${inner.replaceAll(/[`$\\]/g, '\\$&')}\``,
  (inner) => `x=$( ${inner} )`,
  (inner) => `x=1 y=$( ${inner} ) ls`,
  (inner) => `arr=( a $( ${inner} ) )`,
  (inner) => `arr[$( ${inner} )]=1`,
  (inner) => `declare x=$( ${inner} )`,
  (inner) => `echo \${x:-$( ${inner} )}`,
  (inner) => `echo "\${x:+"$( ${inner} )"}"`,
  (inner) => `echo \${x#$( ${inner} )}`,
  (inner) => `echo \${arr[$( ${inner} )]}`,
  (inner) => `echo $(( 1 + $( ${inner} ) ))`,
  (inner) => `(( $( ${inner} ) ))`,
  (inner) => `for (( i = $( ${inner} ); i < 1; i++ )); do :; done`,
  (inner) => `for x in a $( ${inner} ); do :; done`,
  (inner) => `case $( ${inner} ) in a) ;; esac`,
  (inner) => `case a in $( ${inner} )) ;; esac`,
  (inner) => `case a in b) ${inner} ;; esac`,
  (inner) => `[[ a == $( ${inner} ) ]]`,
  (inner) => `[[ -n "$( ${inner} )" ]]`,
  (inner) => `cat <<END_NEST\n$( ${inner} )\nEND_NEST`,
  (inner) => `cat <<< "$( ${inner} )"`,
  (inner) => `ls > "$( ${inner} )"`,
  (inner) => `ls 2> >( ${inner} )`,
  (inner) => `diff <( ${inner} ) b`,
  (inner) => `echo {a,$( ${inner} )}`,
  (inner) => `echo *$( ${inner} )*`,
  (inner) => `( ${inner} )`,
  (inner) => `{ ${inner}; }`,
  (inner) => `if ${inner}; then :; fi`,
  (inner) => `if :; then :; elif :; then ${inner}; fi`,
  (inner) => `if :; then :; else ${inner}; fi`,
  (inner) => `while ${inner}; do break; done`,
  (inner) => `until :; do ${inner}; done`,
  (inner) => `select x in a; do ${inner}; done`,
  (inner) => `f() { ${inner}; }`,
  (inner) => `function f { ${inner}; }; f`,
  (inner) => `coproc { ${inner}; }`,
  (inner) => `! ${inner}`,
  (inner) => `: && ${inner}`,
  (inner) => `: || ${inner}`,
  (inner) => `: | ${inner}`,
  (inner) => `{ ${inner}; } &`,
  (inner) => `{ :; } > "$( ${inner} )"`,
  (inner) => `trap '${inner.replaceAll("'", `'\\''`)}' EXIT`,
  (inner) => `eval '${inner.replaceAll("'", `'\\''`)}'`,
  (inner) => `bash -c '${inner.replaceAll("'", `'\\''`)}'`,
];

describe('nested commands', () => {
  it.each(NESTS.map((nest) => [nest('rm -rf /etc'), nest] as const))('are reached in %s', (_, nest) => {
    const found = classify({ line: nest('rm -rf /etc') }, where);
    expect(found.class).toBe('deny');
    expect(found.programs).toContain('rm');
    expect(classOf(nest('ls'))).not.toBe('deny');
  });

  it('are reached at any depth and in any order of nesting', () => {
    const depth = fc.array(fc.nat({ max: NESTS.length - 1 }), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(depth, (picks) => {
        const line = picks.reduce((inner, pick) => NESTS[pick]?.(inner) ?? inner, 'rm -rf /etc');
        expect(classOf(line), line).toBe('deny');
      }),
      { numRuns: timesOf(1500, 200), seed: 4 },
    );
  });

  it('any text at all gets a class and a reason', () => {
    const pieces = fc.constantFrom(
      'ls',
      'rm -rf /etc',
      '$(',
      ')',
      '`',
      '"',
      "'",
      '{',
      '}',
      '[[',
      ']]',
      '<<E',
      '\n',
      '|',
      '&',
      ';',
      '$x',
      '((',
      '))',
      '>',
      '\\',
      '${x',
      'if',
      'fi',
      'done',
      'a[',
      ']=',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (words) => {
        const found = classify({ line: words.join(' ') }, where);
        expect(found.reason.length).toBeGreaterThan(0);
      }),
      { numRuns: timesOf(2000, 200), seed: 4 },
    );
  });
});
