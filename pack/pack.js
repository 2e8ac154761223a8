/**
 * `npm run pack`: a tarball that can be installed anywhere: npm install --global --ignore-scripts oka-*.tgz
 * Beside it: what it is made of (CycloneDX), under which licences, from what it was made (SLSA), and the checksums of all.
 *
 * It is packed from a folder of its own, since an installed package differs from a checkout:
 * - Node refuses TypeScript below node_modules, so the program is plain JavaScript in lib/.
 * - npm ignores the lock file and the overrides of an installed package. So the packages it needs are in the tarball, as the
 *   lock file lists them and without what is never loaded (lean-packages.ts); installing it needs no network.
 * - Only the Node that comes along is fetched, where there is none for this machine yet and the registry has it.
 * - Large packages that not everybody needs come as add-ons (src/rooms/add-ons).
 */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { leanPackages } from '../src/rooms/add-ons/lean-packages.ts';
import { packedFiles } from './packed-files.ts';

/** The relative path of a module: in an import, an export, a dynamic import, or the address of a worker thread. */
const MODULE_PATH = /(\bfrom |\bimport |\bimport\(|new URL\()'(\.{1,2}\/[^'\n]+)\.ts'/g;

const top = join(import.meta.dirname, '..');
const stage = mkdtempSync(join(tmpdir(), 'oka-pack-'));
try {
  for (const { from, to } of packedFiles()) {
    mkdirSync(dirname(join(stage, to)), { recursive: true });
    if (from.endsWith('.ts') && to.endsWith('.js')) writeModule(from, join(stage, to));
    else cpSync(join(top, from), join(stage, to));
  }
  copyPackages();
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  const target = process.argv[2] ?? top;
  npm(['pack', stage, '--pack-destination', target], 'inherit');
  const { name, version } = manifest();
  writeBesides(join(target, `${name}-${version}`));
} finally {
  rmSync(stage, { recursive: true });
}

function npm(words, stdout) {
  const { status, stdout: printed } = spawnSync('npm', words, {
    cwd: top,
    stdio: ['ignore', stdout, 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm ${words.join(' ')} ended with ${status}`);
  return printed;
}

/** The list of components, their licences, and checksums, for the tarball of that name. */
function writeBesides(base) {
  const bom = JSON.parse(
    npm(['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'], 'pipe'),
  );
  const isForWork = ({ properties = [] }) => properties.some(({ name }) => name === 'cdx:npm:package:development');
  bom.components = bom.components.filter((each) => !isForWork(each)); // --omit dev leaves out some that are needed, too
  const refs = new Set([...bom.components, bom.metadata.component].map((each) => each['bom-ref']));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
  bom.metadata.component.name = manifest().name; // npm takes the name of the folder
  const parts = bom.components.map(({ name, version, licenses = [] }) => {
    const named = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name);
    return `${name} ${version}  ${named.join(', ') || 'not stated in its package.json'}\n`;
  });
  const files = [`${base}.tgz`, `${base}.sbom.json`, `${base}.licences.txt`, `${base}.provenance.json`];
  writeFileSync(files[1], `${JSON.stringify(bom, null, 2)}\n`);
  writeFileSync(files[2], parts.toSorted().join(''));
  writeFileSync(files[3], `${JSON.stringify(provenanceOf(files[0]), null, 2)}\n`);
  const sums = files.map((file) => `${hash('sha256', readFileSync(file))}  ${basename(file)}\n`);
  writeFileSync(join(dirname(base), 'SHA256SUMS'), sums.join(''));
}

/** What the tarball was made from, as a statement of in-toto with the predicate of SLSA; whoever publishes it signs it. */
function provenanceOf(tarball) {
  const git = (...words) => spawnSync('git', words, { cwd: top, encoding: 'utf8' }).stdout?.trim() ?? '';
  const digest = (file) => ({ sha256: hash('sha256', readFileSync(file)) });
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: basename(tarball), digest: digest(tarball) }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run pack',
        externalParameters: {},
        internalParameters: { node: process.version, changed: git('status', '--porcelain') !== '' },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: git('rev-parse', 'HEAD') } },
          { name: 'package-lock.json', digest: digest(join(top, 'package-lock.json')) },
        ],
      },
      runDetails: { builder: { id: 'pack/pack.js' } },
    },
  };
}

function writeModule(file, output) {
  const code = stripTypeScriptTypes(readFileSync(join(top, file), 'utf8'), { mode: 'strip' });
  const written = code.replaceAll(MODULE_PATH, "$1'$2.js'");
  const left = /'\.{1,2}\/[^'\n]*\.ts'/.exec(written);
  if (left !== null) throw new Error(`${file}: ${left[0]} would not be found in the package`);
  writeFileSync(output, written);
}

/** Those that the lock file lists for every installation, without what is never loaded. */
function copyPackages() {
  const { packages } = JSON.parse(readFileSync(join(top, 'package-lock.json'), 'utf8'));
  for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
    if (path === '' || dev || optional || devOptional) continue;
    const isOwn = (file) => !file.startsWith(join(top, path, 'node_modules'));
    cpSync(join(top, path), join(stage, path), { recursive: true, filter: isOwn });
  }
  leanPackages(join(stage, 'node_modules'));
}

function manifest() {
  const { name, version, description, license, type, bin, engines, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(top, 'package.json'), 'utf8'),
  );
  const nodes = Object.entries(optionalDependencies).filter(([each]) => each.startsWith('node-'));
  return {
    name,
    version,
    description,
    license,
    type,
    bin,
    engines,
    oka: { home: 1 }, // by this `oka update` knows its own kind (app/update/find-release.ts)
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    optionalDependencies: Object.fromEntries(nodes),
  };
}
