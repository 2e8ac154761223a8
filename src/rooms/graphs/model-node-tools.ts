/** The tools by which nodes of people's graphs ask models. */
import type { Tool } from '../../core/schema/tool.ts';
import { chooseTool } from './choose-tool.ts';
import { type ContextOf, templateTool } from './template-tool.ts';

export const modelNodeTools = (contextOf: ContextOf): Tool[] => [templateTool(contextOf), chooseTool(contextOf)];
