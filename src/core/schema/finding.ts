/** One line of `oka doctor`: good, odd (it works, but somebody should check) or bad (it does not work). */
export type Finding = { state: 'good' | 'odd' | 'bad'; what: string; found: string; fix?: string };
