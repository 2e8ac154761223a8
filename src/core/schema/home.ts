/** The folder that contains `.oka`, `workspace` and INSTALL_REQUIREMENTS.md, and the paths in it that are a contract. */
export type Home = {
  dir: string;
  oka: string;
  workspace: string;
  ledgers: { run: string; maintenance: string };
  config: string;
  policy: string;
};
