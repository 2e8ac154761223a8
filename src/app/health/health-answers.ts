/** What the queries of the page Health answer. */
import { z } from 'zod';
import { eventData } from '../../core/schema/event.ts';
import { Id, Instant } from '../../core/schema/names.ts';

const count = z.int().nonnegative();

export const HealthAnswer = z
  .strictObject({
    version: z.string().describe('Version of oka.'),
    node: z.string().describe('Version of Node.'),
    dir: z.string().describe('The folder of the home.'),
    state: z.enum(['running', 'paused', 'stopped', 'silent', 'none']).describe('How the worker stands.'),
    worker: z
      .strictObject({
        pid: z.int().describe('Its process.'),
        host: z.string().describe('Its machine or container.'),
        since: Instant.describe('Since when.'),
      })
      .nullable()
      .describe('The worker; null when none is running.'),
    silent_ms: z
      .number()
      .nullable()
      .describe('How long it has not responded; null while it does, and 0 when it has not responded yet.'),
    stopped: z.boolean().describe('Whether .oka/STOP halts everything.'),
    paused: z.boolean().describe('Whether no new task begins.'),
    model: z.string().nullable().describe('The model that is set.'),
    rules_problem: z.string().nullable().describe('What is wrong with config.json or POLICY.md.'),
    history_problem: z
      .strictObject({ what: z.string(), fix: z.string() })
      .nullable()
      .describe('What is lost or damaged of the history.'),
    disk: z
      .strictObject({ free: z.number().describe('Free bytes.'), total: z.number().describe('All bytes.') })
      .nullable()
      .describe('The disk that .oka is on.'),
    ledgers: z
      .strictObject({ run: count.describe('Bytes of the run ledger.'), maintenance: count.describe('Of the other.') })
      .describe('How large the ledgers are, before compression.'),
    sandbox: eventData['sandbox.chosen']
      .extend({ at: Instant.describe('When the worker found it.') })
      .nullable()
      .describe('How commands are sandboxed; null before the first worker.'),
    files: z
      .strictObject({ config: z.string().describe('The settings.'), policy: z.string().describe('The rules.') })
      .describe('The files to edit.'),
  })
  .describe('How the home is doing.');

export const DiskAnswer = z
  .strictObject({
    dir: z.string().describe('The folder of the home.'),
    parts: z
      .array(
        z.strictObject({
          part: z.string().describe('What it is.'),
          path: z.string().describe('Where it is, below the home.'),
          bytes: count.describe('What it takes of the disk.'),
          goes: z.string().describe('Whether it goes by itself, and when.'),
        }),
      )
      .describe('Everything that a home has.'),
    bytes: count.describe('All of it.'),
    now: z
      .strictObject({
        artifacts: count.describe('Artifacts.'),
        outbox: z.array(z.string()).describe('Results.'),
        tools: z.array(z.string()).describe('Old versions of tools.'),
        bytes: count.describe('What they take.'),
      })
      .nullable()
      .describe('What tidying would remove now; null when nothing is set that removes anything.'),
  })
  .describe('What takes how much of the disk, and what of it goes when.');

export const FindingsAnswer = z
  .strictObject({
    healthy: z.boolean().describe('Whether nothing is broken.'),
    findings: z
      .array(
        z.strictObject({
          state: z.enum(['good', 'odd', 'bad']).describe('Good, worth a check, or broken.'),
          what: z.string().describe('What it is about.'),
          found: z.string().describe('What was found.'),
          fix: z.string().optional().describe('What to do about it.'),
        }),
      )
      .describe('Everything that was examined.'),
  })
  .describe('What oka doctor finds, as the process of the dashboard sees it.');

export const EgressAnswer = z
  .strictObject({
    decisions: z
      .array(
        eventData['egress.decided'].extend({
          seq: z.int().positive().describe('The event.'),
          at: Instant.describe('When.'),
          run: Id.nullable().describe('The run that asked.'),
        }),
      )
      .describe('The latest first.'),
    next: z.int().positive().nullable().describe('Pass it as `before` for the next page.'),
    hosts: z
      .array(
        z.strictObject({
          host: z.string().describe('The host.'),
          port: count.describe('The port.'),
          allowed: count.describe('How often it was allowed.'),
          refused: count.describe('How often it was refused.'),
          last: Instant.describe('When it was asked for last.'),
          reason: z.string().describe('What was decided last, and why.'),
          runs: z.array(Id).describe('The latest runs that asked, the latest last.'),
        }),
      )
      .describe('By host.'),
  })
  .describe('Where commands wanted to go, and what was decided.');
