import { createHash } from 'node:crypto';
import type { Route } from '../../shared/route.ts';

/** Runs in the browser: orders, pays, and shows what the client is told about it. */
const SCRIPT = `
const $ = (id) => document.getElementById(id);
const ask = async (path, body) => {
  const headers = { authorization: 'Bearer ' + $('token').value, 'content-type': 'application/json' };
  const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  const answer = await fetch(path, sent);
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error.message);
  return said;
};
const told = async (id) => {
  for (let look = 0; look < 200; look++) {
    const { notifications } = await ask('/notifications/' + id);
    if (notifications.length > 1) return notifications.map(({ text }) => text).join(' ');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Nobody told you anything.');
};
$('desk').addEventListener('submit', async (event) => {
  event.preventDefault();
  $('result').textContent = '…';
  try {
    const items = [{ sku: $('sku').value, quantity: Number($('quantity').value) }];
    const { id } = await ask('/orders', { items, total: Number($('total').value) });
    const { status } = await ask('/orders/' + id + '/payment', { method: 'card', token: $('card').value });
    $('result').textContent = 'Payment ' + status + '. ' + (await told(id));
  } catch (error) {
    $('result').textContent = 'Sorry: ' + error.message;
  }
});`;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Desk</title>
<h1>Desk</h1>
<form id="desk">
  <p><label>Token <input id="token" type="password" required></label>
  <p><label>Article <input id="sku" value="TEST-001"></label>
  <p><label>Quantity <input id="quantity" type="number" value="1"></label>
  <p><label>Total <input id="total" value="29.99"></label>
  <p><label>Card <input id="card" value="tok_test_valid"></label>
  <p><button>Order and pay</button>
</form>
<p id="result" role="status"></p>
<script>${SCRIPT}</script>
</html>
`;

const scriptHash = createHash('sha256').update(SCRIPT).digest('base64');

/** For people: everything that it does, it does by the public API. No script but its own runs. */
export const deskPage: Route = {
  method: 'GET',
  path: '/desk',
  handle: () => ({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; connect-src 'self'; form-action 'none'; script-src 'sha256-${scriptHash}'`,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
    body: PAGE,
  }),
};
