/** Owns: what tools have in common that look into accounts: they change nothing, and what they give is private. */
import type { z } from 'zod';
import type { Tool } from '../../core/schema/tool.ts';
import { defineTool } from '../../kit/define-tool.ts';

type Definition<Input extends z.ZodType> = Parameters<typeof defineTool<Input>>[0];
type Reading<Input extends z.ZodType> = Pick<Definition<Input>, 'name' | 'about' | 'input' | 'output' | 'act'>;

export const readingTool = <Input extends z.ZodType>(definition: Reading<Input>): Tool =>
  defineTool({
    ...definition,
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    parallel: true,
    class: 'read',
  });
