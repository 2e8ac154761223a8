import { type Language, words } from './language.ts';

const FROM_NOW = 'ab jetzt|ab sofort|ab heute|von nun an|von jetzt an|von heute an|in zukunft|zukünftig|künftig|fortan';
const NEVER = 'niemals|nie wieder|nie';
const ALWAYS = 'immer(?! (?:wieder|noch|mehr|weniger|öfter|gleiche|so)\\b)|stets|jedes mal';
/** Imperatives of what an assistant is asked to do. */
const VERBS =
  'gieße|beschrifte|putze|wasche|räume|koche|verwende|nutze|benutze|nimm|begrüße|grüße|begrenze|beschränke|informiere|plane|packe?|schließe?|wähle|notiere|markiere|unterschreibe|bezahle|überweise|lade|installiere|führe?|spreche|sprich|rede|schau|achte|vermeide|ergänze|streiche?|ersetze|teile|leite|reserviere|hole?|schreibe?|lege?|speichere?|sende|schicke?|antworte|gib|mache?|lösche?|füge?|runde|sortiere|benenne?|erstelle?|rechne|zeige?|lasse?|halte|fasse?|übersetze|formatiere|formuliere|beginne?|ändere?|verschiebe?|überschreibe?|öffne|drucke?|kopiere?|rufe?|buche?|duze|sieze|nenne?|setze?|stelle?|archiviere|sage?|erinnere?|berechne|prüfe?|lies|trage?|verlinke|zitiere|kürze|committe|pushe|entferne?|trenne?|bestelle?|kaufe?|veröffentliche|frage?|behalte|bewahre?|sichere|teste|melde|begründe|beantworte|genehmige|erlaube';
const POLITE =
  'verwenden|nutzen|benutzen|nehmen|schreiben|legen|speichern|senden|schicken|antworten|geben|löschen|runden|sortieren|erstellen|übersetzen|ändern|überschreiben|behalten|prüfen';
const ASKED = `(?:${VERBS}|(?:${POLITE}) sie)`;
/** A few words of the main clause. */
const FEW = '(?:(?!(?:ob|wie|warum|wann|wo|wer|was|dass|wenn|weil)\\s)[^\\s,;:]+ ){0,8}?';
const FINITE =
  'ist|war|waren|sind|bin|hat|habe|haben|hatte|hatten|muss|müssen|musste|kann|können|konnte|will|wollen|wollte|soll|sollen|sollte|wird|werden|wurde|würde|werden|wurden|dürfen|beginnt|beginnen|treffen|fahren|fährt|gelten|gilt|schließt|schließen|öffnet|kommen|kommt|kam|geht|ging|macht|gibt|gab|mag|darf|regnet|fehlt|bleibt|wenn|ich|er|wir|ihr|man';

/** "Berichte auf Englisch schreiben": no subject, no finite verb, and an infinitive at the end. */
const INFINITIVE_CLAUSE = `(?!(?:${FINITE})\\b)(?!.*(?<![\\p{L}])(?:ich|er|wir|man|ihr|wäre|würde|wird|ist|sind|der letzte)(?![\\p{L}]))[^,]*(?<!\\bzu )\\b\\p{L}+(?:en|eln|ern|tun)`;

export const german: Language = {
  name: 'German',
  lead: 'bitte|und|auch|aber|also|hallo|wichtig|übrigens|außerdem|generell',
  please: 'bitte',
  forms: [
    {
      pattern: new RegExp(
        `^(?:${FROM_NOW}) (möchte|will|hätte|brauche) (ich|wir) (?:gerne? )?(?!.*(?<!hab|bekomm|erhalt|seh)en[.!]*$)(.+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$2 $1 $3',
    },
    {
      pattern: new RegExp(`^(?:${FROM_NOW})[\\s,:]+(?:bitte )?(${ASKED} .+|\\p{L}+st du .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^(?:${FROM_NOW})[\\s,:]+(?:bitte )?(${INFINITIVE_CLAUSE})[.!]*$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^((?:${ALWAYS}|${NEVER}) ${INFINITIVE_CLAUSE})[.!]*$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^(${ASKED} ${FEW}(?:${ALWAYS}|${NEVER}|${FROM_NOW}) .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^(${ASKED} ${FEW}(?:kein\\p{L}*|nicht) ${FEW}mehr)[.!]*$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(
        `^((?:ich möchte|ich will|wir möchten|wir wollen), dass (?:du|sie) ${FEW}(?:immer|stets|${NEVER}) .+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: /^(?:ich bevorzuge|wir bevorzugen) (?:generell |grundsätzlich |meistens |normalerweise |eher )?(.+)$/i,
      kind: 'preference',
      template: 'Bevorzuge $1',
    },
    { pattern: /^(?:ich mag|wir mögen) lieber (.+ als .+)$/iu, kind: 'preference', template: 'Lieber $1' },
    { pattern: /^mir (?:ist|sind) (.+?) lieber( als .+?)?[.!]*$/i, kind: 'preference', template: 'Lieber $1$2' },
    {
      pattern: /^((?:verwende|nutze|benutze|nimm) .+? (?:für|statt|anstelle von|anstatt) .+)$/i,
      kind: 'preference',
      template: '$1',
    },
    {
      pattern: /^(?:merke? dir|denke? daran|beachte|vergiss nicht)(?:,? dass|:) (.+)$/i,
      kind: 'said',
      template: '$1',
    },
  ],
  marked: [
    {
      pattern: new RegExp(
        `^((?:${FROM_NOW})[\\s,:]+(?:bitte )?(?:kommt|kommen|gehört|gehören|steht|stehen|soll|sollen|muss|müssen|darf|dürfen) (?!(?:es|er|ich|wir|man|sie)(?![\\p{L}])).+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^((?:.+ )?\\p{L}+st du (?:.+ )?(?:${FROM_NOW}|immer|stets|${NEVER})(?: .+)?)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^((?:wenn|sobald|falls) du .+?, (?:.+ )?(?:immer|stets|${NEVER})(?: .+)?)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: /^((?:jedes mal|immer),? wenn du .+?, .+)$/iu,
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(
        `^((?!.*(?<![\\p{L}])(?:${FINITE}|noch)(?![\\p{L}]))(?:\\p{L}+ ){1,4}?(?:bitte )?(?:${FROM_NOW}|immer|stets|${NEVER}|grundsätzlich)(?: bitte)? ${INFINITIVE_CLAUSE})$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(
        `^(?=.* bitte )(?=(?:.* )?(?:${FROM_NOW}|immer|stets|${NEVER}) )(?!.*(?<![\\p{L}])(?:ich|wir|er|sie|es|man)(?![\\p{L}]))(.+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: /^(\p{L}+ (?:soll|sollen|darf|dürfen|muss|müssen) grundsätzlich .+)$/iu,
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(
        `^((?:(?:der|die|das|meine?|unsere?) )?\\p{L}+ (?:gehört|gehören|kommt|kommen) (?:${FROM_NOW}|immer|stets|${NEVER}) .+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
  ],
  remarks: [
    {
      pattern:
        /^(?:ich|wir) (?:bin|sind) (?:übrigens |ja |auch )?((?:gegen .+ )?allergisch.*|vegetarier\p{L}*|veganer\p{L}*|diabetiker\p{L}*|linkshänder\p{L}*|farbenblind)$/iu,
      kind: 'fact',
      template: 'Ich bin $1',
    },
    {
      pattern:
        /^(?:ich|wir) ((?:esse|essen|trinke|trinken|fahre|fahren|rauche|rauchen|vertrage|vertragen) (?:.+ )?(?:kein\p{L}* .+|nie .+|nicht .+|keine[nrs]?))$/iu,
      kind: 'fact',
      template: 'Ich $1',
    },
    {
      pattern: /^((?:mein|meine|unser|unsere) lieblings\p{L}+ (?:ist|sind|heißt) .+)$/iu,
      kind: 'fact',
      template: '$1',
    },
    {
      pattern: /^(?:deshalb |deswegen |darum |daher |also |da )?\p{L}+ (?:ich|wir) (?:am liebsten|lieber) (.+)$/iu,
      kind: 'preference',
      template: 'Lieber $1',
    },
    {
      pattern: /^(?:(?:ich|wir) \p{L}+|(?!ich |wir )\p{L}+) (.+) am liebsten (.+)$/iu,
      kind: 'preference',
      template: 'Lieber $1 $2',
    },
    {
      pattern: /^(?:ich|wir) (?:kann|können) (.+) nicht (?:leiden|ausstehen|ertragen|vertragen)$/iu,
      kind: 'preference',
      template: 'Vermeide $1',
    },
    {
      pattern: /^(?:ich|wir) (?:hasse|hassen|meide|meiden|vermeide|vermeiden) (.+)$/iu,
      kind: 'preference',
      template: 'Vermeide $1',
    },
    {
      pattern: /^(.+?) (?:mag|mögen) (?:ich|wir) (?:\p{L}+ ){0,2}nicht$/iu,
      kind: 'preference',
      template: 'Vermeide $1',
    },
    {
      pattern:
        /^(?:ich|wir) (?:nehme|nehmen|wähle|wählen|benutze|benutzen|verwende|verwenden|nutze|nutzen|kaufe|kaufen) (?:meistens|meist|normalerweise|gewöhnlich|in der regel|immer) (.+)$/iu,
      kind: 'preference',
      template: 'Bevorzuge $1',
    },
    { pattern: /^(.+?) (?:ist|sind) (?:mir|uns) lieber( als .+)?$/iu, kind: 'preference', template: 'Lieber $1$2' },
    {
      pattern:
        /^(?:ich|wir) (?:mag|mögen|liebe|lieben) (?!(?:es|das|dich|euch|sie|ihn|ihr|dies\p{L}*|den|die|dem|der|wie|wenn|kein\p{L}*|lieber|nicht)(?![\p{L}]))(.+)$/iu,
      kind: 'preference',
      template: 'Bevorzuge $1',
    },
    { pattern: /^(?:ich|wir) bevorzugen? (.+)$/iu, kind: 'preference', template: 'Bevorzuge $1' },
    { pattern: /^(?:ich|wir) \p{L}+ (?:am liebsten|lieber) (.+)$/iu, kind: 'preference', template: 'Lieber $1' },
    { pattern: /^(?:ich|wir) (.+?) (?:bevorzugen?|vorziehen?)$/iu, kind: 'preference', template: 'Bevorzuge $1' },
    { pattern: /^(?:ich|wir) ziehen? (.+? vor|.+?) vor$/iu, kind: 'preference', template: 'Bevorzuge $1' },
    { pattern: /^mir (?:ist|sind) (.+?) lieber( als .+)?$/iu, kind: 'preference', template: 'Lieber $1$2' },
    {
      pattern: /^(?:ich|wir) (?:mag|mögen|will|wollen|vertrage) (kein\p{L}* .+)$/iu,
      kind: 'preference',
      template: 'Verwende $1',
    },
  ],
  takeBacks: [
    /^(.+?) (?:muss|müssen|braucht|brauchen|soll|sollen) (?:ab jetzt |künftig )?(?:nicht|kein\p{L}*) mehr (.+?)(?: (?:zu )?werden)?$/iu,
    /^du (?:darfst|kannst) (.+?) wieder (.+)$/iu,
    /^(.+) (?:bevorzuge|mag|will|möchte|brauche) (?:ich|wir) nicht mehr$/iu,
    /^(?:vergiss|streiche?|lösche?) (?:die|meine|den) (?:regel|anweisung|vorliebe|wunsch) (?:mit|zu|zur|zum|über|für|von|dass)(?: der| dem| den| die| das)? (.+)$/iu,
    /^vergiss,? dass (.+)$/iu,
    /^du (?:musst|brauchst) (?:ab jetzt )?((?:.+ )?)nicht (?:mehr|länger) (.+)$/iu,
    /^vergiss,? (?:dass (?:ich|wir) )(.+)$/iu,
    /^(?:ich|wir) (?:bevorzugen?|möchten?|will|wollen) (.+) nicht mehr$/iu,
    /^(?:es ist )?nicht mehr nötig,? (.+)$/iu,
  ],
  forOthers: [
    /^(?:bitte )?(?:erkläre?|beschreibe?)(?![\p{L}])/iu,
    /(?<![\p{L}])(?:schulung|unterricht|seminar|vortrag|ansage|kurs|szene|drehbuch)(?![\p{L}])/iu,
    /(?<![\p{L}])(?:schreibe?|entwirf|erstelle?|verfasse|gestalte|drucke|erkläre|übersetze|korrigiere)(?![\p{L}])[^.!?]*(?:regeln?|hausordnung|schild|plakat|flyer|merkblatt|aushang|anleitung|tipps|ratgeber|handbuch|rede|gedicht|geschichte|rezept)/iu,
    /(?<![\p{L}])(?:hausordnung|regeln für|für (?:unsere |die |neue )?(?:gäste|besucher|mieter|spieler|schüler|anfänger|kinder|kunden|mitarbeiter|nachbarn)|schach)(?![\p{L}])/iu,
  ],
  needsPlease: /^(?:verwende|nutze|benutze|nimm)\b/i,
  idle: [
    /^(?:bevorzuge|lieber) .*(?<![\p{L}])(?:heute|morgen|übermorgen|jetzt|später|nächste[ns]? (?:woche|mal|monat))(?![\p{L}])/iu,
    /^bevorzuge es,? /i,
    /^(?:bevorzuge|vermeide) (?:den|die|das) (?:erst|zweit|dritt|letzt|neu|ander)e[nrs]?(?![\p{L}])/iu,
    /^bevorzuge (?:nichts|niemanden|keine[nrs]?(?: (?:der|von|davon)\b|[.!]))/iu,
    /^bevorzuge (?:es,? (?:zu warten|wenn)\b|(?:diese[nrsm]?|den (?:ersten|zweiten|anderen)|die (?:erste|zweite|andere)|das (?:erste|zweite|andere))[.!]*$)/i,
  ],
  notStanding: [
    /^(?:werde|muss|kann|darf|mache|gehe|esse|komme|arbeite|\p{L}+) (?:ich|wir|er|ihr|man|es)(?![\p{L}])/iu,
    /^(?:ich|wir|er|man|es)(?! (?:möchte|möchten|will|wollen|hätte|hätten|brauche|brauchen)(?![\p{L}]))(?![\p{L}])/iu,
    /^(?:will|möchte|wünscht|bevorzugt|verlangt|erwartet|braucht|mag|wollen|möchten|bevorzugen|verlangen|erwarten)(?![\p{L}])/iu,
    words('wäre|wären|würde|würden|hätten|bedeutet|bedeuten|heißt das'),
  ],
  taskOnly: [
    words('diesmal|dieses mal|nur hier|nur dieses|vorerst|vorläufig|fürs erste|erst ?mal|erst einmal'),
    /(?<![\p{L}])(?:das|es|so|sie|ihn|dies|dazu|damit)[.!]?$/iu,
    /^(?:lieber|bevorzuge|\p{L}+) (?:das|es|dies)(?= (?:immer|stets|nie|niemals|so|als)(?![\p{L}]))/iu,
  ],
  demonstratives: 'diese[nmrs]?|dies',
  periods: 'woche|monat|jahr|quartal|morgen|nachmittag|abend|ist|sind',
  guardLoosening: [
    /\b(?:ignoriere|umgehe|deaktiviere|missachte|überspringe|vergiss|ignorieren|umgehen|deaktivieren|überspringen)\b.*(?:regel|freigabe|prüfung|anweisung|sicherheit|sandbox|genehmigung|bisherige|vorherige|grenze)/i,
    /\b(?:nie|niemals|nicht|ohne)\b.*\b(?:nachfrage|nachfragen|nachzufragen|fragen|frage|fragst|zu fragen|freigabe|bestätigung|genehmigung|erlaubnis)\b/i,
    /\b(?:frage?|fragst) (?:mich|uns|niemanden|vorher)\b.*\b(?:nie|niemals|nicht)\b/i,
    /\b(?:genehmige|erlaube|vertraue|akzeptiere|bestätige|genehmigen|erlauben)\b.*\b(?:alles?|jede[nrsm]?|immer|anfragen?|befehle?|installation)/i,
    /\bkeine[nrm]?\b.*\b(?:freigaben?|bestätigung|genehmigung|erlaubnis|nachfrage)\b/i,
    /\b(?:richtlinien?|freigaben?|genehmigung(?:en)?|sandbox|sicherheitsregeln?)\b.*\b(?:gilt|gelten)\b.*\bnicht\b/i,
    /\bimmer (?:genehmig|erlaub|akzeptier|gehorch|vertrau)/i,
    /^(?!.*\b(?:nie|niemals|nicht|kein\w*)\b).*\b(?:passwort|passwörter|kennwort|zugangsdaten|schlüssel der api|geheimnis)/i,
  ],
  instructionWords:
    'immer|niemals|nie|stets|muss|müssen|soll|sollen|sollte|bitte|du|dir|dich|ab jetzt|ab sofort|künftig|bevorzugt',
  imperatives:
    'sende?|schicke?|lösche?|überweise|verwende|nutze|benutze|nimm|öffne|lade|installiere|kopiere|teile|genehmige|erlaube|schreibe?|antworte|bezahle|leite',
  always: 'immer|stets|grundsätzlich',
  fromNow: FROM_NOW,
  negations: 'nie|niemals|nicht|kein[a-z]*|ohne',
  negationPairs: [],

  starts: 'immer|niemals|nie|ab jetzt|ab sofort|merke? dir|ich bevorzuge|in zukunft|von nun an',
  abbreviations: 'nr|z\\.b|d\\.h|ca|bzw|usw|str',
  reports:
    'sagte?|sagen|meint|meinte|behauptet|erzählte|antwortete|schrieb|schreibt|lautet|steht|folgende[nrsm]?|laut|zitat|hier (?:ist|sind)',
  instructs: 'sage?|nenne|zitiere',
  handles: 'übersetze|fasse|antworte|beantworte|prüfe|korrigiere|lies|analysiere|erkläre|überarbeite|konvertiere',
  shows:
    'nachricht|nachrichten|seite|protokoll|ausgabe|inhalt|anhang|beispiel|quelle|brief|artikel|auszug|kommentar|dokument|schild|vertrag|satzung|mail|text',
  here: 'hier (?:ist|sind|kommt)|siehe unten|anbei|im anhang|folgende[nrsm]?',
  own: 'merke? dir|regeln?|wichtig|bitte|vorlieben|grundsätzlich|ab jetzt|ab sofort',
  greetings: 'Liebe[rs]?|Hallo|Sehr geehrte[rs]?|Guten (?:Tag|Morgen|Abend)|Hi',
  mailHeads: 'von|an|betreff|datum|gesendet',
  forwarded: 'ursprüngliche nachricht|weitergeleitete',

  until: 'bis(?: zum| zur| ende)?\\s+(?:nächsten\\s+)?',
  tomorrow: 'morgen',
  today: 'heute',
  thisWeek: 'diese woche',
  thisMonth: 'diesen monat',
  thisYear: 'dieses jahr',
  forNext: ['für die nächsten|in den nächsten|die nächsten', ''],
  days: 'tage?n?',
  weeks: 'wochen?',
  months: 'monate?n?',
  weekdays: ['sonntag', 'montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag'],
  monthNames: [
    'januar',
    'februar',
    'märz',
    'april',
    'mai',
    'juni',
    'juli',
    'august',
    'september',
    'oktober',
    'november',
    'dezember',
  ],

  choose: 'bevorzuge|verwende|nutze|benutze|nimm|lieber',
  over: 'statt|anstatt|anstelle von|gegenüber|vor|als',
  use: 'verwende|nutze|benutze|nimm|bevorzuge',
  for: 'für',
  in: 'auf|als|in|im',
  values:
    'deutsch|englisch|französisch|spanisch|italienisch|metrischen einheiten|ortszeit|leerzeichen|kleinbuchstaben|großbuchstaben',
  articles: 'der|die|das|den|dem|ein|eine|einen|einem|einer|mein|meine|unser|unsere',
  possessives: 'der|die|das|mein|meine|unser|unsere',
  is: '(?:ist|sind|heißt|heißen) (?:jetzt |nun )?',
  limits: 'höchstens|mindestens|maximal|minimal|unter|über|bis zu',
  relations: 'statt|anstatt|vor|nach|von|bis|für|anstelle|als|zu|aus',
  fillers: 'immer bitte stets auch bevorzuge verwende',
  topics: {
    code: 'einrücken variable funktion',
    writing:
      'schreibe schreiben bericht berichte brief briefe sprache ton satz sätze überschrift zusammenfassung deutsch',
    mail: 'postfach empfänger newsletter antworte antworten',
    money: 'rechnung rechnungen beleg belege betrag beträge steuer konto währung preis angebot',
    dates: 'datum termin termine kalender sitzung frist feiertag',
    files: 'datei dateien ordner foto fotos sicherung archiv kopie',
    data: 'tabelle spalte spalten datenbank',
    web: 'webseite seite',
  },
};
