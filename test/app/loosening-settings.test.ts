/**
 * Every setting of every room, and whether it can loosen the guard: whoever adds one decides it here. None of them is
 * within reach of the assistant, since all are in .oka/rules.
 */
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/core/guard/classify/classify-command.ts';
import { settings } from '../support/settings/setting-names.ts';

/** What each of these opens, or lets pass unasked. */
const LOOSENS: Readonly<Record<string, string>> = {
  sandbox: 'commands of a model run without a sandbox',
  'search.url': 'the host that the words of a search go to',
  'search.provider': 'the host that the words of a search go to',
  'browser.on': 'tasks have a browser, which runs the scripts of pages',
  'browser.program': 'the program that is started as a browser',
  'models.use': 'who sees the prompts',
  'models.roles.planner': 'who sees the prompts',
  'models.roles.executor': 'who sees the prompts',
  'models.roles.critic': 'who sees the prompts',
  'models.settings': 'who sees the prompts',
  'memory.model_download': 'a host that a model of embeddings is fetched from',
  'replica.url': 'the deployment that gets copies of the ledgers',
  'replica.except': 'what copies of the ledgers leave out',
  'replica.recipients': 'who can read the copies',
  'backup.to': 'where backups go',
  'backup.recovery': 'who can read the backups',
  'backup.desk': 'whether backups contain the desk',
  'tools.wheels': 'what is installed',
  'tools.binaries': 'what is installed',
  hooks: 'programs of the person that run around runs and nodes',
  credentials: 'where secrets come from',
  'skills.folders': 'folders of instructions',
  'tree.roots': 'folders whose text is shown to models',
  'graph_import.tools': 'what tools of imported graphs become',
  'web.address': 'who can reach the dashboard; all but this machine needs a passphrase',
  'telemetry.otlp': 'who is told which runs there are',
  'telemetry.texts': 'who is told which runs there are',
  rate_limits: 'how often a tool may be called',
};

/** Numbers and switches: how much, how long, how often. */
const HARMLESS =
  /^(?:\$schema|language|ledger\..*|inbox\..*|memory\.(?:cap|facts|episodes|procedures|shares\..*|vectors|model)|maintenance\..*|models\.(?:temperature|top_p|max_tokens|context_tokens|timeout_seconds|ask_again_seconds|calls_per_answer)|backup\.(?:every_hours|keep\..*)|replica\.(?:key_secret|ledger|batch\..*|timeout_seconds)|chat\..*|tree\.(?:max_file_mb|frame_types|watch|watch_seconds|max_tokens|on_change)|search\.(?:key|language)|browser\.idle_minutes|web\.(?:off|port))$/;

const names = [...settings.keys()];
const loosens = (name: string): boolean =>
  Object.keys(LOOSENS).some((each) => name === each || name.startsWith(`${each}.`));

describe('settings that loosen the guard', () => {
  it('of every setting it was decided whether it does', () => {
    expect(names.length).toBeGreaterThan(80);
    expect(names.filter((name) => loosens(name) === HARMLESS.test(name))).toEqual([]);
  });

  it('there is no setting in the table that does not exist', () => {
    const isThere = (name: string): boolean => names.some((each) => each === name || each.startsWith(`${name}.`));
    expect(Object.keys(LOOSENS).filter((name) => !isThere(name))).toEqual([]);
  });

  const RULES = ['config.json', 'POLICY.md', 'mcp.json', 'channels.json', 'agents/ada.md', 'hooks/bell.md'];
  const WRITES: ((path: string) => string)[] = [
    (path) => `echo x > ${path}`,
    (path) => `cp new ${path}`,
    (path) => `sed -i s/a/b/ ${path}`,
    (path) => `ln -sf new ${path}`,
    (path) => `tee ${path} < new`,
  ];
  it.each(RULES)('a command that writes .oka/rules/%s is never run', (name) => {
    const where = { desk: '/home/oka/workspace/desk', toolFolder: '/home/oka/.oka/tools' };
    for (const path of [`../../.oka/rules/${name}`, `/home/oka/.oka/rules/${name}`])
      for (const write of WRITES) expect(classify({ line: write(path) }, where).class, write(path)).toBe('deny');
  });
});
