/** Words that people use for what tools call by another name, as data. Each line is one meaning. */
import { extractTerms } from '../text/terms.ts';

const MEANINGS = `
  create make add new open file write start register set post publish
  list show which what all overview
  search find look where lookup
  update change edit modify correct rename move reschedule close
  delete remove forget erase drop clear
  send mail message post notify tell
  email mail inbox gmail newsletter
  meeting appointment event calendar invitation invite
  picture photo image drawing illustration
  issue ticket bug defect
  pull request pr merge
  url http https link website page article
  document doc letter text paper
  spreadsheet sheet table excel cells
  song track music album playlist
  todo task reminder remind
  repository repo
  log logs output
  travel drive walk route directions distance far trip journey
  place restaurant shop cafe hotel address
  weather rain snow sunny storm temperature forecast
  video film clip youtube
  audio sound recording speech voice podcast interview
  translate translation language french german english spanish
  invoice bill charge
  payment pay money paid
  customer client buyer
  message chat slack
  database sql rows
  download save fetch
  upload put
  resize smaller larger crop scale
  directory folder
  light lamp switch device
  error crash exception failure
  worklog hours spent
  time clock hour timezone
`;

/** For each word the others of its meanings. */
export const OTHER_WORDS: ReadonlyMap<string, ReadonlySet<string>> = buildTable();

function buildTable(): Map<string, Set<string>> {
  const table = new Map<string, Set<string>>();
  for (const line of MEANINGS.trim().split('\n')) {
    const words = extractTerms(line);
    for (const word of words) {
      const others = table.get(word) ?? new Set<string>();
      for (const other of words) if (other !== word) others.add(other);
      table.set(word, others);
    }
  }
  return table;
}
