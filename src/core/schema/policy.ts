import { z } from 'zod';
import { DayBudget } from './day-budget.ts';
import { PolicyFolder } from './folder.ts';
import { Budgets } from './run.ts';
import { SideEffectClass } from './effect.ts';
import { ToolAnnotations } from './tool.ts';

export const Effect = z
  .enum(['allow', 'ask', 'deny'])
  .describe('What happens to a call: it runs, a person is asked, it is refused.');
export type Effect = z.infer<typeof Effect>;

export const PolicyRule = z
  .strictObject({
    effect: Effect,
    why: z.string().max(500).optional().describe('Shown to a person when the rule decides.'),
    tool: z.string().min(1).max(120).optional().describe('Tool name; * at the end matches a family.'),
    class: SideEffectClass.optional(),
    program: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('A program that a command starts. allow: it starts no other. ask, deny: it starts this one, too.'),
    path: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        'Glob over the paths a call names, relative to the desk; ** matches any number of folders. allow: all of them match. ask, deny: one does.',
      ),
    host: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe('Host name; *.example.org matches below. allow: all hosts of a call match. ask, deny: one does.'),
    send: z
      .boolean()
      .optional()
      .describe(
        'For an allow rule with a host: whether requests there may carry what a run has read. Left out, they may if the rule also allows changes there.',
      ),
    risk: ToolAnnotations.shape.risk
      .unwrap()
      .optional()
      .describe("The tool's own risk. allow: at most this. ask, deny: at least this."),
    destructive: z.boolean().optional().describe('Whether the tool may remove what cannot be recreated.'),
    examples: z
      .array(z.string().min(1).max(2000))
      .max(50)
      .default([])
      .describe('Commands this rule must match; checked when the policy is loaded.'),
  })
  .describe('One rule; every field that is given must match.');
export type PolicyRule = z.infer<typeof PolicyRule>;

const McpClass = z
  .strictObject({
    tool: z
      .string()
      .max(120)
      .regex(/^mcp\.[A-Za-z0-9_-]+\.(?:\*|[^*]+\*?)$/)
      .describe('A tool such as mcp.memory.read_graph, or with * at the end all that begin so, such as mcp.memory.*'),
    class: SideEffectClass,
  })
  .describe('What the calls of tools of an MCP server may change, because you know it.');

export const Policy = z
  .strictObject({
    version: z.literal(1).describe('Format of this file.'),
    defaults: z
      .strictObject({
        read: Effect,
        write_local: Effect,
        external_mutation: Effect,
        deny: z.literal('deny').describe('The class deny is always refused.'),
      })
      .describe('What happens to a class when no rule matches.'),
    budgets: Budgets.describe('Limits of one run unless the task sets lower ones.'),
    day_budget: DayBudget.optional(),
    approvals: z
      .strictObject({
        expire_hours: z
          .number()
          .positive()
          .max(8760)
          .default(24)
          .describe('How long a question stays open; after that the answer is no.'),
      })
      .prefault({})
      .describe('How people are asked.'),
    web: z
      .strictObject({
        links: z
          .enum(['follow', 'ask'])
          .default('follow')
          .describe('Whether a link on a page may be followed, unchanged, after the run has read something private.'),
      })
      .prefault({})
      .describe('Reading the web by tasks that a model works on.'),
    installs: z
      .strictObject({
        min_age_days: z
          .number()
          .min(0)
          .max(365)
          .default(3)
          .describe('Releases younger than this are not installed: a bad one is mostly found within days.'),
        unknown_age: z
          .enum(['refuse', 'take'])
          .default('refuse')
          .describe('What to do with a Python release whose age neither index nor server gives.'),
        scripts: z
          .array(z.string().min(1).max(214))
          .max(200)
          .default([])
          .describe('npm packages whose install scripts may run, without the network; of all others none runs.'),
        most_mb: z
          .int()
          .positive()
          .max(100_000)
          .default(1000)
          .describe('Largest size of a package with its dependencies.'),
        most_seconds: z.int().positive().max(7200).default(600).describe('An installation may take this long.'),
      })
      .prefault({})
      .describe(
        'Limits for packages that oka installs into .oka/tools. Whether one is installed at all is decided by rules about the tool deps.install.',
      ),
    folders: z
      .array(PolicyFolder)
      .max(100)
      .default([])
      .describe('Folders outside the desk that tasks may use. A task that names another one is asked about.'),
    mcp: z
      .array(McpClass)
      .max(500)
      .default([])
      .describe(
        'Classes of tools of MCP servers; the first entry that matches counts. All others are external_mutation, whatever their server says.',
      ),
    rules: z
      .array(PolicyRule)
      .max(1000)
      .default([])
      .describe(
        'Exceptions to the defaults. In this order: the class deny is refused; a matching deny rule refuses; a change whose target came out of a tool is asked about; a matching ask rule asks; a matching allow rule allows; otherwise the default of the class applies.',
      ),
  })
  .describe('Front matter of .oka/rules/POLICY.md: what is allowed.');
export type Policy = z.infer<typeof Policy>;
