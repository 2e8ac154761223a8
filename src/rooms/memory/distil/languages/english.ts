import { MONTHS, WEEKDAYS } from '../../../../kit/text/terms.ts';
import type { Language } from './language.ts';

const FROM_NOW =
  'from now on|from today on|from today|from this day on|starting (?:today|now)|as of (?:today|now)|going forward|in (?:the )?future|henceforth|as a (?:general )?rule|by default|(?:for|in) all (?:my |your |the )?(?:future )?\\w+s';

export const english: Language = {
  name: 'English',
  lead: 'please|also|and|but|so|oh|ok|okay|hey|hi|hello|oka|btw|by the way|important',
  please: 'please',
  forms: [
    { pattern: new RegExp(`^(?:${FROM_NOW})\\b[\\s,:]*(.+)$`, 'i'), kind: 'standing', template: '$1' },
    {
      pattern:
        /^((?:every|each|any) ?time (?:you|i) .+?, .+|whenever (?!you (?:can|like|want|wish|get|find|have|are)\b)(?:you|i) .+?, .+)$/i,
      kind: 'standing',
      template: '$1',
    },
    { pattern: /^((?:when|if) you .+?, .*\b(?:always|never)\b.*)$/i, kind: 'standing', template: '$1' },
    {
      pattern: /^you (?:should|must|have to|need to|can|are to|may) (always|never) (.+)$/i,
      kind: 'standing',
      template: '$1 $2',
    },
    { pattern: /^(?:do not|don['’]t) ever (.+)$/i, kind: 'standing', template: 'Never $1' },
    { pattern: /^(always|never) (.+)$/i, kind: 'standing', template: '$1 $2' },
    {
      pattern: /^(?:i|we)(?: want|['’]d like| would like) you to (always|never) (.+)$/i,
      kind: 'standing',
      template: '$1 $2',
    },
    { pattern: /^(?:make|be) sure (?:to|that you|you) (always|never) (.+)$/i, kind: 'standing', template: '$1 $2' },
    {
      pattern: /^(?:i|we)(?: would|['’]d)? (?:strongly |generally |usually |much |also |really )?prefer (.+)$/i,
      kind: 'preference',
      template: 'Prefer $1',
    },
    { pattern: /^(?:my|our) preference is (?:to )?(.+)$/i, kind: 'preference', template: 'Prefer $1' },
    { pattern: /^use (.+? (?:for|instead of|rather than) .+)$/i, kind: 'preference', template: 'Use $1' },
    {
      pattern:
        /^(?:remember|keep in mind|bear in mind|note|take note|don['’]t forget|do not forget)(?:,? that|:) (.+)$/i,
      kind: 'said',
      template: '$1',
    },
    { pattern: /^(?:remember|don['’]t forget) to (always .+|never .+)$/i, kind: 'said', template: '$1' },
  ],
  marked: [{ pattern: new RegExp(`^(.+?),? (?:${FROM_NOW})$`, 'i'), kind: 'standing', template: '$1' }],
  remarks: [
    {
      pattern:
        /^(?:i['’]m|i am|we['’]re|we are) ((?:an? )?(?:strict )?(?:vegetarians?|vegans?|allergic to .+|intolerant .+|(?:lactose|gluten)[ -]intolerant|diabetic|left-handed|colou?r-?blind|deaf|blind|retired|light sleepers?|bad sleepers?))$/i,
      kind: 'fact',
      template: 'I am $1',
    },
    {
      pattern:
        /^(?:i|we) (?:don['’]t|do not|can['’]t|cannot|never) ((?:eat|drink|drive|fly|smoke|swim|wear|speak|own)(?![\p{L}]).*)$/iu,
      kind: 'fact',
      template: 'I do not $1',
    },
    { pattern: /^(?:i|we) (wear|take|have) ((?:shoe )?size .+)$/i, kind: 'fact', template: 'I $1 $2' },
    {
      pattern: /^(my|our) (favou?rite|preferred|usual) (.+? (?:is|are) .+)$/i,
      kind: 'fact',
      template: '$1 $2 $3',
    },
    {
      pattern: /^(?:as )?(?:someone|somebody|a person) who (?:prefers|likes|loves|favou?rs|enjoys) (.+)$/i,
      kind: 'preference',
      template: 'Prefer $1',
    },
    {
      pattern: /^(?:i|we) (?:usually |generally )?(?:tend to|try to|like to|prefer to) avoid (.+)$/i,
      kind: 'preference',
      template: 'Avoid $1',
    },
    {
      pattern: /^(?:i|we) find (.+?) (?:much |far |a lot )?(?:nicer|better|easier|more \w+) than (.+)$/i,
      kind: 'preference',
      template: 'Prefer $1 over $2',
    },
    {
      pattern:
        /^(?:i|we)(?: would|['’]d)? (?:strongly |generally |usually |typically |normally |much |also |really |always |definitely |personally )*prefer (.+)$/i,
      kind: 'preference',
      template: 'Prefer $1',
    },
    {
      pattern: /^(?:i|we)(?: would|['’]d) (?:much )?rather (.+ than .+|not .+|use .+|have .+)$/i,
      kind: 'preference',
      template: 'Rather $1',
    },
    {
      pattern:
        /^(?:i|we) (?:usually |generally |really )*(?:like|love|favou?r) (.+ (?:best|most|better|more)|.+ (?:more than|better than|over) .+)$/i,
      kind: 'preference',
      template: 'Prefer $1',
    },
    {
      pattern:
        /^(?:i|we) (?:usually |generally |really )*(?:don['’]t like|do not like|dislike|hate|can['’]t stand|cannot stand|avoid|try to avoid|stay away from) (.+)$/i,
      kind: 'preference',
      template: 'Avoid $1',
    },
    {
      pattern:
        /^(?:i['’]m|i am|we['’]re|we are) (?:a (?:big |huge )?fan of|partial to|most comfortable with|more comfortable with|happiest with) (.+)$/i,
      kind: 'preference',
      template: 'Prefer $1',
    },
    {
      pattern:
        /^(?:i|we) (?:usually|always|typically|generally|mostly|normally|tend to) (?:use|work with|go with|choose|pick|stick to|stick with|go for) (.+)$/i,
      kind: 'preference',
      template: 'Prefer $1',
    },
    {
      pattern:
        /^(?:i|we) (?:really |quite |absolutely |do )?(?:like|love|enjoy|adore) (?!(?:it|this|that|these|those|them|you|your|the|how|what|when|where|his|her|him|all of|working|being)\b)(.+)$/i,
      kind: 'preference',
      template: 'Prefer $1',
    },
  ],
  takeBacks: [
    /^(\w+ing .+) (?:is|are) (?:fine|ok|okay|allowed|all right|welcome) (?:again|now|after all)$/i,
    /^you (?:may|can) (.+) again(?: now)?$/i,
    /^(.+?) (?:no longer (?:has|have|needs?) to|(?:doesn['’]t|don['’]t|does not|do not) (?:need|have) to) (.+?)(?: any ?more| any longer)?$/i,
    /^(?:drop|cancel|forget|remove|scrap|lift) (?:the|my|that) (?:rule|instruction|preference|wish|request)s? (?:about|for|on|that|of|with|to) (.+)$/i,
    /^forget (?:that|about) (.+)$/i,
    /^you (?:no longer (?:need|have) to|(?:don['’]t|do not) (?:need|have) to|need not|can stop) (.+)$/i,
    /^(?:forget|disregard|ignore) (?:that (?:i|we)(?: would|['’]d)? (?:prefer|like|want|said)|what i said about|my (?:rule|preference|instruction|request|wish) (?:about|for|to|on|that)) (.+)$/i,
    /^never ?mind (?:the|my) (?:(?:rule|preference|instruction) (?:about|for|on) )?(.+?)(?: (?:rule|preference|instruction|thing))?$/i,
    /^(?:there is |there['’]s )?no (?:longer any |more )?need to (.+)$/i,
    /^(?:i|we) no longer (?:prefer|want|need|like) (.+)$/i,
    /^(?:i|we) (?:don['’]t|do not) (?:prefer|want|need|like) (.+) any ?(?:more|longer)$/i,
  ],
  forOthers: [
    /^(?:please )?(?:explain|teach|describe)\b/i,
    /\b(?:give|prepare|need|want|plan|hold|write|make)\b[^.!?]*\b(?:tips|trainings?|courses?|workshops?|presentations?|lectures?|announcements?|scripts?|scenes?)\b/i,
    /\b(?:write|draft|make|create|prepare|print|design|explain|teach|describe|summari[sz]e|proof-?read|translate|put)\b[^.!?]*\b(?:rules?|signs?|posters?|leaflets?|brochures?|handouts?|manuals?|guides?|notices?|tips|advice|lessons?|instructions|checklists?|etiquette|polic(?:y|ies)|codes? of conduct|slogans?|poems?|stor(?:y|ies)|speech(?:es)?|quiz(?:zes)?|recipes?)\b/i,
    /\b(?:house rules|rules (?:of|for)|(?:for|to) (?:our |my |the |new )?(?:guests?|visitors?|tenants?|players?|students?|pupils?|beginners?|children|kids|customers?|members?|volunteers?|employees?|staff|interns?|babysitters?|neighbou?rs?))\b/i,
    /\b(?:chess|poker|board game|card game|football|yoga|first aid|fire drill)\b/i,
  ],
  needsPlease: /^use\b/i,
  idle: [
    /^prefer the (?:first|second|third|last|new|old|other|next)\b/i,
    /^(?:i|my|our)\b.*\b(?:today|tonight|now|this (?:week|time|morning|evening))[.!]*$/i,
    /^prefer\b.*\b(?:today|tomorrow|tonight|now|later|next (?:week|month|time)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)[.!]*$/i,
    /^(?:prefer|rather) (?:to )?(?:not )?(?:know|see|hear|understand|learn|discuss|talk|ask|hold off|be told)\b/i,
    /^(?:prefer|avoid|rather) (?:it|him|her|them|you|doing (?:it|so))\b/i,
    /^(?:always|never) (?:and|or|but|is|are|means?)\b/i,
    /^(?:always|never) \w+ (?:i|we|he|she|they|it)\b/i,
    /^never (?:mind|again|ever$|fear)\b/i,
    /^(?:time|day|one|when|how|what|where)\b/i,
    /^prefer (?:neither|none|nothing|no one|not to|to (?:wait|think|believe|leave it)|(?:this|that|the (?:first|second|third|other|former|latter))(?: one)?[.!]*$)/i,
    /^(?:always|never) (?:an?|the|been|had|seen|heard|was|were|did|knew|thought|saw|so|such|too|late|early|nice|good|great|glad|happy|fun)\b/i,
    /^(?:always|never) (?!(?:bring|sing|ring|string|swing|cling|fling|sling|spring|wring)\b)\w+ing\b/i,
    /^(?:always|never) (?!(?:need|feed|embed|seed|proceed|succeed|exceed|speed|shed|bleed|breed|heed|read)\b)\w+ed\b/i,
  ],
  notStanding: [
    /^(?:i|we)(?:['’](?:ll|m|re|ve)\b| (?!(?:want|need|expect|['’]d like|would like|prefer)\b)| (?:want|need|would like) to\b)/i,
    /^(?:he|she|they|it|you|there|people|everybody|everyone|nobody|someone|something)\b/i,
    /^(?:the|an?|my|our|his|her|their|its|all|every|each|some|most|this|that|these|those)\b(?! ?time\b)(?!(?: \S+){1,3} (?:should|must|shall|goes?|belongs?|(?:is|are) to)\b)/i,
    /^(?!always\b|never\b)\p{L}*(?:[^s\P{L}])s,? (?!(?:should|must|shall|go|belong|are to|in|as|with|by|under|without|only|to|on|at|into|for|from)\b)\p{L}+/iu,
    /^(?:(?:my|our|his|her|their|the) )?\S+(?: \S+)? (?:wants?|would like|prefers?|likes?|insists?|expects?|wishes|demands?|asks?)\b/i,
    /\b(?:would|means?|meant)\b/i,
  ],
  taskOnly: [
    /\b(?:this time|just (?:this )?once|for now|only here|in here)\b/i,
    /\bthe following\s+[\p{L}-]+/iu,
    /\b(?:it|this|that|these|those|them)[.!]?$/i,
    /\b(?:do|use|keep|make) (?:it|this|that)\b/i,
  ],
  demonstratives: 'this|these|(?<!s )that|those',
  periods: 'week|month|year|quarter|morning|afternoon|evening|is|are|was|way',
  guardLoosening: [
    /\b(?:ignore|disregard|override|bypass|circumvent|disable|deactivate|turn off|switch off|skip|forget)\b.*\b(?:instruct|rule|polic|approv|guard|sandbox|jail|check|confirm|permission|safety|security|previous|earlier|above|limit)/i,
    /\b(?:never|not|no need to|without|don['’]t|stop)\b.*\b(?:ask|asking|confirm|confirming|confirmation|approval|approvals|permission)\b/i,
    /\b(?:approve|allow|grant|permit|accept|trust|authori[sz]e)\b.*\b(?:all|any|every|everything|always|request|command|install|sender|page|site)/i,
    /\b(?:always|automatically) (?:approve|allow|grant|permit|accept|trust|obey|follow (?:all|any|the) instructions)\b/i,
    /\bno (?:further |more )?(?:approvals?|permissions?|confirmations?)\b/i,
    /\b(?:polic(?:y|ies)|guards?|approvals?|sandbox|(?:safety|security) (?:rules?|checks?))\b.*\b(?:(?:do(?:es)? not|don['’]t|doesn['’]t|never) apply|never applies|not needed)\b/i,
    /\b(?:system prompt|developer mode|jailbreak|sudo|as root|chmod 777|--no-verify|rm -rf)\b/i,
    /^(?!.*\b(?:never|not|don['’]t)\b).*\b(?:password|passphrase|api[ -]?key|secret|credential|access token|private key)s?\b/i,
  ],
  instructionWords:
    'always|never|must|should|shall|ought|have to|need to|please|remember|from now on|instruct\\w*|you|your|assistant|prefers?|wants?|expects?|asked|said|told|ignore',
  imperatives:
    "do|don['’]t|use|send|e-?mail|mail|forward|upload|download|post|copy|delete|remove|install|run|execute|open|visit|click|call|transfer|pay|share|add|include|write|reply|contact|notify|approve|allow|trust|fetch|curl|note|keep|make|ensure",
  always: 'always',
  fromNow: FROM_NOW,
  negations: "never|not|no longer|do not|don['’]t|doesn['’]t|isn['’]t|aren['’]t|avoid|without|no",
  negationPairs: [],

  starts: 'always|never|from now on|remember|note that|i prefer|we prefer',
  abbreviations: 'e\\.g|i\\.e|etc|vs|no|mr|mrs|dr',
  reports:
    "says?|said|saying|reads|states?|stated|wrote|writes|contains?|told (?:me|us)|according to|quot(?:e|ed|es|ing)|past(?:ed|ing)|copied|forwarded|replied|responded|answered|here(?:'s|’s| is| are)|below (?:is|are)|as follows|(?:the|this) following",
  instructs: 'say|state|quote',
  handles:
    'summari[sz]e|translate|proof-?read|reply|answer|review|rewrite|rephrase|convert|analy[sz]e|classify|extract|read|check|parse|explain|correct|process|turn|fix|look at|sum (?:it|this|them) up',
  shows:
    'e-?mail|mail|message|page|web ?site|article|log|output|transcript|chat|letter|text|content|response|result|excerpt|source|attachment|document|readme|post|comment|ticket|issue|input|example|sample|quote|contract|bylaws|agreement|terms|note|prompt|lecture|post ?card|review',
  here: "here(?:'s|’s| is| are)|see below|below (?:is|are)|attached|this (?:e-?mail|text|article|letter)",
  own: 'rules?|preferences?|remember|conventions?|style|important|please|from now on|reminders?|my notes|in general|requirements?',
  greetings: 'Dear|Hi|Hello|Hey|Good (?:morning|afternoon|evening)',
  mailHeads: 'from|to|cc|subject|date|sent',
  forwarded: 'original message|forwarded message',

  until: '(?:until|till|up to|through)\\s+(?:the\\s+|next\\s+|end of\\s+)?',
  tomorrow: 'tomorrow',
  today: 'today|this (?:morning|afternoon|evening)',
  thisWeek: 'this week',
  thisMonth: 'this month',
  thisYear: 'this year',
  forNext: ['for the next|for another', ''],
  days: 'days?',
  weeks: 'weeks?',
  months: 'months?',
  weekdays: WEEKDAYS,
  monthNames: MONTHS,

  choose: 'prefer|use|choose|take',
  over: 'over|to|instead of|rather than|in place of',
  use: 'use|prefer|choose|take',
  for: 'for|when',
  in: 'in|as|with',
  values:
    'english|german|french|spanish|italian|dutch|portuguese|markdown|pdf|html|csv|json|yaml|xml|docx|xlsx|plain text|eur|euros?|usd|dollars?|gbp|chf|celsius|fahrenheit|metric units|imperial units|utc|local time|tabs|spaces|lower ?case|upper ?case',
  articles: 'the|a|an|my|our|ever',
  possessives: 'the|my|our',
  is: '(?:is|are) (?:now |called |named )?',
  limits: 'under|below|above|at most|at least|maximum|minimum|max|min|limit|up to|no more than',
  relations: 'over|instead|rather|than|to|from|into|before|after|unless|until|then|for',
  fillers: 'always please kindly really simply ensure make sure also just prefer use',
  topics: {
    git: 'git commit branch merge rebase pull push repository tag',
    code: 'code function lint test typescript python javascript rust indent tab variable compile build',
    writing: 'write report letter tone language word sentence summary text german english format heading title',
    mail: 'mail email inbox reply newsletter recipient',
    money: 'invoice currency euro eur usd budget price tax payment bank bill receipt',
    dates: 'date calendar meeting appointment deadline weekday holiday timezone utc',
    files: 'file folder directory rename backup photo archive copy download path',
    data: 'csv json excel spreadsheet column table database sql query',
    web: 'url website page http api browser server',
  },
};
