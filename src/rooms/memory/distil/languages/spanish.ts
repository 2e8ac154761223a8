import { type Language, words } from './language.ts';

const FROM_NOW =
  'a partir de (?:ahora|hoy|este momento)|de (?:ahora|hoy) en adelante|desde ahora|desde hoy|en adelante|en (?:el )?futuro|en lo sucesivo';
/** Imperatives of what an assistant is asked to do. */
const VERBS =
  'riega|riegue|etiqueta|etiquete|reparte|reparta|limpia|limpie|lava|cocina|programa|programe|usa|use|saluda|salude|limita|limite|informa|informe|planifica|cierra|cierre|abre|abra|marca|marque|paga|pague|instala|instale|ejecuta|habla|hable|evita|evite|completa|complete|reemplaza|sustituye|comparte|busca|busque|lee|lea|justifica|prueba|pruebe|menciona|mencione|adjunta|adjunte|espera|espere|organiza|separa|empaqueta|utiliza|utilice|emplea|emplee|escribe|escriba|responde|responda|contesta|conteste|guarda|guarde|envía|envíe|manda|mande|pon|ponga|borra|borre|elimina|elimine|redondea|redondee|nombra|nombre|renombra|ordena|ordene|añade|añada|agrega|agregue|incluye|incluya|traduce|traduzca|imprime|imprima|archiva|archive|clasifica|crea|cree|calcula|calcule|empieza|termina|da|haz|haga|verifica|verifique|comprueba|compruebe|indica|indique|cita|cite|tutea|llama|llame|resume|resuma|redacta|redacte|formatea|convierte|convierta|copia|copie|coloca|toma|tome|elige|elija|deja|deje|muestra|muestre|propón|reserva|reserve|compra|compre|pregunta|avisa|avise|firma|firme|conserva|conserve|mantén|aprueba|autoriza|acepta|permite|respóndeme|contéstame|escríbeme|envíame|mándame|dime|dame|muéstrame|avísame|llámame|háblame|trátame';
/** Forms of a prohibition. */
const FORBIDDEN =
  'programes|riegues|repartas|mezcles|llames|laves|limpies|esperes|pagues|uses|use|utilices|utilice|emplees|escribas|escriba|respondas|responda|contestes|guardes|envíes|envíe|mandes|pongas|borres|borre|elimines|elimine|cambies|cambie|muevas|añadas|agregues|incluyas|hagas|haga|des|digas|llames|compres|abras|cierres|publiques|publique|subas|copies|imprimas|traduzcas|redondees|ordenes|mezcles|toques|renombres|hables|tutees|trates|reserves|pidas|preguntes|sobrescribas|sobrescriba|modifiques|modifique|archives|nombres|dejes|tires|compartas|reenvíes|instales|ejecutes';
const CLITIC = '(?:(?:me|nos|le|les|lo|la|los|las|te) )?';
/** A few words of the main clause. */
const FEW = '(?:(?!(?:que|quien|quienes|cuyo|donde|si|cómo|cuándo|dónde|cuánto)\\s)[^\\s,;:]+ ){0,6}?';
const INFINITIVE = '\\p{L}+(?:ar|er|ir)';

/** "I want the invoices as PDF", and not what somebody wants to do. */
const WISH = '(?:quiero|queremos|prefiero|quisiera) (?!\\p{L}+(?:ar|er|ir)(?![\\p{L}]))\\S+';

export const spanish: Language = {
  name: 'Spanish',
  lead: 'por favor|y|también|pero|así que|hola|importante|oye|por cierto|además',
  please: 'por favor',
  forms: [
    {
      pattern: new RegExp(
        `^(?:${FROM_NOW})(?![\\p{L}])[\\s,:]*((?:${VERBS}|(?:no|nunca|jamás) ${CLITIC}(?:${FORBIDDEN})|${INFINITIVE}|${WISH}) .+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^((?:${VERBS}) ${FEW}siempre .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^(siempre ${CLITIC}(?:${VERBS}|${INFINITIVE}) .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^((?:nunca|jamás) (?:${CLITIC}(?:${FORBIDDEN})|${INFINITIVE}) .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^(no ${CLITIC}(?:${FORBIDDEN}) ${FEW}(?:nunca|jamás)(?![\\p{L}]).*)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^(no ${CLITIC}(?:(?:${FORBIDDEN}) más|vuelvas a ${INFINITIVE}) .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: new RegExp(`^((?:quiero|queremos|quisiera|me gustaría) que ${FEW}(?:siempre|nunca|jamás) .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern:
        /^(?:(?:en general|por lo general|normalmente),? )?(?:yo |nosotros )?(?:prefiero|preferimos) (?:siempre |en general |normalmente )?(.+)$/iu,
      kind: 'preference',
      template: 'Prefiere $1',
    },
    { pattern: /^(?:mi|nuestra) preferencia es (.+)$/iu, kind: 'preference', template: 'Preferencia: $1' },
    { pattern: /^me gustan? más (.+ que .+)$/iu, kind: 'preference', template: 'Mejor $1' },
    {
      pattern: /^((?:usa|use|utiliza|utilice|emplea|toma) .+? (?:para|en lugar de|en vez de) .+)$/iu,
      kind: 'preference',
      template: '$1',
    },
    {
      pattern:
        /^(?:recuerda|recuerde|acuérdate|ten en cuenta|tenga en cuenta|anota|anote|apunta|no olvides|no olvide)(?:,? (?:de )?que|\s?:) (.+)$/iu,
      kind: 'said',
      template: '$1',
    },
  ],
  marked: [
    {
      pattern: new RegExp(
        `^(?:${FROM_NOW})(?![\\p{L}])[\\s,:]*((?:las?|los|el|mis?|un|una) .+? (?:no )?(?:debe|deben|tiene que|tienen que|va|van) .+)$`,
        'iu',
      ),
      kind: 'standing',
      template: '$1',
    },
    { pattern: /^(cada vez que \p{L}+s(?: .+?)?, .+)$/iu, kind: 'standing', template: '$1' },
    { pattern: /^(cuando \p{L}+s .+?, .*(?:siempre|nunca)(?: .+)?)$/iu, kind: 'standing', template: '$1' },
    {
      pattern: new RegExp(`^((?:siempre hay que|hay que ${INFINITIVE} siempre|nunca hay que) .+)$`, 'iu'),
      kind: 'standing',
      template: '$1',
    },
    {
      pattern: /^((?:los|las|mis) \p{L}+ (?:van|se guardan|se ponen) siempre .+)$/iu,
      kind: 'standing',
      template: '$1',
    },
  ],
  remarks: [
    {
      pattern:
        /^(?:yo )?(?:soy|somos) (alérgic\p{L}+ .+|intolerantes? .+|vegetarian\p{L}+|vegan\p{L}+|diabétic\p{L}+|zurd\p{L}+|daltónic\p{L}+)$/iu,
      kind: 'fact',
      template: 'Soy $1',
    },
    {
      pattern: /^(?:yo )?(no|nunca) ((?:como|bebo|conduzco|fumo|tolero|comemos|bebemos|conducimos)(?![\p{L}]).*)$/iu,
      kind: 'fact',
      template: '$1 $2',
    },
    { pattern: /^(mis? \p{L}+ (?:favorit|preferid)[oa]s? (?:es|son) .+)$/iu, kind: 'fact', template: '$1' },
    {
      pattern: /^(?:yo )?(?:suelo|solemos) (?:elegir|usar|tomar|comprar|escoger|coger) (.+)$/iu,
      kind: 'preference',
      template: 'Prefiere $1',
    },
    {
      pattern:
        /^(?:(?:a mí )?me (?:gustan?|encantan?)|adoro) (?!(?:más|eso|esto|lo|tu|tus|que|cómo|cuando|este|esta)(?![\p{L}]))(.+)$/iu,
      kind: 'preference',
      template: 'Prefiere $1',
    },
    {
      pattern: /^(?:yo |nosotros )?(?:prefiero|preferimos) (?:siempre |en general |normalmente )?(.+)$/iu,
      kind: 'preference',
      template: 'Prefiere $1',
    },
    { pattern: /^(?:a mí )?me gustan? más (.+)$/iu, kind: 'preference', template: 'Mejor $1' },
    { pattern: /^(?:no me gustan?|odio|evito) (.+)$/iu, kind: 'preference', template: 'Evita $1' },
  ],
  takeBacks: [
    /^ya (?:puedes|se puede|puede) (?:volver a )?(.+)$/iu,
    /^(.+?) ya no (?:tienen? que|deben?|necesitan?) (.+)$/iu,
    /^olvida (?:la regla|la instrucción|mi preferencia) (?:sobre|de|del|para) (.+)$/iu,
    /^olvida que (.+)$/iu,
    /^ya no (?:hace falta|es necesario|tienes que|necesitas|debes) (?:que )?(.+)$/iu,
    /^olvida que (?:yo )?(?:prefiero|quiero|me gustan?) (.+)$/iu,
    /^ya no (?:prefiero|quiero|me gustan?) (.+)$/iu,
  ],
  forOthers: [
    /^(?:expl[ií]c|descr[ií]b)\p{L}+/iu,
    /(?<![\p{L}])(?:una formación|un curso|un taller|un anuncio|una charla|una escena)(?![\p{L}])/iu,
    /(?:escribe|escriba|redacta|prepara|imprime|explica|traduce|crea|haz)(?![\p{L}])[^.!?]*(?:reglas?|normas?|cartel|folleto|guía|aviso|consejos|instrucciones|discurso|poema|cuento|receta)/iu,
    /(?:normas de la casa|reglas (?:de|del|para)|para (?:los|las|nuestros|mis) (?:invitados|huéspedes|visitantes|inquilinos|jugadores|alumnos|estudiantes|principiantes|niños|clientes|empleados|vecinos)|ajedrez)(?![\p{L}])/iu,
  ],
  needsPlease: /^(?:usa|use|utiliza|utilice|emplea|toma)(?![\p{L}])/iu,
  idle: [
    /^(?:prefiere|mejor) .*(?<![\p{L}])(?:hoy|mañana|ahora|más tarde|luego|la próxima vez|esta noche)(?![\p{L}])/iu,
    /^prefiere (?:el|la) (?:primer|segund|tercer|últim|nuev|otr)\p{L}*/iu,
    /^prefiere (?:ningun|ningún|nada|no |que |esperar|quedarme|irme|pensar|(?:este|esta|ese|esa|aquel|aquella|el (?:primero|segundo|otro)|la (?:primera|segunda|otra))[.!]*$)/iu,
    /^siempre (?:que|y cuando|hay(?! que)|es|he|ha|está)(?![\p{L}])/iu,
  ],
  notStanding: [
    /^(?:yo|nosotros|nosotras|él|ella|ellos|ellas|nos|me|voy|vamos|tengo|tenemos|se)(?![\p{L}])/iu,
    /^\p{L}+(?:ré|remos|rá|rán|rás)(?![\p{L}])/iu,
    /^(?:quiero|necesito|queremos) \p{L}+(?:ar|er|ir)(?![\p{L}])/iu,
    /^(?:mi|mis|nuestr[oa]s?|el|la|los|las|su|sus)\s\p{L}+(?: \p{L}+)? (?:quiere|quieren|prefiere|prefieren|pide|piden|exige|exigen|desea|desean|espera|insiste)(?![\p{L}])/iu,
    /(?<![\p{L}])\p{L}{2,}(?:ría|rían|rías|ríamos)(?![\p{L}])/iu,
    words('significa|significan|quiere decir|supone'),
    /^(?:siempre|nunca|jamás) (?!.*(?<![\p{L}])(?:que|quien|si|donde|cuando)(?![\p{L}])).*(?<![\p{L}])(?:es|son|era|fue)(?![\p{L}])/iu,
  ],
  taskOnly: [
    words('(?:por |en )?esta vez|por ahora|de momento|por el momento|solo aquí|sólo aquí|aquí mismo'),
    words('eso|esto|ello'),
    /(?<![\p{L}])(?:así|lo)[.!]?$/iu,
    /(?<![\p{L}])(?:lo|la) (?:hagas|haga|hicieras|dejemos|dejes)(?![\p{L}])/iu,
  ],
  demonstratives: 'este|esta|estos|estas|ese|esa|esos|esas',
  periods: 'semana|mes|año|trimestre|mañana|tarde|noche|momento',
  guardLoosening: [
    /(?:ignor|omit|desactiv|olvid|salt|eludi|elud|evit)\p{L}*(?![\p{L}]).*(?:instrucci|regla|política|aprobaci|autorizaci|sandbox|verificaci|confirmaci|seguridad|anterior|límite|permiso)/iu,
    /(?<![\p{L}])(?:nunca|jamás|no|sin)(?![\p{L}]).*(?:pregunt|confirm|aprobaci|autorizaci|permiso)/iu,
    /(?:aprueb|autoriz|acept|permit|conced|confía|confíe|aprobar)\p{L}*(?![\p{L}]).*(?:tod[oa]s?|cada|siempre|cualquier|petici|comando|instalaci)/iu,
    /(?:política|aprobaci\p{L}*|autorizaci\p{L}*|sandbox|reglas? de seguridad).*no se aplican?/iu,
    /siempre (?:aprob|autoriz|acept|permit|obedec)/iu,
    /^(?!.*(?<![\p{L}])(?:nunca|no|jamás)(?![\p{L}])).*(?:contraseñas?|claves? (?:api|privadas?|de api)|credenciales|tokens? de acceso)/iu,
  ],
  instructionWords:
    'siempre|nunca|jamás|debes|debe|deben|hay que|tienes que|tiene que|por favor|tú|usted|prefiere|prefieren',
  imperatives:
    'envía|envíe|manda|usa|use|utiliza|utilice|borra|elimina|instala|abre|copia|comparte|aprueba|autoriza|escribe|responde|transfiere|paga|descarga',
  always: 'siempre',
  fromNow: `${FROM_NOW}|cada vez que`,
  negations: 'nunca|jamás|no|ningun[oa]s?|ningún',
  negationPairs: [[/(?<![\p{L}])no ((?:\S+ ){1,6}?)(?:nunca|jamás|más)(?![\p{L}])/giu, '$1nunca']],

  starts:
    'siempre|nunca|jamás|a partir de ahora|de ahora en adelante|recuerda|ten en cuenta|prefiero|preferimos|no olvides',
  abbreviations: 'p\\. ej|sr|sra|aprox|núm|pág',
  reports:
    'dice|dijo|dicen|decía|escribió|respondió|contestó|según|aquí (?:está|están|tienes)|a continuación|siguientes?|afirma|afirman|cita textual',
  instructs: 'di|cita',
  handles:
    'resume|resuma|traduce|traduzca|corrige|responde a|analiza|extrae|lee|revisa|explica|convierte|clasifica|reescribe',
  shows:
    'correo|mensaje|página|artículo|registro|salida|carta|texto|contenido|respuesta|extracto|fuente|adjunto|documento|ejemplo|comentario|cita|cartel|frase|contrato|estatutos',
  here: 'aquí (?:está|tienes|va)|adjunt[oa]s?|más abajo',
  own: 'reglas?|preferencias?|recuerda|importante|por favor|a partir de ahora|mis notas|en general|recordatorio',
  greetings: 'Querid[oa]s?|Estimad[oa]s?|Hola|Buenos días|Buenas tardes',
  mailHeads: 'de|para|asunto|fecha|enviado|cc',
  forwarded: 'mensaje original|mensaje reenviado',

  until: 'hasta\\s+(?:el\\s+|la\\s+)?(?:próximo\\s+)?(?:final(?:es)? de(?:l)?\\s+)?',
  tomorrow: 'mañana',
  today: 'hoy|esta (?:mañana|tarde|noche)',
  thisWeek: 'esta semana',
  thisMonth: 'este mes',
  thisYear: 'este año',
  forNext: ['(?:durante|por|en) (?:los|las) (?:próxim[oa]s)?', ''],
  days: 'días?',
  weeks: 'semanas?',
  months: 'mes(?:es)?',
  weekdays: ['domingo', 'lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado'],
  monthNames: [
    'enero',
    'febrero',
    'marzo',
    'abril',
    'mayo',
    'junio',
    'julio',
    'agosto',
    'septiembre',
    'octubre',
    'noviembre',
    'diciembre',
  ],

  choose: 'prefiere|usa|utiliza|elige|mejor',
  over: 'en lugar de|en vez de|antes que|a los|a las|al|que|a',
  use: 'usa|use|utiliza|utilice|emplea|prefiere',
  for: 'para',
  in: 'en|como|con|en formato',
  values:
    'inglés|alemán|francés|español|italiano|unidades métricas|hora local|minúsculas|mayúsculas|tabuladores|espacios',
  articles: 'el|la|los|las|un|una|unos|unas|mi|mis|nuestro|nuestra',
  possessives: 'el|la|los|las|mi|mis|nuestro|nuestra',
  is: '(?:es|son|está|se llaman?) (?:ahora )?',
  limits: 'menos de|más de|como máximo|máximo|al menos|como mínimo|mínimo|hasta',
  relations: 'lugar|vez|antes|después|para|hasta|desde|que|al|a',
  fillers: 'siempre también prefiere usa utiliza',
  topics: {
    code: 'sangrado variable función tabuladores',
    writing:
      'escribe escribir informe informes carta cartas idioma tono frase frases título resumen español alemán inglés',
    mail: 'correo correos destinatario boletín boletines responde responder',
    money: 'factura facturas recibo recibos importe importes impuesto cuenta moneda precio presupuesto presupuestos',
    dates: 'fecha fechas calendario reunión plazo cita',
    files: 'archivo archivos carpeta carpetas foto fotos copia',
    data: 'tabla columna columnas base',
    web: 'sitio página navegador servidor',
  },
};
