/** Things that are there, and too old. */
import { type Failure, type Found, matchSigns, type Sign } from './command-failure.ts';

const multiline = (source: string): RegExp => new RegExp(source, 'gm');

const SIGNS: readonly Sign[] = [
  {
    pattern: multiline(String.raw`(lib[\w+-]+\.so\.\d+): version \x60([A-Z]+_[\d.]+)' not found`),
    need: ([, name = '', version = '']) => ({ kind: 'library', name, version }),
  },
  {
    pattern: multiline(String.raw`^npm (?:error|ERR!) notsup Required:\s+\{[^}\n]*"node":"([^"]+)"`),
    need: ([, version = '']) => ({ kind: 'command', name: 'node', version }),
  },
  {
    pattern: multiline(String.raw`The engine "node" is incompatible with this module\. Expected version "([^"]+)"`),
    need: ([, version = '']) => ({ kind: 'command', name: 'node', version }),
  },
  {
    pattern: multiline(String.raw`requires a different Python: [\d.]+ not in '([^']+)'`),
    need: ([, version = '']) => ({ kind: 'command', name: 'python3', version }),
  },
  {
    pattern: multiline(String.raw`CMake ([\d.]+) or higher is required\.\s+You are running version`),
    need: ([, version = '']) => ({ kind: 'command', name: 'cmake', version: `>=${version}` }),
  },
  {
    pattern: multiline(String.raw`^go: (?:errors parsing )?go\.mod requires go >= ([\d.]+) \(running go`),
    need: ([, version = '']) => ({ kind: 'command', name: 'go', version: `>=${version}` }),
  },
  {
    pattern: multiline(String.raw`requires rustc ([\d.]+) or newer, while the currently active rustc version is`),
    need: ([, version = '']) => ({ kind: 'command', name: 'rustc', version: `>=${version}` }),
  },
  {
    pattern: multiline(
      String.raw`(?:[Rr]equires|needs|[Yy]ou need) Node(?:\.js)? (?:version )?(?:v|>=? ?|at least )?(\d+(?:\.\d+)*)[^\n]*(?:[Cc]urrent|[Yy]ou (?:are|have)|[Ff]ound|[Dd]etected|running)`,
    ),
    need: ([, version = '']) => ({ kind: 'command', name: 'node', version: `>=${version}` }),
  },
];

export function detectTooOld(failure: Failure): Found | null {
  return matchSigns(SIGNS, failure);
}
