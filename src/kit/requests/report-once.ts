/** Owns: reporting a problem once, and again only if it comes back after it was solved. */
export class ProblemReports {
  readonly #report: (text: string) => void;
  /** Of the last scan. */
  #ofScan = new Set<string>();
  /** With claiming, until a claim succeeds. */
  #ofClaims = new Set<string>();

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  /** All problems of a scan; those that are not among them any more are solved. */
  scanned(problems: readonly string[]): void {
    for (const text of problems) if (!this.#ofScan.has(text)) this.#report(text);
    this.#ofScan = new Set(problems);
  }

  claimFailed(problem: string | null): void {
    if (problem === null) return;
    if (!this.#ofClaims.has(problem)) this.#report(problem);
    this.#ofClaims.add(problem);
  }

  claimSucceeded(): void {
    this.#ofClaims = new Set();
  }
}
