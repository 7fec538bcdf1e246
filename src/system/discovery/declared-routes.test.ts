import { expect, test } from 'vitest';
import { routesDeclaredIn } from './declared-routes.ts';

function declared(code: string): string[] {
  return routesDeclaredIn(code).routes.map(({ method, path }) => `${method} ${path}`);
}

test.each([
  [
    'Express',
    `app.get('/orders/:id', show); router.delete("/orders/:id");`,
    ['GET /orders/{id}', 'DELETE /orders/{id}'],
  ],
  ['a chain', `router.route('/stock').get(list).post(add)`, ['GET /stock']],
  ['Fastify', `app.route({\n  method: 'PUT',\n  url: '/a/:b',\n})`, ['PUT /a/{b}']],
  [
    'a table',
    `{ path: '/a',\n method: 'GET',\n run },\n{ path: '/b',\n method: 'POST',\n run }`,
    ['GET /a', 'POST /b'],
  ],
  ['Node', `if (req.method === 'GET' && url.pathname === '/stats') {`, ['GET /stats']],
  ['FastAPI', `@app.get("/items/{item_id}")`, ['GET /items/{item_id}']],
  [
    'Flask',
    `@app.route("/a/<int:n>", methods=["POST"])\ndef a(n): pass\n\n@app.route("/b")`,
    ['POST /a/{n}', 'GET /b'],
  ],
  ['Python', `if self.path == "/rates":`, ['GET /rates']],
  [
    'Go',
    `mux.HandleFunc("GET /stock/{sku}", h)\nhttp.HandleFunc("/prices", p)`,
    ['GET /stock/{sku}', 'GET /prices'],
  ],
  ['Gin', `r.GET("/users/:name/*rest", h)`, ['GET /users/{name}/{rest}']],
  ['gorilla', `r.HandleFunc("/x", h).Methods("POST")`, ['POST /x']],
  ['axum', `.route("/users/{id}", get(show).put(change))`, ['GET /users/{id}']],
  ['Spring', `@GetMapping("/a/{id}")\n@PostMapping(value = "/b")`, ['GET /a/{id}', 'POST /b']],
  ['ASP.NET', `app.MapGet("/todos/{id:int}", h);`, ['GET /todos/{id}']],
  ['Sinatra', `get '/hello/:name' do`, ['GET /hello/{name}']],
  ['other texts', `import x from '/lib/x'; const file = '/etc/passwd'; log('/a');`, []],
])('finds the routes of %s', (_, code, expected) => {
  expect(declared(code)).toEqual(expected);
});

test('finds where routes are mounted', () => {
  const code = `app.use('/orders', orders);\napi.include_router(stock, prefix="/stock")`;
  expect(routesDeclaredIn(code).mounts).toEqual(['/orders', '/stock']);
});

test('finds the query parameters that are read', () => {
  const code = `url.searchParams.get('page'); req.query.sort; request.args.get("limit", 5)
    r.URL.Query().Get("q"); const { from, to: until = 1 } = request.query;`;
  expect(routesDeclaredIn(code).queries).toEqual(['page', 'limit', 'q', 'sort', 'from', 'to']);
});
