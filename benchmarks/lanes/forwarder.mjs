/** What the router is compared with, and what is behind it: `node forwarder.mjs <kind> <port>`. */
import http from 'node:http';
import httpProxy from 'http-proxy';
import { Pool } from 'undici';

const [kind, upstream] = process.argv.slice(2);
const origin = `http://127.0.0.1:${upstream}`;
const items = Array.from({ length: 5 }, (_, id) => ({ id, name: `item ${id}`, price: 1_000 + id }));
const answer = JSON.stringify({ currency: 'EUR', items });

const kinds = {
  service: () => (_, response) => {
    const length = Buffer.byteLength(answer);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
    response.end(answer);
  },
  /** No more than it takes: undici's own way to pass an answer on. */
  undici() {
    const pool = new Pool(origin, { connections: 256 });
    return (request, response) => {
      const { method, url: path, headers } = request;
      const body = method === 'GET' ? null : request;
      pool
        .stream({ method, path, headers, body }, ({ statusCode, headers }) => {
          response.writeHead(statusCode, headers);
          return response;
        })
        .catch(() => response.destroy());
    };
  },
  'http-proxy'() {
    const agent = new http.Agent({ keepAlive: true });
    const proxy = httpProxy.createProxyServer({ target: origin, agent });
    proxy.on('error', (_, __, response) => response.destroy());
    return (request, response) => proxy.web(request, response);
  },
};

if (kind === 'grpc') await serveGrpc();
else serveHttp();

function serveHttp() {
  const server = http.createServer({ keepAliveTimeout: 65_000 }, kinds[kind]());
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}

async function serveGrpc() {
  const { Server, ServerCredentials } = await import('@grpc/grpc-js');
  const same = (bytes) => bytes;
  const list = {
    path: '/bench.Prices/List',
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
  const server = new Server();
  server.addService({ list }, { list: (_, done) => done(null, Buffer.alloc(300, 'x')) });
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    process.stdout.write(`${port}\n`);
  });
}
