/** What `oka doctor` reports about skills; nothing where there are none. */
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { findSkills, skillsConfigOf } from './home-skills.ts';

const MOST_NAMED = 3;

export async function skillFindings(home: Home): Promise<Finding[]> {
  const skills = findSkills(home, await skillsConfigOf(home));
  if (skills.length === 0) return [];
  const what = 'skills';
  const unusable = skills.filter(({ status }) => status !== 'ready' && status !== 'new');
  if (unusable.length === 0) return [{ state: 'good', what, found: `${skills.length} can be used` }];
  const named = unusable.slice(0, MOST_NAMED).map(({ name, status }) => `${name} (${status})`);
  const more = unusable.length > MOST_NAMED ? ` and ${unusable.length - MOST_NAMED} more` : '';
  const found = `${skills.length - unusable.length} of ${skills.length} can be used; not ${named.join(', ')}${more}`;
  return [
    { state: 'odd', what, found, fix: 'Run oka skills check, and oka skills show NAME --diff for a changed one.' },
  ];
}
