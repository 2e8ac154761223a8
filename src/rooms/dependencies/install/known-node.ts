/** Which npm package a command comes in, and modules that are known by name. */

/** `command package`; one name alone means that both are called so. */
const COMMANDS = parseTable(`
  cowsay / cowthink cowsay / figlet figlet-cli / lolcatjs / prettier / tsx / tsc typescript / eslint
  stylelint / standard / xo / esbuild / rollup / vite / parcel / swc @swc/cli / babel @babel/cli
  terser / uglifyjs uglify-js / cleancss clean-css-cli / html-minifier / html-minifier-terser / htmlhint / csslint / postcss postcss-cli
  sass / lessc less / tailwindcss @tailwindcss/cli / svgo / ejs / mustache / handlebars
  markdownlint markdownlint-cli / markdownlint-cli2 / marked / remark remark-cli / showdown / mdpdf / doctoc / markdown-toc
  jest / vitest / mocha / ava / c8 / nyc / playwright / cypress / wdio @wdio/cli / nodemon / pm2 / concurrently / npm-run-all
  rimraf / mkdirp / cpy cpy-cli / cpx / del del-cli / trash trash-cli / onchange / chokidar chokidar-cli / wait-on
  http-server / serve / live-server / json-server / browser-sync / lighthouse / autocannon / artillery
  ts-node / typedoc / tsup / ncc @vercel/ncc / pkg @yao-pkg/pkg / depcheck / npm-check / ncu npm-check-updates / license-checker
  json2csv @json2csv/cli / csvtojson / json5 / jsonlint / json-diff / jsonpath-plus / jqn jq.node / fx
  js-yaml / yaml2json yamljs / json2yaml yamljs / xml-js / ajv ajv-cli / prisma / knex
  mmdc @mermaid-js/mermaid-cli / vg2png vega-cli / vg2svg vega-cli / vl2svg vega-lite / katex / tldr / cloc / sort-package-json
  commitlint @commitlint/cli / husky / lint-staged / semantic-release / release-it / conventional-changelog conventional-changelog-cli / lerna / nx / turbo
  pnpm / yarn / corepack / n / zx / degit / tiged / np / envinfo / is-online is-online-cli / dotenv dotenv-cli
  cross-env / env-cmd / uuid / nanoid / qrcode / pino-pretty / bunyan / loadtest / webtorrent webtorrent-cli / biome @biomejs/biome
  oxlint / dprint / knip / madge / publint / attw @arethetypeswrong/cli / wrangler / vercel / netlify netlify-cli / firebase firebase-tools
  emoj / fkill fkill-cli / speed-test / wifi-password wifi-password-cli / public-ip public-ip-cli / pageres pageres-cli / cspell / alex / write-good
`);

/** Programs that npm packages carry for each kind of machine: the package and the place of the program in it. */
const CARRIED: Readonly<Record<string, (machine: Machine) => Carried>> = {
  rg: ({ os, cpu }) => ({ package: `@vscode/ripgrep-${os}-${cpu}`, files: { rg: 'bin/rg' } }),
};

export type Machine = { os: string; cpu: string };
type Carried = { package: string; files: Record<string, string> };

/** Modules that scripts ask for by name; others are asked about before they are installed. */
const MODULES = new Set(
  `lodash underscore ramda axios got node-fetch undici superagent request express koa fastify hapi cheerio jsdom puppeteer
  puppeteer-core playwright playwright-core moment dayjs date-fns luxon uuid nanoid chalk kleur picocolors commander yargs minimist
  inquirer prompts ora glob fast-glob globby chokidar fs-extra rimraf mkdirp csv-parse csv-parser csv-stringify papaparse xlsx exceljs
  pdfkit pdf-lib pdf-parse docx mammoth marked markdown-it remark unified gray-matter js-yaml yaml toml ini dotenv xml2js fast-xml-parser
  sharp jimp canvas qrcode handlebars mustache ejs pug nunjucks async bluebird rxjs p-limit p-queue p-map execa shelljs cross-spawn
  ws socket.io socket.io-client pg mysql mysql2 sqlite3 better-sqlite3 mongodb mongoose redis ioredis knex sequelize typeorm prisma
  zod joi ajv validator typescript ts-node tsx esbuild rollup webpack vite jest vitest mocha chai sinon supertest nock winston pino
  debug semver ms bytes mime mime-types iconv-lite archiver adm-zip jszip tar unzipper nodemailer imapflow mailparser jsonwebtoken
  bcrypt bcryptjs crypto-js openai @anthropic-ai/sdk ai react react-dom vue svelte preact d3 three chart.js mathjs decimal.js bignumber.js`.split(
    /\s+/,
  ),
);

export const nodeCommand = (command: string): string | undefined => COMMANDS.get(command);
export const carriedCommand = (command: string, machine: Machine): Carried | undefined =>
  Object.hasOwn(CARRIED, command) ? CARRIED[command]?.(machine) : undefined;

const packages = new Set(COMMANDS.values());

export function isKnownPackage(name: string): boolean {
  return MODULES.has(name) || packages.has(name) || /^@vscode\/ripgrep-\w+-\w+$/.test(name);
}

function parseTable(text: string): ReadonlyMap<string, string> {
  const rows = text.split(/\s+\/\s+|\n\s*/).filter((row) => row.trim() !== '');
  return new Map(
    rows.map((row) => {
      const [command = '', from = command] = row.trim().split(/\s+/);
      return [command, from];
    }),
  );
}
