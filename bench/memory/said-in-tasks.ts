/**
 * What people write into tasks, in four languages: instructions for good, preferences in passing, and what is taken back.
 * All of it was written before any rule was changed with it. Rules were then made with every other sentence in sight
 * (the unseen ones often say the same in another language), and with none of `fresh`, whose subjects and turns are others.
 */

/** A task, and words that what is learned from it has to have. */
type Said = { text: string; has: string };

const said = (text: string, has: string): Said => ({ text, has });

/** By place in its list. */
export const isUnseen = (at: number): boolean => at % 2 === 1;

export const instructions: readonly Said[] = [
  said(
    'Could you file the scans from Monday? Going forward, name every scan with the date first, that makes them easy to find.',
    'date first',
  ),
  said('Write the minutes of the board meeting. In future, minutes should never be longer than one page.', 'one page'),
  said('I need the list of guests. Every time you make a list for me, sort it by last name.', 'last name'),
  said('Compare the two phone plans. And whenever you show prices, include the tax, please.', 'include the tax'),
  said('Draft a reply to the landlord. As a rule, sign my letters with "M. Okafor".', 'Okafor'),
  said('Book notes, please: chapter 3. For all future notes, keep quotations in the original language.', 'original'),
  said("Check the figures in the report. By the way, don't ever round percentages.", 'percentages'),
  said('Make the weekly plan. Make sure that you always leave Wednesday evenings free.', 'Wednesday'),
  said('Rename the photos of the trip. You should always keep the originals somewhere.', 'originals'),
  said('Clean up the address list. From today on, phone numbers are written with the country code.', 'country code'),
  said('Bitte sortiere die Scans. Künftig kommt das Datum bei jedem Scan an den Anfang des Namens.', 'Datum'),
  said('Schreib das Protokoll der Sitzung. Protokolle sollen grundsätzlich höchstens eine Seite lang sein.', 'Seite'),
  said('Ich brauche die Gästeliste. Listen bitte immer nach Nachnamen sortieren.', 'Nachnamen'),
  said('Vergleiche die beiden Tarife. Wenn du Preise nennst, dann immer mit Steuer.', 'Steuer'),
  said('Antworte dem Vermieter. Meine Briefe unterschreibst du ab jetzt mit M. Okafor.', 'Okafor'),
  said('Prüfe die Zahlen im Bericht. Prozentwerte darfst du nie runden.', 'runden'),
  said('Mach den Wochenplan. Achte immer darauf, dass der Mittwochabend frei bleibt.', 'Mittwochabend'),
  said('Räum die Adressliste auf. Telefonnummern von nun an bitte mit Ländervorwahl.', 'Ländervorwahl'),
  said('Benenne die Fotos um, aber lösche dabei niemals die Originale.', 'Originale'),
  said(
    'Trie les scans de lundi. Dorénavant, mets toujours la date au début du nom, ce sera plus simple.',
    'date au début',
  ),
  said('Rédige le compte rendu. À l’avenir, les comptes rendus ne doivent pas dépasser une page.', 'une page'),
  said('Il me faut la liste des invités. Chaque fois que tu fais une liste, trie-la par nom de famille.', 'famille'),
  said('Compare les deux forfaits. Quand tu donnes des prix, indique toujours la TVA.', 'TVA'),
  said('Réponds au propriétaire. Désormais tu signes mes lettres « M. Okafor ».', 'Okafor'),
  said("Vérifie les chiffres du rapport. N'arrondis jamais les pourcentages, s'il te plaît.", 'pourcentages'),
  said('Fais le planning de la semaine. Il faut toujours laisser le mercredi soir libre.', 'mercredi'),
  said(
    'Nettoie le carnet d’adresses. À partir d’aujourd’hui, écris les numéros avec l’indicatif du pays.',
    'indicatif',
  ),
  said('Renomme les photos, mais garde toujours les originaux.', 'originaux'),
  said('Ordena los escaneos del lunes. De ahora en adelante, pon la fecha al principio del nombre.', 'fecha'),
  said('Redacta el acta. En el futuro, las actas no deben pasar de una página.', 'una página'),
  said('Necesito la lista de invitados. Cada vez que hagas una lista, ordénala por apellido.', 'apellido'),
  said('Compara las dos tarifas. Cuando des precios, incluye siempre el IVA.', 'IVA'),
  said('Responde al casero. A partir de ahora firma mis cartas como M. Okafor.', 'Okafor'),
  said('Revisa las cifras del informe. No redondees nunca los porcentajes, por favor.', 'porcentajes'),
  said('Haz el plan de la semana. Siempre hay que dejar libre la tarde del miércoles.', 'miércoles'),
  said('Limpia la agenda. Desde hoy, escribe los teléfonos con el prefijo del país.', 'prefijo'),
];

export const preferences: readonly Said[] = [
  said('I get seasick easily, so I favour trains over ferries; how do I get to Gotland?', 'trains'),
  said("I'm more of a morning person and like to have meetings before noon, so find me a slot.", 'before noon'),
  said('As someone who prefers paper books, which shop in town would you go to?', 'paper books'),
  said('Find a recipe for tonight. I am allergic to peanuts, by the way.', 'peanuts'),
  said("Plan Saturday for us, and keep in mind that I don't drive at night.", 'drive at night'),
  said('My favourite coffee is a dark roast without milk, where can I buy beans?', 'dark roast'),
  said("I can't stand crowded beaches, which island should we choose?", 'crowded beaches'),
  said('Which laptop should I take? I usually go for quiet machines, even if they are slower.', 'quiet machines'),
  said('Suggest a film, but I tend to avoid horror.', 'horror'),
  said('I find window seats much nicer than aisle seats, so which one is left on the 9:40?', 'window seats'),
  said('Mir wird leicht schlecht auf Schiffen, deshalb fahre ich lieber mit dem Zug, wie komme ich hin?', 'Zug'),
  said('Ich bin eher ein Morgenmensch und habe Termine am liebsten vor zwölf, such mir einen.', 'vor zwölf'),
  said('Such ein Rezept für heute. Ich bin übrigens gegen Erdnüsse allergisch.', 'Erdnüsse'),
  said('Plane den Samstag, und denk daran, dass ich nachts nicht Auto fahre.', 'nachts'),
  said('Mein Lieblingskaffee ist eine dunkle Röstung ohne Milch, wo bekomme ich Bohnen?', 'dunkle Röstung'),
  said('Ich kann volle Strände nicht leiden, welche Insel nehmen wir?', 'volle Strände'),
  said('Welchen Laptop soll ich kaufen? Ich nehme meistens leise Geräte.', 'leise Geräte'),
  said('Schlag einen Film vor, Horror mag ich aber nicht.', 'Horror'),
  said('Fensterplätze sind mir lieber als Gangplätze, was ist im Zug um 9:40 noch frei?', 'Fensterplätze'),
  said('Ich esse kein Fleisch, was kann ich im Hirschen bestellen?', 'Fleisch'),
  said("J'ai vite le mal de mer, donc je préfère le train au ferry, comment y aller ?", 'le train'),
  said("Je suis plutôt du matin et j'aime bien les réunions avant midi, trouve-moi un créneau.", 'avant midi'),
  said('Trouve une recette pour ce soir. Je suis allergique aux arachides, au fait.', 'arachides'),
  said("Organise samedi, et n'oublie pas que je ne conduis pas la nuit.", 'nuit'),
  said('Mon café préféré est un torréfié foncé sans lait, où acheter des grains ?', 'foncé'),
  said('Je déteste les plages bondées, quelle île choisir ?', 'plages bondées'),
  said("Quel ordinateur prendre ? D'habitude je choisis des machines silencieuses.", 'silencieuses'),
  said("Propose un film, mais je n'aime pas l'horreur.", 'horreur'),
  said("J'aime mieux les places côté fenêtre que côté couloir, que reste-t-il dans le train ?", 'fenêtre'),
  said('Je ne mange pas de viande, que commander au Cerf ?', 'viande'),
  said('Me mareo enseguida, así que prefiero el tren al ferry, ¿cómo llego?', 'el tren'),
  said('Soy más de mañanas y me gusta tener las reuniones antes del mediodía, búscame un hueco.', 'mediodía'),
  said('Busca una receta para hoy. Por cierto, soy alérgico a los cacahuetes.', 'cacahuetes'),
  said('Organiza el sábado y ten en cuenta que no conduzco de noche.', 'noche'),
  said('Mi café favorito es un tueste oscuro sin leche, ¿dónde compro granos?', 'tueste oscuro'),
  said('Odio las playas llenas, ¿qué isla elegimos?', 'playas llenas'),
  said('¿Qué portátil compro? Suelo elegir equipos silenciosos.', 'silenciosos'),
  said('Recomienda una película, pero no me gusta el terror.', 'terror'),
  said('Me gustan más los asientos de ventana que los de pasillo, ¿qué queda?', 'ventana'),
  said('No como carne, ¿qué pido en el Ciervo?', 'carne'),
];

/** What is known, what the person says later, and words that nothing valid may have after it. */
export const takenBack: readonly { first: string; later: string; gone: string }[] = [
  { first: 'Always sort lists by last name.', later: 'You can stop sorting lists by last name.', gone: 'last name' },
  { first: 'I prefer window seats.', later: "I don't prefer window seats any more.", gone: 'window' },
  { first: 'Never round percentages.', later: 'Rounding percentages is fine again.', gone: 'round' },
  { first: 'From now on sign letters with M. Okafor.', later: 'Drop the rule about signing letters.', gone: 'Okafor' },
  { first: 'Always include the tax in prices.', later: 'Prices no longer have to include the tax.', gone: 'tax' },
  { first: 'Remember that I am allergic to peanuts.', later: 'Forget that I am allergic to peanuts.', gone: 'peanuts' },
  {
    first: 'Sortiere Listen immer nach Nachnamen.',
    later: 'Listen müssen nicht mehr nach Nachnamen sortiert werden.',
    gone: 'Nachnamen',
  },
  { first: 'Ich bevorzuge Fensterplätze.', later: 'Fensterplätze bevorzuge ich nicht mehr.', gone: 'Fensterplätze' },
  { first: 'Runde niemals Prozentwerte.', later: 'Du darfst Prozentwerte wieder runden.', gone: 'Prozentwerte' },
  {
    first: 'Ab jetzt unterschreibe Briefe mit M. Okafor.',
    later: 'Vergiss die Regel mit der Unterschrift unter Briefen.',
    gone: 'Okafor',
  },
  {
    first: 'Trie toujours les listes par nom.',
    later: "Ce n'est plus la peine de trier les listes par nom.",
    gone: 'listes',
  },
  {
    first: 'Je préfère les places côté fenêtre.',
    later: 'Oublie que je préfère les places côté fenêtre.',
    gone: 'fenêtre',
  },
  {
    first: "N'arrondis jamais les pourcentages.",
    later: 'Tu peux de nouveau arrondir les pourcentages.',
    gone: 'pourcentages',
  },
  { first: 'Indique toujours la TVA.', later: "Tu n'as plus besoin d'indiquer la TVA.", gone: 'TVA' },
  {
    first: 'Ordena siempre las listas por apellido.',
    later: 'Ya no tienes que ordenar las listas por apellido.',
    gone: 'apellido',
  },
  {
    first: 'Prefiero los asientos de ventana.',
    later: 'Olvida que prefiero los asientos de ventana.',
    gone: 'ventana',
  },
  { first: 'No redondees nunca los porcentajes.', later: 'Ya puedes redondear los porcentajes.', gone: 'porcentajes' },
  { first: 'Incluye siempre el IVA.', later: 'Ya no es necesario incluir el IVA.', gone: 'IVA' },
];

/** The later word about the same subject counts. */
export const contradicted: readonly { first: string; later: string; gone: string; left: string }[] = [
  {
    first: 'Always file bills in the green binder.',
    later: 'From now on file bills in the grey binder.',
    gone: 'green',
    left: 'grey',
  },
  {
    first: 'Always write summaries in English.',
    later: 'From now on write summaries in Italian.',
    gone: 'English',
    left: 'Italian',
  },
  { first: 'Never add emojis to messages.', later: 'Always add emojis to messages.', gone: 'Never', left: 'Always' },
  { first: 'I prefer tea over coffee.', later: 'I prefer coffee over tea.', gone: 'tea over', left: 'coffee over' },
  {
    first: 'Always keep summaries under 200 words.',
    later: 'From now on keep summaries under 120 words.',
    gone: '200',
    left: '120',
  },
  {
    first: 'Use Celsius for temperatures.',
    later: 'From now on use Fahrenheit for temperatures.',
    gone: 'Celsius',
    left: 'Fahrenheit',
  },
  {
    first: 'Lege Rechnungen immer in den roten Ordner.',
    later: 'Ab jetzt lege Rechnungen in den blauen Ordner.',
    gone: 'roten',
    left: 'blauen',
  },
  {
    first: 'Schreibe Berichte immer auf Deutsch.',
    later: 'Ab jetzt schreibe Berichte auf Englisch.',
    gone: 'Deutsch',
    left: 'Englisch',
  },
  {
    first: 'Mets toujours les factures dans le dossier rouge.',
    later: 'Désormais, mets les factures dans le dossier bleu.',
    gone: 'rouge',
    left: 'bleu',
  },
  {
    first: 'Écris toujours les rapports en français.',
    later: 'Désormais, écris les rapports en anglais.',
    gone: 'français',
    left: 'anglais',
  },
  {
    first: 'Pon siempre las facturas en la carpeta roja.',
    later: 'A partir de ahora, pon las facturas en la carpeta azul.',
    gone: 'roja',
    left: 'azul',
  },
  {
    first: 'Escribe siempre los informes en español.',
    later: 'A partir de ahora, escribe los informes en inglés.',
    gone: 'español',
    left: 'inglés',
  },
];

/** Instructions and preferences whose words no rule was made with. */
export const fresh: readonly Said[] = [
  said('Send Marta the minutes. When you mail somebody outside the company, keep the tone formal, always.', 'formal'),
  said('Water is at 40 percent. Starting today, tell me the tank level in litres instead.', 'litres'),
  said('Order the usual. Oh, and please never order from Grolmann again.', 'Grolmann'),
  said('Put the talk into slides. No more than five lines on a slide, ever.', 'five lines'),
  said(
    'I would like you to number the pages of everything you hand in from now on. Print the thesis.',
    'number the pages',
  ),
  said("Where can we eat near the station? We're vegetarians, so nothing with meat.", 'vegetarian'),
  said("Book a room in Turin; I'm a light sleeper, so quiet matters most to me.", 'light sleeper'),
  said('Find shoes for hiking. I wear size 43, in case you need it.', '43'),
  said('What should I cook? I love anything with lentils.', 'lentils'),
  said('Druck die Folien. Ab heute bitte alles beidseitig drucken.', 'beidseitig'),
  said('Schick Marta das Protokoll. Wenn du nach außen schreibst, bleib immer förmlich.', 'förmlich'),
  said('Leg die Belege ab. Die Belege gehören in Zukunft in den Ordner Steuer.', 'Steuer'),
  said('Such uns ein Lokal am Bahnhof, wir sind Vegetarier.', 'Vegetarier'),
  said('Buch ein Zimmer in Turin. Ich habe einen leichten Schlaf, also am liebsten zum Hof.', 'zum Hof'),
  said('Was soll ich kochen? Linsen esse ich für mein Leben gern.', 'Linsen'),
  said("Imprime les diapos. Dès aujourd'hui, imprime tout en recto verso.", 'recto verso'),
  said('Range les reçus. Les reçus vont toujours dans le dossier Impôts.', 'Impôts'),
  said('Trouve un resto près de la gare, nous sommes végétariens.', 'végétariens'),
  said("Que cuisiner ? J'adore les lentilles.", 'lentilles'),
  said('Imprime las diapositivas. Desde ahora imprime todo a doble cara.', 'doble cara'),
  said('Archiva los recibos. Los recibos van siempre en la carpeta Impuestos.', 'Impuestos'),
  said('Busca un sitio cerca de la estación, somos vegetarianos.', 'vegetarianos'),
  said('¿Qué cocino? Me encantan las lentejas.', 'lentejas'),
  said('Reserva una habitación en Turín; tengo el sueño ligero, prefiero que dé al patio.', 'patio'),
];
