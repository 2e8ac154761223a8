/**
 * Owns: the tool `skill.run`, which runs a script of a skill on the desk.
 *
 * 1. The script runs in the sandbox of a local write of a model: the desk can be written, the copy of the skill only read,
 *    and there is no network. It is judged by the policy like every other call.
 * 2. What runs is the accepted copy, never the folder that the skill came from.
 * 3. A skill that states `allowed-tools` without one that runs programs has no scripts that run: what it states is a limit.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { SkillHeader } from '../../../core/schema/skill.ts';
import type { Tool } from '../../../core/schema/tool.ts';
import { launch } from '../../../kit/sandbox/launch.ts';
import type { SkillFile } from '../../../kit/skills/skill-folder.ts';
import { withFolder, Path } from './desk-place.ts';
import { defineTool, failure, Refused } from '../../../kit/define-tool.ts';
import { outcomeFromWitness, type ShellOptions } from './shell.ts';
import { SkillName, type UseSkill } from '../../../kit/skills/skill-texts.ts';

const Input = z.strictObject({
  skill: SkillName,
  script: z.string().min(1).max(1000).describe('The script, as skill.use names it, such as scripts/total.py.'),
  args: z.array(z.string().max(10_000)).max(100).default([]).describe('Its arguments; paths are relative to `dir`.'),
  dir: Path.default('.').describe('The folder to start in, below the desk.'),
  timeout_seconds: z.number().positive().max(86_400).default(600).describe('After this time it is stopped.'),
});

const Output = z.object({ exit: z.int().nullable(), stdout: z.string(), stderr: z.string() }).loose();

const LIMIT_BYTES = 4_194_304;

type SkillRunOptions = Pick<ShellOptions, 'desk' | 'env' | 'sandbox' | 'artifacts' | 'live'> & { use: UseSkill };

export function skillRunTool({ desk, env, sandbox, artifacts, live, use }: SkillRunOptions): Tool {
  return defineTool({
    name: 'skill.run',
    about: 'Runs a script of a skill in the desk and gives what it wrote. A status other than 0 is a failure.',
    input: Input,
    output: Output,
    annotations: { destructive: true, risk: 'high' },
    targets: ['skill', 'script', 'args', 'dir'],
    class: 'write_local',
    act: async ({ skill: name, script, args, dir, timeout_seconds }, call) => {
      const skill = use(name);
      const file = skill.files.find(({ path }) => path === script);
      if (file === undefined)
        throw failure(`${name} has no file ${script}`, `It has: ${skill.files.map(({ path }) => path).join(', ')}`);
      const program = interpreterOf(file);
      assertAllowed(skill.header, program);
      const cwd = await withFolder(desk, dir, async (folder) => folder.real);
      const timeoutMs = timeout_seconds * 1000;
      const command = { argv: [program, join(skill.folder, script), ...args] };
      const provided = await sandbox?.(call, command, { net: false, readable: [skill.folder], timeoutMs });
      if (provided?.kind === 'refused') return { status: 'denied', error: provided.reason };
      await using _ = provided;
      const done = await launch(command, {
        cwd,
        env: { ...env, ...provided?.env, SKILL_DIR: skill.folder },
        signal: call.signal,
        timeoutMs,
        outputLimitBytes: LIMIT_BYTES,
        ...(provided?.scratch === undefined ? {} : { scratch: provided.scratch }),
        ...(provided?.launch === undefined ? {} : { sandbox: provided.launch }),
        ...(live === undefined ? {} : { onOutput: (chunk) => live.output(call, chunk) }),
      });
      live?.end(call);
      return outcomeFromWitness(done, { argv: [program, script], timeout_seconds }, call.class, artifacts);
    },
  });
}

const BY_ENDING: Readonly<Record<string, string>> = {
  py: 'python3',
  sh: 'bash',
  bash: 'bash',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
};

/** By the first line of a script, else by the ending of its name. */
function interpreterOf({ path, content }: SkillFile): string {
  const [first = ''] = content.subarray(0, 200).toString('utf8').split('\n', 1);
  const named = /^#!\s*(?:\/usr)?\/bin\/(?:env\s+)?([\w.+-]+)\s*$/.exec(first)?.[1];
  const found = named ?? BY_ENDING[/\.(\w+)$/.exec(path)?.[1] ?? ''];
  if (found !== undefined) return found === 'sh' ? 'sh' : found;
  throw failure(
    `${path} is no script that can be run`,
    'Its first line must name its program, such as #!/usr/bin/env python3.',
  );
}

/** Names under which skills ask for a shell. */
const SHELLS = /^(?:bash|shell|skill\.run)(?:\((.*)\))?$/i;

function assertAllowed({ name, 'allowed-tools': allowed }: SkillHeader, program: string): void {
  if (allowed === undefined) return;
  const patterns = splitTools(allowed).flatMap((entry) => {
    const match = SHELLS.exec(entry);
    return match === null ? [] : [match[1] ?? '*'];
  });
  if (patterns.some((pattern) => isProgramIn(pattern, program))) return;
  throw new Refused(
    `${name} states allowed-tools: ${allowed.slice(0, 200)}, so it runs nothing with ${program}`,
    `Its author would have to add Bash(${program}:*) to allowed-tools.`,
  );
}

/** Separated by spaces, except for those inside brackets. */
const splitTools = (text: string): string[] => text.match(/[^\s(,]+(?:\([^)]*\))?/g) ?? [];

/** `python3:*`, `python3 *`, `python3` and `*`. */
const isProgramIn = (pattern: string, program: string): boolean => {
  const [first = ''] = pattern.split(/[:\s]/, 1);
  return first === '*' || first === program;
};
