// A debug adapter for tests of the protocol: what it does is in the name of the request.
const write = (message, header = (body) => `Content-Length: ${body.length}\r\n\r\n`) => {
  const body = Buffer.from(JSON.stringify(message));
  process.stdout.write(Buffer.concat([Buffer.from(header(body)), body]));
};
const answer = ({ seq, command }, rest) =>
  write({ seq: 0, type: 'response', request_seq: seq, command, success: true, ...rest });

const commands = {
  echo: (request) => answer(request, { body: request.arguments }),
  refuse: (request) =>
    answer(request, { success: false, message: 'no', body: { error: { format: 'not today' } } }),
  silent: () => {},
  cancel: (request) => {
    write({ type: 'event', event: 'cancelled', body: request.arguments });
    answer(request, {});
  },
  crash: () => {
    process.stderr.write('it broke\n');
    process.exit(3);
  },
  lie: () => process.stdout.write('HTTP/1.1 200 OK\r\n\r\n'),
  long: (request) => answer(request, { body: { text: 'x'.repeat(request.arguments.chars) } }),
  bytes: async (request) => {
    const message = { type: 'response', request_seq: request.seq, success: true, body: { a: 'é' } };
    const body = Buffer.from(JSON.stringify(message));
    const all = Buffer.concat([
      Buffer.from(`X-Other: 1\r\ncontent-length: ${body.length}\r\n\r\n`),
      body,
    ]);
    for (const byte of all) {
      process.stdout.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  ask: (request) => {
    write({ seq: 900, type: 'request', command: 'runInTerminal', arguments: {} });
    answer(request, {});
  },
};

let input = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const end = input.indexOf('\r\n\r\n');
    const length = Number(/Content-Length: (\d+)/.exec(input.subarray(0, end).toString())?.[1]);
    if (end === -1 || input.length < end + 4 + length) return;
    const message = JSON.parse(input.subarray(end + 4, end + 4 + length).toString());
    input = input.subarray(end + 4 + length);
    if (message.type === 'response') write({ type: 'event', event: 'answered', body: message });
    else commands[message.command](message);
  }
});
