import { createServer } from 'node:http';

const { PORT = '4402' } = process.env;
const quantities = { pen: 120, book: 7, lamp: 0 };

createServer((request, response) => {
  const sku = request.url.split('/')[2];
  const isKnown = Object.hasOwn(quantities, sku);
  response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify(isKnown ? { sku, quantity: quantities[sku] } : { error: 'not found' }),
  );
}).listen(PORT);
