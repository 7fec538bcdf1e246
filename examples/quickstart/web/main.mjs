import { createServer } from 'node:http';

const { PORT = '4400', PRICES_URL, STOCK_URL } = process.env;

async function read(url) {
  const response = await fetch(url);
  return response.ok ? response.json() : null;
}

/** A product with its price and how many are there. */
async function product(sku) {
  const [price, stock] = await Promise.all([
    read(`${PRICES_URL}/prices/${sku}`),
    read(`${STOCK_URL}/stock/${sku}`),
  ]);
  return price && stock ? { sku, cents: price.cents, available: stock.quantity > 0 } : null;
}

createServer(async (request, response) => {
  const [, folder, sku = ''] = request.url.split('/');
  if (folder === 'healthz') return response.end('ok');
  const body = folder === 'products' ? await product(sku) : null;
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body ?? { error: 'not found' }));
}).listen(PORT);
