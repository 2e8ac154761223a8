import { z } from 'zod';
import { ConversationId, MessageId, SpeakerName } from './chat.ts';
import { Id, Instant } from './names.ts';
import { Budgets, Mode } from './run.ts';
import { scheduleFields } from './schedule.ts';

const HostName = z
  .string()
  .min(1)
  .max(253)
  .regex(
    /^(?:\*\.)?(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::\d{1,5})?$/i,
    'a host is a name such as api.example.org',
  );

export const TaskHost = z
  .union([
    HostName,
    z.strictObject({
      host: HostName.describe('The host.'),
      send: z.boolean().optional().describe('Whether it may also get what the task has read.'),
    }),
  ])
  .describe('A host that the task may read from, and with `send: true` also send to.');
export type TaskHost = z.infer<typeof TaskHost>;

/** Every field has an example: docs/TASKS.md is made from it. */
export const TaskFile = z
  .strictObject({
    id: Id.optional().meta({
      description:
        'Two files with the same id are one task. Without one, every file that is dropped is a task of its own.',
      examples: ['weekly-report-31'],
    }),
    title: z
      .string()
      .max(500)
      .optional()
      .meta({ description: 'Default: the first heading, else the file name.', examples: ['Totals by month'] }),
    accept: z
      .array(z.string('a criterion is one text, such as "rows: totals.csv >= 12"').max(2000))
      .max(50)
      .optional()
      .meta({
        description:
          'What must be true for the task to count as done: checks, such as "file: report.md", and sentences.',
        examples: [['file: report.md', 'The report is polite.']],
      }),
    steps: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether its code blocks are the steps of a runbook. Default: by what the task says; `oka check` shows which, and why.',
        examples: [true],
      }),
    repair: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether a model may plan other steps where those of a runbook failed or did not meet the criteria. Default: no.',
        examples: [true],
      }),
    mode: Mode.optional().meta({
      description:
        'How much freedom the run has: strict (every bound required), bounded (the default) or flex (loose).',
      examples: ['strict'],
    }),
    model: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'provider:model for this task alone.', examples: ['ollama:llama3.2'] }),
    budget: Budgets.optional().meta({
      description: 'Upper limits for this task; what is left out is limited by the policy.',
      examples: [{ usd: 0.5, seconds: 600 }],
    }),
    dir: z
      .string()
      .max(1000)
      .optional()
      .meta({ description: 'Folder of the desk to work in, and the only one that it changes.', examples: ['photos'] }),
    place: z
      .enum(['own', 'desk'])
      .optional()
      .meta({
        description:
          'own: a folder of its own on the desk, and of the rest of the desk what its plan names, so that it runs beside others; what you write on Now, in a conversation or a mail has it, unless it is a runbook. desk: all of the desk, as a file has it.',
        examples: ['own'],
      }),
    deadline: Instant.optional().meta({
      description: 'After this moment the task is not started any more.',
      examples: ['2026-12-24T18:00:00.000Z'],
    }),
    priority: z
      .int()
      .min(-100)
      .max(100)
      .optional()
      .meta({ description: 'Higher goes first; default 0.', examples: [10] }),
    tags: z
      .array(z.string().max(80))
      .max(50)
      .optional()
      .meta({ description: 'Words to find it by.', examples: [['sales', 'weekly']] }),
    ...scheduleFields,
    requires: z
      .array(z.string().max(200))
      .max(100)
      .optional()
      .meta({ description: 'Tools that must be there before it starts.', examples: [['ffmpeg', 'node:marked']] }),
    needs: z
      .array(z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,79}$/, 'a label is lower-case letters, digits, dot, dash'))
      .max(20)
      .optional()
      .meta({ description: 'Labels that a member of the fleet must have to take it.', examples: [['gpu', 'zone-eu']] }),
    public: z
      .array(z.string().min(1).max(1000))
      .max(100)
      .optional()
      .meta({
        description: 'Globs of files on the desk that are no secret: having read them restricts no web request.',
        examples: [['site/**']],
      }),
    hosts: z
      .array(TaskHost)
      .max(100)
      .optional()
      .meta({
        description:
          'Hosts that a model may read from. With `send: true` it may also send what it has read there, in an address; without, it is asked about.',
        examples: [['docs.example.org', { host: 'api.example.org', send: true }]],
      }),
    reads: z
      .array(z.string().min(1).max(1000))
      .max(20)
      .optional()
      .meta({
        description:
          'Folders that it reads. Of the desk, by their paths below it: then it waits while another task changes them, and they wait for it. Outside the desk, by absolute paths: the policy allows them, or you are asked.',
        examples: [['prices', '~/Documents']],
      }),
    writes: z
      .array(z.string().min(1).max(1000))
      .max(20)
      .optional()
      .meta({
        description:
          'Folders that it changes. Of the desk, by their paths below it: then it changes no other, and runs beside tasks that work elsewhere. Outside the desk, by absolute paths: the policy allows them, or you are asked.',
        examples: [['reports', '/srv/backup']],
      }),
    corrects: Id.optional().meta({
      description: 'The finished run that this task corrects.',
      examples: ['report-1a2b3c4d'],
    }),
    from_chat: z
      .strictObject({
        conversation: ConversationId,
        message: MessageId.describe('The message that the agent answered.'),
        agent: SpeakerName.describe('The agent.'),
      })
      .optional()
      .meta({
        description:
          'Written by oka when an agent starts a task in a conversation. The text then has the rights of a model: its code blocks are not run as they are, and it opens no host.',
        examples: [{ conversation: '01jd3k5m7abc', message: '01jd3k5m7xyz', agent: 'oka' }],
      }),
  })
  .describe('Front matter of a task file; every field is optional.');
export type TaskFile = z.infer<typeof TaskFile>;
