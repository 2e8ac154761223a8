/** The pages of the local web server that tasks do research on. */
export const PAGES: Readonly<Record<string, string>> = {
  'http://shop.example.net/':
    '<h1>Our branches</h1><ul><li><a href="/branch/oslo">Oslo</a></li><li><a href="/branch/bergen">Bergen</a></li></ul>',
  'http://shop.example.net/branch/oslo': '<h1>Oslo</h1><p>Open: 9:00 to 18:00</p>',
  'http://shop.example.net/branch/bergen': '<h1>Bergen</h1><p>Open: 10:00 to 17:30</p>',
  'http://shop.example.net/lamp': '<h1>Desk lamp</h1><p>Was 49.90 EUR.</p><p>Price: 39.90 EUR</p>',
  'http://shop.example.net/chair-1': '<h1>Chair Alma</h1><p>Price: 89 EUR</p><p>Delivery: 12 EUR</p>',
  'http://shop.example.net/chair-2': '<h1>Chair Fjord</h1><p>Price: 94 EUR</p><p>Delivery: 0 EUR</p>',
  'http://shop.example.net/chair-3': '<h1>Chair Polar</h1><p>Price: 79 EUR</p><p>Delivery: 20 EUR</p>',
};
