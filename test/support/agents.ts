import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { agentFile } from '../../src/kit/agents/home-agents.ts';
import type { Home } from '../../src/core/schema/home.ts';

/** Writes the file of an agent. */
export function writeAgent(home: Home, name: string, frontMatter: string, persona = 'An agent.'): void {
  const file = agentFile(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `---\n${frontMatter}\n---\n${persona}\n`);
}
