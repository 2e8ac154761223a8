/** Owns: the hint about a fence without a language, which is read as text and most likely was meant to run. */
import { fenceLanguage } from './fence-info.ts';
import { parseBlocks } from './markdown-blocks.ts';

/** One sentence for each such fence of a task. */
export function hintsAtUnmarkedFences(body: string, firstLine: number): string[] {
  if (!/^[ \t]*(?:[-+*\d.)]+[ \t]+)*(?:`{3,}|~{3,})[ \t]*\r?$/m.test(body)) return [];
  return parseBlocks(body, firstLine).blocks.flatMap((block) =>
    block.kind === 'fence' && fenceLanguage(block.info) === '' && block.code.trim() !== ''
      ? [`line ${block.line}: this block has no language and is not run; write \`\`\`bash if it is a step`]
      : [],
  );
}
