/** What the made-up people talk about. Questions use other words than the turns, as people do. */

export type Topic = {
  name: string;
  values: readonly string[];
  tells: readonly string[];
  /** The topic opened, a reply, and the answer that makes no sense alone. */
  pairs: readonly (readonly [string, string, string])[];
  asks: readonly string[];
  /** Later mentions that do not answer the question. */
  again: readonly string[];
};

const topic = (
  name: string,
  values: string,
  tells: readonly string[],
  pairs: Topic['pairs'],
  asks: readonly string[],
  again: readonly string[],
): Topic => ({ name, values: values.split('|'), tells, pairs, asks, again });

export const topics: readonly Topic[] = [
  topic(
    'pet',
    'a beagle puppy|a grey tabby cat|a pair of canaries|an old tortoise|a white rabbit',
    [
      'We finally brought home {value} from the shelter and the kids are over the moon.',
      'Guess what, {value} lives with us now!',
    ],
    [
      [
        'We have a new family member since the weekend!',
        'No way! Tell me everything, what is it?',
        'It is {value}, and already the boss of the house.',
      ],
    ],
    [
      'What animal did {who} adopt?',
      'Which pet joined the household of {who}?',
      'What did {who} bring home from the shelter?',
    ],
    ['The little one chewed my shoes again.', 'Our four-legged friend kept me awake all night.'],
  ),
  topic(
    'job',
    'a nurse at the children clinic|a bus driver|a software tester|a pastry chef|a librarian',
    ['I signed the contract yesterday, from next month I am {value}.', 'So it is official, they hired me as {value}.'],
    [
      [
        'The phone call came, I got the position!',
        'Congratulations! Doing what exactly?',
        'I will be {value}, can you believe it?',
      ],
    ],
    ['What is the new occupation of {who}?', 'What does {who} do for a living now?', 'As what was {who} hired?'],
    ['Monday was a long shift.', 'My colleagues are sweet, the hours less so.'],
  ),
  topic(
    'trip',
    'Lisbon|the Norwegian fjords|Kyoto|the Atacama desert|Edinburgh',
    [
      'I just booked flights to {value} for the autumn holidays.',
      'We spent ten days in {value} and I did not want to come back.',
    ],
    [['I am packing suitcases as we speak.', 'Jealous! Where are you off to?', 'To {value}, with only hand luggage.']],
    [
      'Where did {who} travel?',
      'Which destination did {who} choose for the vacation?',
      'Where did {who} book flights to?',
    ],
    ['I still have sand or something in my backpack.', 'I miss those views.'],
  ),
  topic(
    'instrument',
    'the cello|the banjo|the accordion|drums|the clarinet',
    [
      'I started taking lessons on {value}, my neighbours are patient people.',
      'Every evening I practise {value} for half an hour.',
    ],
    [
      [
        'I am making noise at home these days, with a teacher even.',
        'Ha, singing or playing?',
        'Playing {value}, badly.',
      ],
    ],
    ['Which musical instrument is {who} learning?', 'What does {who} play?', 'On what did {who} start taking lessons?'],
    ['My teacher says the rhythm is better now.', 'My fingers hurt from all those scales.'],
  ),
  topic(
    'allergy',
    'peanuts|shellfish|strawberries|penicillin|bee stings',
    [
      'I ended up in the emergency room, turns out {value} could have killed me.',
      'The doctor told me to stay away from {value} from now on.',
    ],
    [['My whole face was swollen on Tuesday.', 'Oh no, from what?', 'From {value}, the tests were clear.']],
    [
      'What is {who} allergic to?',
      'What does {who} have to avoid for medical reasons?',
      'What did the doctor tell {who} to stay away from?',
    ],
    ['I carry my pills everywhere now.', 'At restaurants I ask twice these days.'],
  ),
  topic(
    'car',
    'a used electric hatchback|an old camper van|a red pickup|a tiny convertible',
    ['My savings are gone but there is {value} in the driveway.', 'We traded in the station wagon for {value}.'],
    [['I spent all Saturday at the dealer.', 'And, did you drive something home?', 'Yes, {value}, it smells of wood.']],
    ['What vehicle did {who} buy?', 'What kind of car does {who} own?', 'What is in the driveway of {who}?'],
    ['Parking in town is still a nightmare.', 'The insurance letter arrived.'],
  ),
  topic(
    'sibling',
    'in Montreal|on a farm in Kenya|in Berlin|on a ship near Alaska',
    ['My older sister lives {value} these days, so we mostly text.', 'My sister moved again, she is {value} now.'],
    [
      [
        'I had a video call with my sister at three in the morning.',
        'Why so late, where is she?',
        'She is {value} since the spring.',
      ],
    ],
    [
      'Where is the sister of {who} living?',
      'In which place can {who} visit her relative?',
      'Where does the sister of {who} live?',
    ],
    ['My family group chat never sleeps.', 'My mother wants us all together for the holidays.'],
  ),
  topic(
    'sport',
    'rock climbing|fencing|open water swimming|badminton|rowing',
    [
      'I tried {value} with a friend and signed up for the whole season.',
      'Twice a week I do {value} now and sleep like a stone.',
    ],
    [['My muscles are killing me since Sunday.', 'What have you been up to?', 'I took up {value}, of all things.']],
    [
      'What physical activity did {who} take up?',
      'Which sport does {who} practise?',
      'What did {who} sign up for the whole season?',
    ],
    ['Our coach is merciless.', 'I bought proper shoes at last.'],
  ),
  topic(
    'book',
    'a memoir of a lighthouse keeper|a thick history of salt|a detective story set in Cairo|poems about rivers',
    ['I cannot put down {value}, I read until two.', 'On the train I finished {value} and cried a little.'],
    [['I was awake until two because of some pages.', 'Which ones?', 'It is {value}, I will lend it to you.']],
    ['What was {who} reading?', 'Which book captivated {who}?', 'What did {who} finish on the train?'],
    ['My shelf is full again.', 'The library fined me, I deserve it.'],
  ),
  topic(
    'garden',
    'tomatoes and basil|nothing but sunflowers|pumpkins|lavender along the fence|hot peppers',
    [
      'Behind the house I put {value} into the ground this weekend.',
      'This year I only planted {value}, let us see if it rains.',
    ],
    [['There is dirt under my nails and I love it.', 'What is growing?', 'It is {value} this year.']],
    [
      'What does {who} grow in the yard?',
      'Which plants did {who} cultivate?',
      'What did {who} plant behind the house?',
    ],
    ['The snails came back.', 'I watered everything at dawn.'],
  ),
  topic(
    'fear',
    'thunderstorms|elevators|deep water|public speaking|spiders in the cellar',
    [
      'I have never told anyone, but {value} make me freeze.',
      'My therapist and I are working on my thing with {value}.',
    ],
    [['I took the long way again, like a child.', 'Because of what?', 'It is {value}, my heart races.']],
    ['What is {who} afraid of?', 'What frightens {who}?', 'What makes {who} freeze?'],
    ['My therapist gave me breathing exercises.', 'I slept badly before the appointment.'],
  ),
  topic(
    'volunteer',
    'the night shelter|the animal rescue|the food bank|the repair cafe|the crisis hotline',
    [
      'On Thursdays I give my evenings to {value} and it changed how I see my problems.',
      'I signed up to help at {value}.',
    ],
    [['My Thursdays are taken from now on.', 'By whom?', 'By {value}, they needed hands.']],
    [
      'Where does {who} do unpaid charity work?',
      'Which organisation does {who} support in the free time?',
      'Where does {who} help on Thursdays?',
    ],
    ['We were short of people again last night.', 'The coordinator brought soup for everyone.'],
  ),
  topic(
    'food',
    'lentil soup with lemon|her grandmothers dumplings|burnt cheesecake|green curry|sourdough pancakes',
    [
      'Yesterday I made {value} for twelve people and nothing was left.',
      'If I could eat one thing for ever it would be {value}.',
    ],
    [['Everyone asked for the recipe last night.', 'For what, what did you cook?', 'I made {value}, it is easy.']],
    ['What dish did {who} prepare?', 'What is the favourite meal of {who}?', 'What did {who} make for twelve people?'],
    ['My oven needs cleaning.', 'I bought far too much flour.'],
  ),
  topic(
    'move',
    'a flat above a bakery|a houseboat|a cabin without internet|my parents old house',
    ['The boxes are everywhere, since Friday we live in {value}.', 'We got the keys to {value}!'],
    [['New address, new life!', 'Where did you end up?', 'In {value}, come and see.']],
    ['What kind of home did {who} relocate to?', 'Where does {who} reside now?', 'To what did {who} get the keys?'],
    ['I still cannot find the kettle.', 'The neighbours brought bread and salt.'],
  ),
  topic(
    'art',
    'watercolour portraits|pottery|linocut prints|charcoal drawings of hands|stained glass',
    ['I am in a phase, {value} all weekend long.', 'A small gallery wants to show my {value}!'],
    [['My table is covered and I forgot dinner.', 'What are you making?', 'It is {value}, I cannot stop.']],
    [
      'What sort of art does {who} create?',
      'Which craft is {who} exhibiting?',
      'What did a gallery want to show of {who}?',
    ],
    ['My apron is beyond saving.', 'I need better light in here.'],
  ),
  topic(
    'goal',
    'run a half marathon|open a tea shop|get the pilot licence|learn sign language|adopt a child',
    [
      'I wrote it on the wall so that I cannot back out: before thirty-five I will {value}.',
      'There is one thing I want, and that is to {value}.',
    ],
    [['I made a promise to myself on the beach.', 'Do I get to hear it?', 'I want to {value}, no excuses.']],
    [
      'What ambition does {who} have?',
      'What is {who} dreaming of achieving?',
      'What does {who} want to do before thirty-five?',
    ],
    ['Step by step, I keep telling myself.', 'The list on the fridge gets shorter.'],
  ),
  topic(
    'illness',
    'a broken wrist|pneumonia|a slipped disc|an ear infection|burnout',
    ['I was on sick leave for three weeks, it was {value}.', 'The scan showed {value}, so no lifting for me.'],
    [['I have been lying on the couch since Monday.', 'What happened to you?', 'It is {value}, six weeks they say.']],
    ['What health problem did {who} have?', 'From which condition did {who} recover?', 'Why was {who} on sick leave?'],
    ['The pharmacy knows my name by now.', 'I am so bored of daytime television.'],
  ),
  topic(
    'gift',
    'a telescope|a handmade quilt|concert tickets|a fountain pen|a record player',
    ['For my birthday my aunt surprised me with {value}.', 'I unwrapped {value} and could not speak.'],
    [['You will not believe what was in the parcel.', 'Say it!', 'It was {value}, from my aunt.']],
    [
      'What present did {who} receive?',
      'What was {who} given for the anniversary?',
      'With what did the aunt surprise {who}?',
    ],
    ['My aunt still remembers every date.', 'I have to write thank you cards.'],
  ),
  topic(
    'study',
    'marine biology|bookkeeping|Portuguese|carpentry|psychology at night school',
    ['I enrolled, two evenings a week it is {value}.', 'I got my results, I passed the first year of {value}.'],
    [['I am a student again at my age.', 'Of what subject?', 'It is {value}, the others are half my age.']],
    ['Which subject is {who} studying?', 'What education is {who} pursuing?', 'In what did {who} enrol?'],
    ['The exam is in two weeks.', 'My notes are a mess.'],
  ),
  topic(
    'quarrel',
    'the noise at night|an unpaid loan|the fence between the houses|a joke at the wedding',
    ['My brother and I are not on speaking terms because of {value}.', 'We had it out at last, all about {value}.'],
    [['My brother slammed the door and left.', 'What was it about this time?', 'It was {value}, as always.']],
    [
      'Why did {who} argue with a family member?',
      'What was the dispute of {who} about?',
      'Why is {who} not speaking to the brother?',
    ],
    ['I should call him first, I know.', 'We are both stubborn.'],
  ),
];

export const fillers = {
  hello: [
    'Hey {other}, long time no see! How have you been?',
    'Hi {other}! What is new?',
    'Good to hear from you, {other}.',
    '{other}! I was just thinking of you.',
  ],
  back: [
    'Hey {other}! All good here, busy as ever.',
    'Hi {other}, so nice of you to ask. Same old, same old.',
    'Hello {other}! Tired but happy.',
  ],
  besides: [
    'I keep thinking about what you said last time about slowing down.',
    'The kids were so excited that nobody slept before midnight.',
    'It was raining the whole day and we stayed in with hot chocolate and old films.',
    'My grandmother used to say that good things come to those who keep walking.',
    'We took so many photos, I will send you the best ones tonight.',
    'To be honest I was nervous at first, but it felt right.',
    'Anyway, enough about me for a moment.',
    'There was a long queue and I met an old friend from school there.',
    'I wish you had been there to see it with your own eyes.',
    'Sometimes a quiet evening is all a person wants.',
  ],
  between: [
    'That makes sense to me.',
    'You always know what to say, {other}.',
    'The weather has been awful, hasn’t it?',
    'Work is keeping me busy.',
    'I could use some coffee right now.',
    'Remember when we stayed up all night talking?',
    'I am proud of you, {other}.',
    'Let me know if I can help.',
    'What a week!',
    'Honestly, I needed to hear that.',
    'My phone is full of photos again.',
    'It takes courage to do that.',
    'Small steps, that is what counts.',
    'How do you find the time for all of it?',
  ],
  react: [
    'That is wonderful news, {other}!',
    'Wow, I did not expect that.',
    'Tell me more when we meet.',
    'Really? How did that feel?',
    'Good for you, {other}.',
    'I am speechless.',
  ],
  bye: ['Take care, {other}, talk soon!', 'Bye {other}, it was lovely.', 'Got to run, {other}. Hugs!'],
} as const;
