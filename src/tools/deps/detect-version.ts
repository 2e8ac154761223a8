/** Things that are there, and too old. */
import { type Failure, type Found, foundBy, type Sign } from './failure.ts';

const multi = (source: string): RegExp => new RegExp(source, 'gm');

const SIGNS: readonly Sign[] = [
  {
    pattern: multi(String.raw`(lib[\w+-]+\.so\.\d+): version \x60([A-Z]+_[\d.]+)' not found`),
    need: ([, name = '', version = '']) => ({ kind: 'library', name, version }),
  },
  {
    pattern: multi(String.raw`^npm (?:error|ERR!) notsup Required:\s+\{[^}\n]*"node":"([^"]+)"`),
    need: ([, version = '']) => ({ kind: 'command', name: 'node', version }),
  },
  {
    pattern: multi(String.raw`The engine "node" is incompatible with this module\. Expected version "([^"]+)"`),
    need: ([, version = '']) => ({ kind: 'command', name: 'node', version }),
  },
  {
    pattern: multi(String.raw`requires a different Python: [\d.]+ not in '([^']+)'`),
    need: ([, version = '']) => ({ kind: 'command', name: 'python3', version }),
  },
  {
    pattern: multi(String.raw`CMake ([\d.]+) or higher is required\.\s+You are running version`),
    need: ([, version = '']) => ({ kind: 'command', name: 'cmake', version: `>=${version}` }),
  },
  {
    pattern: multi(String.raw`^go: (?:errors parsing )?go\.mod requires go >= ([\d.]+) \(running go`),
    need: ([, version = '']) => ({ kind: 'command', name: 'go', version: `>=${version}` }),
  },
  {
    pattern: multi(String.raw`requires rustc ([\d.]+) or newer, while the currently active rustc version is`),
    need: ([, version = '']) => ({ kind: 'command', name: 'rustc', version: `>=${version}` }),
  },
  {
    pattern: multi(
      String.raw`(?:[Rr]equires|needs|[Yy]ou need) Node(?:\.js)? (?:version )?(?:v|>=? ?|at least )?(\d+(?:\.\d+)*)[^\n]*(?:[Cc]urrent|[Yy]ou (?:are|have)|[Ff]ound|[Dd]etected|running)`,
    ),
    need: ([, version = '']) => ({ kind: 'command', name: 'node', version: `>=${version}` }),
  },
];

export function tooOld(failure: Failure): Found | null {
  return foundBy(SIGNS, failure);
}
