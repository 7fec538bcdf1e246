import { expect, test } from 'vitest';
import { plainCommand, portFlag, portVariables } from './container-command.ts';

test.each([
  ['/usr/bin/tini -- node server.js', 'node server.js'],
  ['dumb-init node main.js', 'node main.js'],
  ['docker-entrypoint.sh node main.js', 'node main.js'],
  [`sh -c 'exec node main.js --name "a b"'`, 'node main.js --name "a b"'],
  [`/bin/bash -c "python main.py"`, 'python main.py'],
  ['nodemon --inspect=0.0.0.0 server.js', 'node server.js'],
  ['tsx watch src/index.ts', 'tsx src/index.ts'],
  ['uvicorn main:app --reload --port 80', 'uvicorn main:app --port 80'],
  ['./run.sh --tini', './run.sh --tini'],
])('a container command without what images put around it: %s', (line, plain) => {
  expect(plainCommand(line)).toBe(plain);
});

test.each([
  [
    'uvicorn main:app --host 0.0.0.0 --port 8000',
    8000,
    'uvicorn main:app --host 0.0.0.0 --port $PORT',
  ],
  ['gunicorn app:app -b 0.0.0.0:80 -w 4', 80, 'gunicorn app:app -b 0.0.0.0:$PORT -w 4'],
  ['server --listen=:9000', 9000, 'server --listen=:$PORT'],
  ['dotnet x.dll --urls http://+:5000', 5000, 'dotnet x.dll --urls http://+:$PORT'],
  ['java -Dserver.port=8081 -jar x.jar', 8081, 'java -Dserver.port=$PORT -jar x.jar'],
  ['psql -p5 --portable 80', undefined, 'psql -p5 --portable 80'],
])('the port of %s becomes $PORT', (line, port, command) => {
  expect(portFlag(line)).toEqual(port === undefined ? { command } : { port, command });
});

test('variables that repeat the port are set from PORT, others stay', () => {
  const environment = {
    PORT: '8080',
    HTTP_PORT: '8080',
    LISTEN_ADDR: ':8080',
    ASPNETCORE_URLS: 'http://+:8080',
    PEER_URL: 'http://peer:8080',
    REDIS_PORT: '6379',
  };
  expect(portVariables(environment, 8080)).toEqual({
    names: ['HTTP_PORT', 'LISTEN_ADDR', 'ASPNETCORE_URLS'],
    assignments: ['HTTP_PORT=$PORT', 'LISTEN_ADDR=:$PORT', 'ASPNETCORE_URLS=http://+:$PORT'],
  });
});
