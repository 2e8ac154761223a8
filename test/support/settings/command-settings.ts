/** What is seen of commands that need no worker. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Json } from '../../../src/core/schema/json.ts';
import { SOUND_SKILLS, writeSkill } from '../skills.ts';
import type { Story } from '../story.ts';
import { commandIn, settingGroup } from './setting-group.ts';

type Seen = Record<'disk' | 'doctor' | 'tools' | 'skills' | 'scan' | 'frame' | 'imported' | 'secrets' | 'jail', string>;

const PROGRAM = '#!/bin/sh\necho hello from shout\n';
const KEPT = { archive_days: 11, archive_mb: 12, artifact_days: 13, undo_days: 14, undo_mb: 15 };
const limits = { ...KEPT, outbox_days: 16, outbox_mb: 17 };

const foreign = {
  id: 'foreign',
  name: 'Shouts',
  version: '0.2',
  start: 'start',
  execution_defaults: { guarantee_mode: 'bounded' },
  nodes: [
    { node_id: 'start', type: 'start', output_schema: { type: 'any' }, next: 'shout' },
    {
      node_id: 'shout',
      type: 'tool',
      tool_name: 'shout_loudly',
      parameters: { path: 'a.txt', content: 'a' },
      input_schema: { type: 'any' },
      output_schema: { type: 'any' },
      next: 'end',
    },
    { node_id: 'end', type: 'end', input_schema: { type: 'any' } },
  ],
};

export const commandSettings = settingGroup<Seen>({
  name: 'commands',
  config: ({ home }): { [key: string]: Json } => ({
    $schema: './config.schema.json',
    memory: { model: 'nobody/nothing', model_download: true },
    maintenance: limits,
    sandbox: 'none',
    credentials: { DOOR: { env: 'DOOR_KEY', hosts: ['door.example'] } },
    tools: {
      wheels: 'no-wheels-here',
      binaries: {
        shout: { from: join(home.dir, 'shout'), sha256: createHash('sha256').update(PROGRAM).digest('hex') },
      },
    },
    graph_import: { tools: { shout_loudly: { tool: 'files.write' } } },
    skills: { folders: ['more-skills'] },
    tree: { roots: { other: 'elsewhere' }, max_file_mb: 0.001, frame_types: ['opinion'] },
  }),
  act: async (story) => {
    story.write('shout', PROGRAM);
    story.write('foreign.json', JSON.stringify(foreign));
    story.write('elsewhere/large.txt', 'x'.repeat(5000));
    story.write('elsewhere/small.txt', 'x');
    story.write('note.md', 'It is fine.');
    story.write('jail.md', '---\nid: jail\n---\n```bash\ngrep Seccomp: /proc/self/status > seen.txt\n```\n');
    for (const [name, files] of Object.entries(SOUND_SKILLS))
      writeSkill(join(story.home.dir, 'more-skills'), name, files);
    const other = ['--workspace', 'other'];
    const run = async (...words: string[]) => (await commandIn(story, { DOOR_KEY: 'open sesame' }, ...words)).text;
    await run('run', join(story.home.dir, 'jail.md'));
    return {
      jail: story.deskText('seen.txt') ?? '',
      disk: await run('status', '--disk'),
      doctor: await run('doctor'),
      tools: `${await run('tools', 'doctor')}\n${await run('tools', 'install', 'shout')}\n${await run('tools', 'list')}`,
      skills: await run('skills', 'list'),
      scan: `${await run('context', 'scan', ...other)}\n${await run('context', 'show', 'large.txt', ...other, '--json')}`,
      frame: await run(
        'context',
        'put-frame',
        'small.txt',
        join(story.home.dir, 'note.md'),
        '--type',
        'opinion',
        ...other,
      ),
      imported: `${await run('graph', 'import', join(story.home.dir, 'foreign.json'))}\n${graphs(story)}`,
      secrets: await run('secrets', 'list'),
    };
  },
  rows: {
    $schema: ({ doctor }) => expect(doctor).toMatch(/✓ config/), // any other name would be no setting
    sandbox: ({ jail }) => expect(jail).toMatch(/^Seccomp:\s+0$/m),
    'memory.model': ({ doctor }) => expect(doctor).toMatch(/memory .*\(nobody\/nothing\)/),
    'memory.model_download': ({ doctor }) => expect(doctor).toMatch(/✓ memory .*semantic search begins/),
    'maintenance.archive_days': ({ disk }) => expect(disk).toContain('is archived after 11 days'),
    'maintenance.archive_mb': ({ disk }) => expect(disk).toContain('beyond 12 MB'),
    'maintenance.artifact_days': ({ disk }) => expect(disk).toContain('after 13 days'),
    'maintenance.undo_days': ({ disk }) => expect(disk).toContain('after 14 days'),
    'maintenance.undo_mb': ({ disk }) => expect(disk).toContain('beyond 15 MB'),
    'maintenance.outbox_days': ({ disk }) => expect(disk).toContain('after 16 days'),
    'maintenance.outbox_mb': ({ disk }) => expect(disk).toContain('beyond 17 MB'),
    'tools.wheels': ({ tools }) => expect(tools).toMatch(/no-wheels-here is not there/),
    'tools.binaries': ({ tools }) => expect(tools).toMatch(/shout.*(?:1|installed)/),
    'skills.folders': ({ skills }) => expect(skills).toContain('csv-totals'),
    'tree.roots': ({ scan }) => expect(scan).toMatch(/^2 added/),
    'tree.max_file_mb': ({ scan }) => expect(scan).toMatch(/too large|not read|large/),
    'tree.frame_types': ({ frame }) => expect(frame).not.toMatch(/there is no|There is/),
    'graph_import.tools': ({ imported }) => expect(imported).toContain('files.write'),
    credentials: ({ secrets }) => expect(secrets).toMatch(/DOOR +from the variable DOOR_KEY/),
  },
});

function graphs({ home }: Story): string {
  try {
    return readFileSync(join(home.workspace, 'graphs/foreign.json'), 'utf8');
  } catch {
    return '';
  }
}
