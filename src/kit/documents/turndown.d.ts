/** The part of turndown that is used here; the package has no types. */
declare module 'turndown' {
  type Rule = {
    filter: string | readonly string[];
    replacement: (content: string, node: { alt?: string }) => string;
  };
  export default class TurndownService {
    constructor(options?: { headingStyle?: 'atx'; codeBlockStyle?: 'fenced'; bulletListMarker?: '-' });
    escape: (text: string) => string;
    addRule(name: string, rule: Rule): this;
    /** Takes a string or a node of a document. */
    turndown(source: unknown): string;
  }
}
