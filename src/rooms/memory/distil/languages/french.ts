import { type Language, words } from './language.ts';

const FROM_NOW =
  "à partir (?:de maintenant|d['’]aujourd['’]hui|de ce jour)|désormais|dorénavant|à l['’]avenir|dès (?:maintenant|aujourd['’]hui)";
/** Imperatives of what an assistant is asked to do. */
const VERBS =
  'arrosez?|étiquetez|étiquette|nettoie|nettoyez|lavez?|cuisinez?|utilisez?|saluez?|limitez?|informez?|planifiez?|fermez?|ouvre|ouvrez|marquez?|payez?|paie|installez?|lance|lancez|parle|parlez|évitez?|complétez?|remplacez?|partagez?|cherchez?|lis|lisez|restez?|adresse|adressez|justifiez?|testez?|mentionnez?|joins|joignez|attends|attendez|réglez?|emploie|employez|écris|écrivez|réponds|répondez|mets|mettez|envoie|envoyez|supprimez?|efface|effacez|arrondis|arrondissez|rangez?|traduis|traduisez|nommez?|renommez?|triez?|ajoutez?|gardez?|conservez?|notez?|affichez?|imprimez?|enregistrez?|sauvegardez?|classez?|créez?|calculez?|commencez?|terminez?|donnez?|fais|faites|vérifiez?|indiquez?|citez?|tutoie|vouvoie|appelle|appelez|résumez?|rédigez?|formatez?|convertis|convertissez|copiez?|archivez?|placez?|prends|prenez|choisis|choisissez|laissez?|montrez?|proposez?|réservez?|commandez?|achète|achetez|demandez?|préviens|prévenez|signez?|approuvez?|autorisez?|acceptez?|publiez?|modifiez?';
/** A few words of the main clause. */
const FEW = '(?:(?!(?:qui|que|dont|où|si|comment|pourquoi|quand|combien)\\s)[^\\s,;:]+ ){0,6}?';
const INFINITIVE = '\\p{L}+(?:er|ir|re|oir)';
const PRONOUN = "(?:(?:me|te|le|la|les|lui|leur|y|en|nous|vous) |[mtl]['’])?";

/** "I want the invoices as PDF", and not what somebody wants to do. */
const WISH =
  "(?:je (?:veux|voudrais|souhaite|préfère)|j['’]aimerais|nous (?:voulons|souhaitons)) (?!\\p{L}+(?:er|ir|re)(?![\\p{L}]))\\S+";

export const french: Language = {
  name: 'French',
  lead: "s['’]il (?:te|vous) pla[iî]t|stp|svp|et|aussi|mais|donc|bonjour|salut|important|au fait|d['’]accord",
  please: "s['’]il (?:te|vous) pla[iî]t|stp|svp",
  forms: [
    {
      pattern: new RegExp(
        `^(?:${FROM_NOW})(?![\\p{L}])[\\s,:]*((?:(?:${VERBS})(?:-\\p{L}+)*|(?:ne |n['’])${PRONOUN}\\p{L}+|${INFINITIVE}|${WISH}) .+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^((?:toujours|ne plus jamais|ne jamais) ${INFINITIVE} .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^merci de (toujours|ne jamais|ne plus) (${INFINITIVE} .+)$`, 'iu'),
      kind: 'standing',
      template: '$1 $2',
    },
    {
      pattern: new RegExp(`^((?:${VERBS})(?:-\\p{L}+)* ${FEW}toujours .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^((?:ne |n['’])${PRONOUN}(?!importe|oublie)\\p{L}+ (?:plus )?jamais .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^((?:ne |n['’])${PRONOUN}(?:${VERBS}) plus .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(
        `^((?:je veux|je voudrais|je souhaite|j['’]aimerais|nous voulons) que (?:tu|vous) ${FEW}(?:toujours|jamais) .+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern:
        /^(?:moi,? )?(?:je préfère|nous préférons|on préfère) (?:généralement |en général |nettement |plutôt |toujours |habituellement )?(.+)$/iu,
      kind: 'preference',
      template: 'Préfère $1',
    },
    {
      pattern: /^(?:ma|notre) préférence (?:va|est) (?:à |aux |au |pour |de |d['’])?(.+)$/iu,
      kind: 'preference',
      template: 'Préférence : $1',
    },
    { pattern: /^j['’]aime mieux (.+ que .+)$/iu, kind: 'preference', template: 'Aime mieux $1' },
    {
      pattern: /^merci d['’](utiliser .+? (?:pour|au lieu d|plutôt qu|à la place d).+)$/iu,
      kind: 'preference',
      template: '$1',
    },
    {
      pattern: /^((?:utilisez?|emploie|employez|prends|prenez) .+? (?:pour|au lieu d|plutôt qu|à la place d).+)$/iu,
      kind: 'preference',
      template: '$1',
    },
    {
      pattern:
        /^(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|retiens|retenez|notez?(?: bien)?|n['’]oubliez? (?:pas|jamais)|gardez? (?:à l['’]esprit|en tête)|sachez?)(?:,? qu(?:e |['’])|\s?: ?)(.+)$/iu,
      kind: 'said',
      template: '$1',
    },
  ],
  marked: [
    {
      pattern: new RegExp(
        `^(?:${FROM_NOW})[\\s,:]*((?:les?|la|l['’]|mes|mon|ma|nos|un|une)\\s?.+? (?:doit|doivent|devra|devront|va|vont|ne doit|ne doivent) .+|(?:tu|vous) .+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: /^((?:chaque|à chaque) fois que (?:tu|vous) .+?, .+)$/iu,
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: /^((?:quand|lorsque|si) (?:tu|vous) .+?, .*(?:toujours|jamais) .+)$/iu,
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^(il (?:faut|faudra) (?:toujours|ne (?:plus )?jamais) ${INFINITIVE} .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: /^((?:les|mes|nos) \p{L}+ (?:vont|se mettent|se rangent) toujours .+)$/iu,
      kind: 'standing',
      template: '$1',
    },
  ],
  remarks: [
    {
      pattern:
        /^(?:je suis|nous sommes) (allergi\p{L}+ .+|intoléran\p{L}+ .+|végétari\p{L}+|végan\p{L}*|diabétiques?|gauch\p{L}+|daltonien\p{L}*)$/iu,
      kind: 'fact',
      template: 'Je suis $1',
    },
    {
      pattern:
        /^(je|nous) (n['’]|ne )((?:mang|boi|buv|condui|fum|support|vol)\p{L}+ (?:pas|jamais|plus)(?![\p{L}]).*)$/iu,
      kind: 'fact',
      template: '$1 $2$3',
    },
    { pattern: /^((?:mon|ma|mes) \p{L}+ préférée?s? (?:est|sont) .+)$/iu, kind: 'fact', template: '$1' },
    {
      pattern:
        /^(?:d['’]habitude|en général|normalement|habituellement),? (?:je |j['’]|nous )(?:choisis|prends|utilise|achète|prenons|choisissons) (.+)$/iu,
      kind: 'preference',
      template: 'Préfère $1',
    },
    {
      pattern:
        /^(?:j['’]aime (?:bien |beaucoup )?|j['’]adore |nous aimons (?:bien |beaucoup )?|nous adorons )(?!(?:ça|cela|ce|cet|cette|ces|ton|ta|tes|votre|mieux|pas|que|quand)(?![\p{L}]))(.+)$/iu,
      kind: 'preference',
      template: 'Préfère $1',
    },
    {
      pattern:
        /^(?:moi,? )?(?:je préfère|nous préférons|on préfère) (?:généralement |en général |nettement |plutôt |toujours |habituellement )?(.+)$/iu,
      kind: 'preference',
      template: 'Préfère $1',
    },
    { pattern: /^j['’]aime mieux (.+)$/iu, kind: 'preference', template: 'Aime mieux $1' },
    { pattern: /^(?:je n['’]aime pas|je déteste|j['’]évite) (.+)$/iu, kind: 'preference', template: 'Évite $1' },
  ],
  takeBacks: [
    /^(?:tu peux|vous pouvez|on peut) (?:de nouveau|à nouveau) (.+)$/iu,
    /^(.+?) (?:n['’]ont|n['’]a|ne doivent|ne doit) plus (?:besoin de |à )?(.+)$/iu,
    /^oubliez? (?:la règle|l['’]instruction|la consigne|ma préférence) (?:sur|de|des|du|pour|concernant) (.+)$/iu,
    /^oubliez? que (.+)$/iu,
    /^(?:tu n['’]as|vous n['’]avez) plus besoin (?:de |d['’])(.+)$/iu,
    /^(?:il n['’]est plus nécessaire|ce n['’]est plus la peine) (?:de |d['’])(.+)$/iu,
    /^oubliez? que (?:je |j['’]|nous )(?:préfère|préférons|veux|voulons|aime) (.+)$/iu,
    /^(?:je ne (?:préfère|veux)|je n['’]aime) plus (.+)$/iu,
  ],
  forOthers: [
    /^(?:explique[rz]?|décri[st])(?![\p{L}])/iu,
    /(?<![\p{L}])(?:une formation|un cours|un atelier|une annonce|un exposé|un conte|une scène)(?![\p{L}])/iu,
    /(?:écri[st]|écrivez|rédigez?|prépare[rz]?|imprime[rz]?|explique[rz]?|traduis|traduisez|crée[rz]?)(?![\p{L}])[^.!?]*(?:règles?|règlement|affiche|panneau|dépliant|guide|notice|conseils|consignes|discours|poème|histoire|recette)/iu,
    /(?:règlement intérieur|règles (?:du|de la|pour)|pour (?:les|nos|des) (?:invités|visiteurs|locataires|joueurs|élèves|étudiants|débutants|enfants|clients|employés|voisins)|échecs)(?![\p{L}])/iu,
  ],
  needsPlease: /^(?:utilisez?|emploie|employez|prends|prenez)(?![\p{L}])/iu,
  idle: [
    /^(?:préfère|aime mieux) .*(?<![\p{L}])(?:aujourd['’]hui|demain|maintenant|plus tard|la prochaine fois|ce soir)(?![\p{L}])/iu,

    /^préfère (?:aucun|rien|ne |n['’]|que |qu['’]|attendre|rester|partir|y |(?:celui|celle|ceux|celles)-?(?:ci|là)?|l['’]autre|(?:le|la) (?:premi|second|deuxi|troisi|derni|nouv)\p{L}+)/iu,
  ],
  notStanding: [
    /^(?:je|j['’]|nous|on)(?! ?(?:veux|voudrais|souhaite|aimerais|préfère|voulons|souhaitons) (?!\p{L}+(?:er|ir|re)(?![\p{L}])))/iu,
    /^(?:il|elle|ils|elles|c['’]|ce |ça )/iu,
    /^(?:mon|ma|mes|notre|nos|le|la|les|l['’]|son|sa|leur|leurs)\s?\p{L}+(?: \p{L}+)? (?:veut|veulent|souhaite|souhaitent|préfère|préfèrent|demande|demandent|exige|exigent|attend|aime)(?![\p{L}])/iu,
    /(?<![\p{L}])\p{L}{2,}(?:rait|raient)(?![\p{L}])/iu,
    words('signifie|signifient|veut dire|revient à'),
    /^(?:toujours|ne jamais)(?!.*(?<![\p{L}])(?:que|qu['’]|qui|si|où|quand|lorsque|dont)).*(?<![\p{L}])(?:est|sont|était|c['’]est)(?![\p{L}])/iu,
  ],
  taskOnly: [
    words("(?:pour )?cette fois(?:-ci)?|pour l['’]instant|pour le moment|seulement ici|juste ici"),
    words('ça|cela|ceci'),
    /(?<![\p{L}])(?:ainsi|comme ça|-l[ae]s?)[.!]?$/iu,
  ],
  demonstratives: 'ce|cet|cette|ces',
  periods: 'semaine|mois|année|trimestre|matin|soir|jour|qui|que|dont|sont|n',
  guardLoosening: [
    /(?:ignore|contourne|désactive|oublie|outrepasse|saute)\p{L}*(?![\p{L}]).*(?:instruction|règle|politique|approbation|autorisation|bac à sable|sandbox|vérification|confirmation|sécurité|précédent|limite|consigne)/iu,
    /(?<![\p{L}])(?:jamais|sans|pas|plus|aucune?)(?![\p{L}]).*(?:demande[rz]?|confirm|approbation|autorisation|permission|accord)/iu,
    /(?<![\p{L}])(?:demande[rz]?|confirme[rz]?)(?![\p{L}]).*(?<![\p{L}])(?:jamais|pas|plus|rien)(?![\p{L}])/iu,
    /(?:approuve|autorise|accepte|accorde|permets|valide|fais confiance)\p{L}*(?![\p{L}]).*(?:tou[ts]e?s?|chaque|toujours|demande|commande|installation)(?![\p{L}])/iu,
    /(?:politique|approbation|autorisation|bac à sable|sandbox|règles? de sécurité).*ne s['’]appliquen?t? (?:pas|plus)/iu,
    /toujours (?:approuver|autoriser|accepter|valider|obéir)/iu,
    /^(?!.*(?<![\p{L}])(?:jamais|pas)(?![\p{L}])).*(?:mots? de passe|clés? (?:api|privées?|d['’]api)|identifiants|jetons? d['’]accès)/iu,
  ],
  instructionWords:
    'toujours|jamais|dois|doit|devez|devons|faut|désormais|dorénavant|tu|toi|veuillez|préfère|préfèrent',
  imperatives:
    'envoie|envoyez|utilisez?|supprimez?|installez?|ouvre|ouvrez|copiez?|partagez?|approuvez?|autorisez?|écris|écrivez|réponds|répondez|transfère|transférez|paie|payez|télécharge|téléchargez|ne',
  always: 'toujours',
  fromNow: `${FROM_NOW}|fois que`,
  negations: 'jamais|aucune?s?',
  negationPairs: [
    [/(?<![\p{L}])n(?:e |['’])((?:\S+ ){1,2})(?:jamais|pas|plus)(?![\p{L}])/giu, '$1jamais'],
    [/(?<![\p{L}])ne (?:plus )?jamais(?![\p{L}])/giu, 'jamais'],
  ],

  starts:
    "toujours|ne jamais|à partir de maintenant|désormais|dorénavant|souviens-toi|retiens|note que|je préfère|nous préférons|n['’]oublie pas",
  abbreviations: 'm|mm|p\\. ex|c\\.-à-d|env|mme|art',
  reports:
    "dit|disait|disent|écrivait|écrivent|(?:a|ont|avait) (?:dit|écrit|répondu)|répond|selon|d['’]après|voici|ci-dessous|suivante?s?|affirme|affirment|stipule",
  instructs: 'dis|cite',
  handles:
    'résumez?|traduis|traduisez|relis|relisez|corrigez?|réponds à|analysez?|extrais|lis|lisez|vérifiez?|expliquez?|convertis|classez?|reformulez?',
  shows:
    'courriel|message|page|article|journal|sortie|lettre|texte|contenu|réponse|extrait|source|pièce jointe|document|exemple|commentaire|citation|panneau|phrase|contrat|statuts',
  here: 'voici|ci-dessous|ci-joint\\p{L}*',
  own: "règles?|préférences?|souviens-toi|retiens|important|s['’]il (?:te|vous) plaît|désormais|mes notes|en général|rappel",
  greetings: 'Cher|Chère|Chers|Chères|Bonjour|Salut|Bonsoir',
  mailHeads: 'de|à|objet|date|envoyé|cc',
  forwarded: "message d['’]origine|message transféré|message original",

  until: "jusqu['’](?:à|au|en)\\s+(?:la\\s+|le\\s+|ce\\s+)?(?:fin (?:de |du )?)?",
  tomorrow: 'demain',
  today: "aujourd['’]hui|ce (?:matin|soir)",
  thisWeek: 'cette semaine',
  thisMonth: 'ce mois(?:-ci)?',
  thisYear: 'cette année',
  forNext: ['(?:pendant|pour|durant) les', '(?:prochaine?s? )?'],
  days: 'jours?',
  weeks: 'semaines?',
  months: 'mois',
  weekdays: ['dimanche', 'lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi'],
  monthNames: [
    'janvier',
    'février',
    'mars',
    'avril',
    'mai',
    'juin',
    'juillet',
    'août',
    'septembre',
    'octobre',
    'novembre',
    'décembre',
  ],

  choose: 'préfère|utilise|utiliser|choisis|prends|aime mieux',
  over: "plutôt qu(?:e |['’])|au lieu d(?:e |['’])|à la place d(?:e |['’])|aux|au|que|à",
  use: 'utilise|utiliser|utilisez|emploie|prends|préfère',
  for: 'pour',
  in: 'en|au format|comme|avec',
  values:
    'anglais|allemand|français|espagnol|italien|unités métriques|heure locale|minuscules|majuscules|tabulations|espaces',
  articles: 'le|la|les|un|une|des|du|de|mon|ma|mes|notre|nos',
  possessives: 'le|la|les|mon|ma|mes|notre|nos',
  is: "(?:est|sont|s['’]appelle|s['’]appellent) (?:maintenant |désormais )?",
  limits: "moins de|plus de|au plus|au maximum|au moins|au minimum|jusqu['’]à",
  relations: 'lieu|plutôt|que|vers|avant|après|pour|place|au|aux|à',
  fillers: 'toujours merci aussi préfère utilise utiliser',
  topics: {
    code: 'indentation variable fonction tabulations',
    writing:
      'écris écrire rapport rapports lettre lettres langue ton phrase phrases titre résumé français allemand anglais',
    mail: 'courriel courriels destinataire infolettre réponds répondre',
    money: 'facture factures reçu reçus montant montants impôt compte devise prix devis',
    dates: 'date dates calendrier réunion échéance rendez-vous',
    files: 'fichier fichiers dossier dossiers photo photos sauvegarde archive copie',
    data: 'tableau colonne colonnes base',
    web: 'site page navigateur serveur',
  },
};
