/** What a look at a home found: good, odd (works, but look), bad (does not work). */
export type Finding = { state: 'good' | 'odd' | 'bad'; what: string; found: string; fix?: string };
