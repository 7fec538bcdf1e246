import { createServer } from 'node:http';

const { PORT = '4401' } = process.env;
const cents = { pen: 250, book: 1990, lamp: 4900 };

function priceOf(sku) {
  const amount = cents[sku];
  if (amount === undefined) return null;
  return { sku, cents: amount };
}

createServer((request, response) => {
  const price = priceOf(request.url.split('/')[2]);
  response.writeHead(price ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(price ?? { error: 'not found' }));
}).listen(PORT);
