import { z } from 'zod';
import { CredentialsConfig } from './credential.ts';
import { MaintenanceConfig } from './maintenance.ts';
import { MemoryConfig } from './memory.ts';
import { ModelsConfig } from './model.ts';
import { Sha256 } from './names.ts';
import { ReplicaConfig } from './replica.ts';
import { Language } from './spoken-language.ts';

const hookLine = z.string().min(1).max(4000);
const hook = z.union([
  hookLine,
  z.strictObject({
    line: hookLine.describe('The shell line.'),
    net: z.array(z.string().max(253)).max(20).describe('The hosts that it may reach.'),
  }),
]);

export const Config = z
  .strictObject({
    $schema: z.string().optional().describe('The JSON schema of this file, for editors.'),
    language: Language.optional().describe(
      'The language of RESULT.md, and of the dashboard in every browser. Without it, RESULT.md is in English and the dashboard in the language that the browser asks for.',
    ),
    ledger: z
      .strictObject({
        snapshot_events: z
          .int()
          .min(1)
          .max(1_000_000)
          .default(1000)
          .describe('Write projections at the latest after this many events.'),
        snapshot_ms: z
          .int()
          .min(10)
          .max(60_000)
          .default(250)
          .describe('Write projections at the latest after this many milliseconds.'),
        reserve_kb: z
          .int()
          .min(4)
          .max(65_536)
          .default(64)
          .describe('Disk space that is reserved, so that a full disk can still be recorded.'),
        segment_mb: z.int().min(1).max(512).default(16).describe('Size of one archive segment before compression.'),
      })
      .prefault({})
      .describe('The append-only log.'),
    inbox: z
      .strictObject({
        settle_ms: z
          .int()
          .min(0)
          .max(600_000)
          .default(2000)
          .describe(
            'A file counts as delivered once it has not changed for this many milliseconds; a folder, after five times as long.',
          ),
        rescan_ms: z
          .int()
          .min(100)
          .max(600_000)
          .default(15_000)
          .describe('The inbox is scanned at least every so many milliseconds.'),
        parallel: z
          .int()
          .min(1)
          .max(64)
          .optional()
          .describe(
            'How many tasks are worked on at once, counting those that a restart resumes, and not those that wait for the desk. Default: the cores of the machine, at least 4, since most of a task is waiting.',
          ),
      })
      .prefault({})
      .describe('How tasks are accepted.'),
    memory: MemoryConfig.prefault({}),
    maintenance: MaintenanceConfig.prefault({}),
    models: ModelsConfig.prefault({}).describe('Language models: which, and how they are called.'),
    replica: ReplicaConfig.prefault({}),
    credentials: CredentialsConfig.default({}),
    hooks: z
      .strictObject({
        before_run: hook.describe('Before the first step; if it fails or says "veto: reason", the run fails.'),
        after_run: hook.describe('After the last step.'),
        before_node: hook.describe(
          'Before each call of a step, and before a step that ends without one; if it fails or says "veto: reason", the step fails.',
        ),
        after_node: hook.describe('After each call that succeeded, and each step that ended without one.'),
        on_error: hook.describe('After each call that failed or was denied, and each step that failed without one.'),
      })
      .partial()
      .prefault({})
      .describe(
        'Shell lines to run at these moments, through the same chain as every call; each gets a JSON document on stdin.',
      ),
    sandbox: z
      .enum(['jail', 'none'])
      .default('jail')
      .describe(
        'jail: commands run in a sandbox that the kernel enforces, and a command that a model wrote runs only there. none: commands run without a sandbox.',
      ),
    tools: z
      .strictObject({
        wheels: z.string().max(4000).optional().describe('A folder of Python wheels; searched before the index.'),
        binaries: z
          .record(
            z.string().regex(/^[A-Za-z0-9][\w.+-]{0,99}$/),
            z.strictObject({
              from: z
                .string()
                .max(2000)
                .describe('An https address or a file: the program itself, or a .tar.gz that contains it.'),
              sha256: Sha256.describe('Hash of the download; anything else is refused.'),
              path: z.string().max(1000).optional().describe('Path of the program in the archive.'),
              version: z.string().max(100).default('1').describe('What to call this version.'),
            }),
          )
          .default({})
          .describe('Programs that may be fetched, by the name of the command.'),
      })
      .prefault({})
      .describe('Where tools come from, besides the configured registries of npm and pip.'),
    rate_limits: z
      .record(
        z.string(),
        z.strictObject({
          calls: z.int().positive().describe('At most this many.'),
          seconds: z.number().positive().describe('Within this time.'),
        }),
      )
      .default({})
      .describe(
        'By tool name, or by host:example.org. In a fleet the calls of all homes count, if they reach something outside.',
      ),
  })
  .describe('Settings, in .oka/rules/config.json. People edit it; the assistant cannot.');
export type Config = z.infer<typeof Config>;
/** Without the parts that rooms contribute. Made once: a schema is compiled when it is first used. */
export const OwnConfig = Config.strip();
