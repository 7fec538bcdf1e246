import { defineSuite } from 'surety/suite';

await defineSuite('shop', async ({ api, check }) => {
  const book = await api.get('/products/book');
  check('a book has a price', book.status, 200);
  check('a book is available', book.body.available, true);
  const lamp = await api.get('/products/lamp');
  check('a lamp is sold out', lamp.body.available, false);
  const ghost = await api.get('/products/ghost');
  check('an unknown product is not found', ghost.status, 404);
});
